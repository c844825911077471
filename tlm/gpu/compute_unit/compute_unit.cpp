// SPDX-License-Identifier: Apache-2.0
#include "gpu/compute_unit/compute_unit.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace contraflow::gpu {

compute_unit::compute_unit(const sc_core::sc_module_name& name, const memory::resources& shared,
                           const compute_unit_spec& s, const machine_memory& machine, cta_sink_if& sink)
    : sc_core::sc_module(name),
      spec_((s.check(), s)),
      shared_(shared),
      sink_(sink),
      issue_cycles_(s.issue_cycles()),
      schedulers_(s.schedulers),
      calls_(shared.events, *this),
      instructions_(shared.statistics, std::string(this->name()) + ".instructions", "instructions",
                    "instructions issued for wavefronts"),
      busy_cycles_(shared.statistics, std::string(this->name()) + ".busy", "cycles",
                   "cycles of the schedulers taken by instructions and their work"),
      scratchpad_cycles_(shared.statistics, std::string(this->name()) + ".scratchpad", "cycles",
                         "cycles that accesses to the scratchpad took in its busiest bank"),
      bank_conflicts_(shared.statistics, std::string(this->name()) + ".bank_conflicts", "cycles",
                      "those of them that equally busy banks would not have taken"),
      ctas_run_(shared.statistics, std::string(this->name()) + ".ctas", "CTAs", "CTAs run"),
      resident_(shared.statistics, std::string(this->name()) + ".resident", "wavefronts", "wavefronts in their slots"),
      memory_(this->name(), shared, spec_, machine, *this) {
    free_waves_.reserve(s.wave_slots);
    free_ctas_.reserve(s.cta_slots);
}

compute_unit::~compute_unit() = default;

void compute_unit::join(shader_array& array) {
    array_ = &array;
    array.add_unit(*this);
    starved_ = std::make_unique<observe::counter>(
        shared_.statistics, std::string(name()) + ".starved", "ps",
        "time in which wavefronts with something to issue lacked its code, summed over them");
    waited_for_arguments_ = std::make_unique<observe::counter>(
        shared_.statistics, std::string(name()) + ".waited_for_arguments", "ps",
        "time in which wavefronts waited for their kernel's arguments, summed over them");
}

bool compute_unit::can_hold(const kernel_launch& k) const {
    return k.waves_per_cta(spec_.wave_width) <= spec_.wave_slots && k.shared() <= spec_.scratchpad;
}

bool compute_unit::has_room(const kernel_launch& k) const {
    return !draining_ && ctas_in_use_ < spec_.cta_slots &&
           waves_in_use_ + k.waves_per_cta(spec_.wave_width) <= spec_.wave_slots &&
           scratchpad_in_use_ + k.shared().count <= spec_.scratchpad.count;
}

void compute_unit::start_cta(const kernel_launch& k, std::uint64_t number, core::sim_time when) {
    if (free_ctas_.empty()) {
        free_ctas_.push_back(static_cast<unsigned>(ctas_.size()));
        ctas_.push_back(std::make_unique<cta>());
    }
    const unsigned slot = free_ctas_.back();
    free_ctas_.pop_back();
    cta& c = *ctas_[slot];
    c.start(k, number, spec_.wave_width, {spec_.scratchpad_banks, spec_.issue_cycles()});
    c.in_use = true;
    if (array_ != nullptr) c.code = array_->code().place_of(k.name());
    c.running = k.waves_per_cta(spec_.wave_width);
    c.waves.clear();
    for (unsigned i = 0; i < c.running; ++i) {
        wavefront& w = free_wave();
        w.reset(slot);
        c.waves.push_back(&w);
    }
    ++ctas_in_use_;
    ++ctas_started_;
    waves_in_use_ += c.running;
    scratchpad_in_use_ += c.shared.size();
    resident_.set(shared_.events.now(), waves_in_use_);
    calls_.at<&compute_unit::begin_cta>(when, slot);
}

wavefront& compute_unit::free_wave() {
    if (free_waves_.empty()) {
        free_waves_.push_back(static_cast<unsigned>(waves_.size()));
        waves_.push_back(std::make_unique<wavefront>(free_waves_.back()));
    }
    wavefront& w = *waves_[free_waves_.back()];
    free_waves_.pop_back();
    w.state = wave_state::starting;
    const auto next = [this] {
        return std::exchange(next_scheduler_, next_scheduler_ + 1 == spec_.schedulers ? 0 : next_scheduler_ + 1);
    };
    w.scheduler = next();
    while (schedulers_[w.scheduler].waves == spec_.scheduler_slots()) w.scheduler = next();
    ++schedulers_[w.scheduler].waves;
    return w;
}

void compute_unit::begin_cta(unsigned slot) {
    cta& c = *ctas_[slot];
    const auto count = static_cast<unsigned>(c.waves.size());
    for (unsigned i = 0; i < count; ++i) {
        wavefront& w = *c.waves[i];
        try {
            w.start(*this, c, i);
        } catch (...) {  // thrown by the function that makes the coroutine
            fail(*c.launch, std::current_exception());
            wave_ended(w);
            continue;
        }
        if (array_ == nullptr) {
            resume(w);
            continue;
        }
        w.buffer.code = c.code;
        w.buffer.next = 0;
        fetch(w);
        add_step(w, {issue_step::then::arguments, std::max<std::uint64_t>(1, argument_lines())});
    }
}

void compute_unit::resume(wavefront& w) {
    w.resume();
    if (!w.coroutines().finished()) return;
    if (w.coroutines().error()) fail(*w.cta().launch, w.coroutines().error());
    wave_ended(w);
}

void compute_unit::wave_ended(wavefront& w) {
    w.coroutines().drop();
    count_scratchpad_use(w);
    cta& c = *ctas_[w.cta_slot];
    w.state = wave_state::end_accesses;
    w.since = shared_.events.now();
    if (c.leave()) open_barrier(c);
    end_if_done(w);
}

void compute_unit::end_if_done(wavefront& w) {
    if (w.answered() && w.steps.empty()) retire(w);
}

void compute_unit::retire(wavefront& w) {
    cta& c = *ctas_[w.cta_slot];
    w.state = wave_state::free;
    if (--c.running != 0) return;
    const auto count = static_cast<unsigned>(c.waves.size());
    for (unsigned i = count; i > 0; --i) {
        free_waves_.push_back(c.waves[i - 1]->slot());
        --schedulers_[c.waves[i - 1]->scheduler].waves;
    }
    free_ctas_.push_back(w.cta_slot);
    c.in_use = false;
    --ctas_in_use_;
    ++ctas_ended_;
    ++ctas_run_;
    waves_in_use_ -= count;
    scratchpad_in_use_ -= c.shared.size();
    resident_.set(shared_.events.now(), waves_in_use_);
    sink_.cta_finished(*this, *c.launch);
}

// ---- instructions

core::sim_time compute_unit::next_edge() const {
    const std::uint64_t now = shared_.events.now().ps;
    const std::uint64_t cycle = spec_.cycle.ps;
    return {(now + cycle - 1) / cycle * cycle};
}

core::sim_time compute_unit::issue(wavefront& w, std::uint64_t instructions) {
    core::sim_time& free = schedulers_[w.scheduler].free;
    const std::uint64_t cycles = instructions * issue_cycles_;
    count_scratchpad_use(w);
    free = std::max(next_edge(), free) + spec_.cycle * cycles;
    busy_cycles_ += cycles;
    return free;
}

void compute_unit::count_scratchpad_use(wavefront& w) {
    const scratchpad_use used = w.take_scratchpad_use();
    scratchpad_cycles_ += used.cycles;
    bank_conflicts_ += used.conflicts;
}

void compute_unit::issue(wavefront& w, wave_state what, std::uint64_t work) {
    ++instructions_;
    w.state = what;
    w.since = shared_.events.now();
    if (array_ != nullptr) return add_step(w, {issue_step::then::wave, work + 1});
    calls_.at<&compute_unit::issued>(issue(w, work + 1), w.slot());
}

// One after the other. The memory side sends a request a cycle, so it may have all with the first.
void compute_unit::issue(memory_instruction& i, std::uint64_t work) {
    instructions_ += i.accesses.size();
    if (array_ != nullptr) {
        ++accesses_issuing_;
        wavefront& w = *i.wave;
        const std::size_t more = i.accesses.size() - 1;
        add_step(w, {issue_step::then::memory, work + 1, memory_.number_of(i)});
        if (more > 0) add_step(w, {issue_step::then::nothing, more});
        return;
    }
    const core::sim_time first = issue(*i.wave, work + 1);
    if (i.accesses.size() > 1) issue(*i.wave, i.accesses.size() - 1);
    ++accesses_issuing_;
    // An access takes the latency of the TLB before the memory side sees it.
    calls_.at<&compute_unit::memory_issued>(first + memory_.latency(), memory_.number_of(i));
}

void compute_unit::memory_issued(unsigned instruction) {
    --accesses_issuing_;
    memory_.begin(instruction);
}

void compute_unit::begin_loads(wave_context& wave, std::span<wave_access* const> loads, std::uint64_t work) {
    auto& w = static_cast<wavefront&>(wave);
    memory_instruction& i = memory_.take_instruction(w);
    i.accesses.assign(loads.begin(), loads.end());
    for (wave_access* a : loads) {
        a->begun = a->sent = a->complete = a->awaited = false;
        a->missing = 0;
        a->end = 0;
        w.loads.push_back(a);
        w.uncached_loads += a->uncached ? 1 : 0;
    }
    issue(i, work);
}

bool compute_unit::wait(wave_context& wave, std::span<wave_access* const> loads) {
    auto& w = static_cast<wavefront&>(wave);
    for (wave_access* a : loads) {
        if (a->complete || a->awaited) continue;
        a->awaited = true;
        ++w.waits;
    }
    if (w.waits == 0) return true;
    w.state = wave_state::memory;
    w.since = shared_.events.now();
    return false;
}

bool compute_unit::begin_accesses(wave_context& wave, std::span<wave_access> accesses) {
    auto& w = static_cast<wavefront&>(wave);
    memory_instruction& i = memory_.take_instruction(w);
    for (wave_access& a : accesses) {
        a.sent = a.complete = false;
        a.awaited = true;
        a.missing = 0;
        i.accesses.push_back(&a);
    }
    w.waits += static_cast<unsigned>(accesses.size());
    w.state = wave_state::memory;
    w.since = shared_.events.now();
    issue(i, w.take_work());
    return false;
}

bool compute_unit::barrier(wave_context& wave) {
    issue(static_cast<wavefront&>(wave), wave_state::barrier_issue, wave.take_work());
    return false;
}

bool compute_unit::fence(wave_context& wave) {
    issue(static_cast<wavefront&>(wave), wave_state::fence_issue, wave.take_work());
    return false;
}

bool compute_unit::compute(wave_context& wave, std::uint64_t cycles) {
    // The issue of the instruction counts as its first cycle.
    issue(static_cast<wavefront&>(wave), wave_state::compute, wave.take_work() + cycles - 1);
    return false;
}

void compute_unit::issued(unsigned slot) {
    wavefront& w = *waves_[slot];
    switch (w.state) {
    case wave_state::barrier_issue:
        w.state = wave_state::barrier_accesses;
        if (w.answered()) arrive_at_barrier(w);
        return;
    case wave_state::fence_issue:
        w.state = wave_state::fence_accesses;
        if (w.answered()) resume(w);
        return;
    default: return resume(w);
    }
}

void compute_unit::accesses_done(wavefront& w) {
    switch (w.state) {
    case wave_state::barrier_accesses: return arrive_at_barrier(w);
    case wave_state::fence_accesses: return resume(w);
    case wave_state::end_accesses: return end_if_done(w);
    default: return;
    }
}

void compute_unit::arrive_at_barrier(wavefront& w) {
    w.state = wave_state::barrier;
    w.set_at_barrier(true);
    cta& c = *ctas_[w.cta_slot];
    if (c.arrive()) open_barrier(c);
}

void compute_unit::open_barrier(cta& c) {
    c.at_barrier = 0;
    // All wavefronts leave the barrier before the first one resumes, because it may reach the next barrier at once.
    for (wavefront* w : c.waves)
        if (w->state == wave_state::barrier) w->set_at_barrier(false);
    // The last wavefront to resume may end, and another CTA may then take this CTA's slot.
    for (std::size_t i = 0; i < c.waves.size(); ++i)
        if (c.waves[i]->state == wave_state::barrier) resume(*c.waves[i]);
}

// ---- code

namespace {

constexpr std::uint64_t lines_of(core::bytes all, core::bytes line) { return all.count / line.count; }

}  // namespace

std::uint64_t compute_unit::argument_lines() const {
    const shader_array_spec& s = array_->configuration();
    return lines_of(s.kernel_lines() - s.code_lines(), s.scalars.line);
}

// Asks for lines until the buffer is full. Behind the last line of the code comes its first one.
void compute_unit::fetch(wavefront& w) {
    const shader_array_spec& s = array_->configuration();
    instruction_buffer& b = w.buffer;
    for (; b.asked < s.buffer; ++b.asked) {
        array_->fetch(spec_.number, w.slot(), b.first + b.asked, b.code + b.next);
        b.next += s.instructions.line.count;
        if (b.next >= s.code.count) b.next = 0;
    }
}

void compute_unit::code_arrived(unsigned slot, std::uint32_t number) {
    wavefront& w = *waves_[slot];
    const std::uint32_t place = number - w.buffer.first;
    if (place >= w.buffer.asked) return;  // of an earlier wavefront of this slot
    w.buffer.here |= 1u << place;
    if (place != 0 || !std::exchange(w.buffer.starved, false)) return;
    *starved_ += (shared_.events.now() - w.buffer.starved_since).ps;
    issue_some(w);
}

void compute_unit::add_step(wavefront& w, const issue_step& s) {
    w.steps.push_back(s);
    if (!w.buffer.issuing && !w.buffer.starved) issue_some(w);
}

// Instructions of the oldest step, as many as are in the line that the wavefront executes.
void compute_unit::issue_some(wavefront& w) {
    instruction_buffer& b = w.buffer;
    if ((b.here & 1) == 0) {
        b.starved = true;
        b.starved_since = shared_.events.now();
        return;
    }
    issue_step& s = w.steps.front();
    const std::uint64_t in_line = array_->configuration().instructions.line.count / instruction_size.count;
    const std::uint64_t now = std::min(s.left, in_line - b.used);
    s.left -= now;
    b.used += static_cast<unsigned>(now);
    b.issuing = true;
    calls_.at<&compute_unit::part_issued>(issue(w, now), w.slot());
}

void compute_unit::part_issued(unsigned slot) {
    wavefront& w = *waves_[slot];
    instruction_buffer& b = w.buffer;
    b.issuing = false;
    if (b.used == array_->configuration().instructions.line.count / instruction_size.count) {
        b.used = 0;
        b.here >>= 1;
        ++b.first;
        --b.asked;
        fetch(w);
    }
    if (w.steps.front().left == 0) {
        const issue_step done = w.steps.front();
        w.steps.pop_front();
        step_issued(w, done);
    }
    if (!w.steps.empty() && !b.issuing && !b.starved) issue_some(w);
}

void compute_unit::step_issued(wavefront& w, const issue_step& s) {
    switch (s.next) {
    case issue_step::then::nothing:
        if (w.state == wave_state::end_accesses) end_if_done(w);
        return;
    case issue_step::then::wave: return issued(w.slot());
    case issue_step::then::memory:
        calls_.at<&compute_unit::memory_issued>(shared_.events.now() + memory_.latency(), s.instruction);
        return;
    case issue_step::then::arguments: return load_arguments(w);
    }
}

void compute_unit::load_arguments(wavefront& w) {
    const shader_array_spec& s = array_->configuration();
    w.arguments_missing = static_cast<unsigned>(argument_lines());
    if (w.arguments_missing == 0) return resume(w);
    w.since = shared_.events.now();
    for (unsigned i = 0; i < w.arguments_missing; ++i)
        array_->load_arguments(spec_.number, w.slot(), 0, w.buffer.code + (s.code_lines() + s.scalars.line * i).count);
}

void compute_unit::arguments_arrived(unsigned slot, std::uint32_t) {
    wavefront& w = *waves_[slot];
    if (--w.arguments_missing > 0) return;
    *waited_for_arguments_ += (shared_.events.now() - w.since).ps;
    resume(w);
}

// The wavefront goes on, as it does after a load that was answered with an error.
bool compute_unit::line_refused(unsigned slot, std::uint32_t number, bool of_arguments,
                                const tlm::tlm_generic_payload& answered) {
    const wavefront& w = *waves_[slot];
    const bool is_waited_for = of_arguments || number - w.buffer.first < w.buffer.asked;
    if (w.state == wave_state::free || !is_waited_for) return false;
    const char* const what = of_arguments ? "load of arguments" : "fetch of code";
    fail(*w.cta().launch, std::make_exception_ptr(memory_.refused_line(w, what, answered)));
    return true;
}

// ---- control and questions

bool compute_unit::control(core::control_verb verb) {
    switch (verb) {
    case core::control_verb::pause: memory_.pause(true); return true;
    case core::control_verb::drain: draining_ = true; return true;
    case core::control_verb::enable:
        memory_.pause(false);
        if (std::exchange(draining_, false)) sink_.unit_enabled(*this);
        return true;
    case core::control_verb::reset:
        clear_slots();
        memory_.reset();
        return true;
    default: return false;
    }
}

void compute_unit::clear_slots() {
    for (auto& w : waves_) {
        w->coroutines().drop();
        w->reset(0);
        w->state = wave_state::free;
    }
    free_waves_.clear();
    for (unsigned i = static_cast<unsigned>(waves_.size()); i > 0; --i) free_waves_.push_back(i - 1);
    free_ctas_.clear();
    for (unsigned i = static_cast<unsigned>(ctas_.size()); i > 0; --i) {
        free_ctas_.push_back(i - 1);
        ctas_[i - 1]->in_use = false;
    }
    ctas_started_ -= ctas_in_use_;
    waves_in_use_ = ctas_in_use_ = accesses_issuing_ = 0;
    scratchpad_in_use_ = 0;
    next_scheduler_ = 0;
    std::fill(schedulers_.begin(), schedulers_.end(), scheduler{});
    draining_ = false;
    calls_.cancel();
    resident_.set(shared_.events.now(), 0);
}

bool compute_unit::computing() const {
    if (array_ != nullptr)  // a wavefront that lacks its code, or waits, is none of these
        return std::any_of(waves_.begin(), waves_.end(), [](const auto& w) { return w->buffer.issuing; });
    return accesses_issuing_ > 0 || std::any_of(waves_.begin(), waves_.end(), [](const auto& w) {
               return w->state == wave_state::compute || w->state == wave_state::barrier_issue ||
                      w->state == wave_state::fence_issue;
           });
}

void compute_unit::report_waits(std::vector<core::wait_edge>& edges) const { memory_.report_waits(name(), edges); }

void compute_unit::check(observe::conservation& checks) const {
    checks.check(fmt::format("{}: CTAs started and finished", name()), "CTAs", ctas_started_, ctas_ended_);
    memory_.check(name(), checks);
}

}  // namespace contraflow::gpu
