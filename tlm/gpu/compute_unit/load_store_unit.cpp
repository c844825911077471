// SPDX-License-Identifier: Apache-2.0
#include "gpu/compute_unit/load_store_unit.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "gpu/compute_unit/compute_unit.h"
#include "gpu/kernel/kernel_launch.h"
#include "pcie/bridge/response_status.h"

namespace contraflow::gpu {
namespace {

constexpr const char* memory_that_has_it = "memory that has it";

}  // namespace

load_store_unit::load_store_unit(const std::string& path, const memory::resources& shared, const compute_unit_spec& s,
                                 const machine_memory& machine, compute_unit& owner)
    : l1("l1", shared, *this),
      shared_(shared),
      spec_(s),
      machine_(machine),
      owner_(owner),
      translator_(s.translation == nullptr ? nullptr : new address_translator(shared, s, *this)),
      latency_(translator_ ? translator_->latency() : core::sim_time{}),
      pump_at_(shared.events, *this),
      acknowledgements_(shared.events, *this),
      loads_(shared.statistics, path + ".loads", "lines", "line requests that read"),
      stores_(shared.statistics, path + ".stores", "lines", "line requests that write"),
      atomics_(shared.statistics, path + ".atomics", "lines", "line requests that modify"),
      threads_(shared.statistics, path + ".threads", "threads", "threads served by all line requests"),
      stalled_outstanding_(shared.statistics, path + ".stalled_outstanding", "ps",
                           "time in which a request waited because as many as allowed were outstanding"),
      stalled_cache_(shared.statistics, path + ".stalled_cache", "ps",
                     "time in which a request waited because the first-level cache held the port") {
    if (translator_) {
        stalled_translation_ = std::make_unique<observe::counter>(
            shared.statistics, path + ".stalled_translation", "ps",
            "time in which a request waited because the TLB could take no more misses");
        drains_.reserve(4);  // rarely more than one
    }
}

load_store_unit::~load_store_unit() {
    for (request& r : requests_)
        if (r.sent != nullptr) r.sent->release();
}

memory_instruction& load_store_unit::take_instruction(wavefront& w) {
    if (free_instructions_.empty()) {
        free_instructions_.push_back(static_cast<unsigned>(instructions_.size()));
        instructions_.emplace_back().number = free_instructions_.back();
    }
    memory_instruction& i = instructions_[free_instructions_.back()];
    free_instructions_.pop_back();
    i.wave = &w;
    i.accesses.clear();
    return i;
}

void load_store_unit::begin(unsigned instruction) {
    memory_instruction& i = instructions_[instruction];
    i.since = shared_.events.now();
    i.sending = 0;
    i.left = i.accesses[0]->active;
    i.line = {};
    for (wave_access* const a : i.accesses)
        if (a->active.any()) find_range(*a);
    enqueue(i);
    if (head_ == &i && !pump_at_.armed()) pump();
}

void load_store_unit::enqueue(memory_instruction& i) {
    i.next = nullptr;
    (head_ == nullptr ? head_ : tail_->next) = &i;
    tail_ = &i;
}

void load_store_unit::pause(bool paused) {
    paused_ = paused;
    if (paused) stop_translated();
    if (!paused && (head_ != nullptr || !translated_.empty()) && !pump_at_.armed()) pump_at_.arm(shared_.events.now());
}

void load_store_unit::pump() {
    const core::sim_time now = shared_.events.now();
    while (!paused_ && (head_ != nullptr || !translated_.empty())) {
        if (now < next_send_) return pump_at_.arm(next_send_);
        if (!translated_.empty()) {  // older than new requests
            if (!l1.ready()) return stop(stall::cache);
            end_stall();
            send_translated();
            next_send_ = now + spec_.cycle;
            continue;
        }
        if (asking_ > 0) return stop(stall::translation);
        memory_instruction& i = *head_;
        if (next_access(i)) {
            if (must_wait(i)) {
                head_ = i.next;
                hold(i);
                continue;
            }
            if (outstanding() == spec_.outstanding) return stop(stall::outstanding);
            if (!l1.ready()) return stop(stall::cache);
            end_stall();
            try {
                send_line(i);
            } catch (...) {
                give_up(i);
                owner_.memory_failed(*i.wave, std::current_exception());
            }
            next_send_ = now + spec_.cycle;
            if (next_access(i)) continue;
        }
        head_ = i.next;
        end(i);
    }
}

// Moves to the next access with threads whose requests are not sent yet; false if there is none.
bool load_store_unit::next_access(memory_instruction& i) {
    while (i.left.none()) {
        if (i.sending + 1 >= i.accesses.size()) return false;
        all_sent(*i.wave, *i.accesses[i.sending]);
        i.left = i.accesses[++i.sending]->active;
    }
    return true;
}

void load_store_unit::all_sent(wavefront& w, wave_access& a) {
    a.sent = true;
    if (a.missing == 0) completed(w, a);
}

// The last access of the instruction has been sent.
void load_store_unit::end(memory_instruction& i) {
    wavefront& w = *i.wave;
    wave_access& last = *i.accesses.back();
    free_instructions_.push_back(i.number);
    if (w.trying == &i) {
        w.trying = nullptr;
        try_again(w);
    }
    all_sent(w, last);
}

void load_store_unit::completed(wavefront& w, wave_access& a) {
    a.complete = true;
    if (a.kind == access_kind::load) {
        std::erase(w.loads, &a);
        w.uncached_loads -= a.uncached ? 1 : 0;
        w.loads_sent -= a.begun ? 1 : 0;
        try_again(w);
    }
    if (a.awaited && --w.waits == 0)
        owner_.memory_done(w);
    else if (a.kind == access_kind::load && w.answered())
        owner_.accesses_done(w);
}

void load_store_unit::give_up(memory_instruction& i) {
    for (i.left = {}; next_access(i); i.left = {}) {}
}

std::uint32_t load_store_unit::take_request() {
    if (free_.empty()) {
        requests_.reserve(spec_.outstanding);  // only units that are used take this memory
        free_.reserve(spec_.outstanding);
        requests_.emplace_back();
        return static_cast<std::uint32_t>(requests_.size() - 1);
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    return number;
}

// The request for threads that have none yet; from one send_line() to the next it stays.
const line_request& load_store_unit::line_of(memory_instruction& i) const {
    if (i.line.threads.none()) i.line = next_line(*i.accesses[i.sending], i.left, spec_.line.count);
    return i.line;
}

void load_store_unit::send_line(memory_instruction& i) {
    wavefront& w = *i.wave;
    wave_access& a = *i.accesses[i.sending];
    const line_request line = line_of(i);
    i.line = {};
    if (line.misaligned) refuse_misaligned(w, a, line);
    const core::sim_time now = shared_.events.now();
    std::uint64_t physical = 0;
    bool translated = true;
    memory::memory_type type = memory::memory_type::cached;
    if (!translator_) {
        const memory::page_table::location place = translate_at_once(w, a, line);
        physical = place.physical;
        type = place.type;
    } else {
        const auto* const page = translator_->find(w.cta().process, line.address, a.kind != access_kind::load);
        translated = page != nullptr;
        if (translated) {
            physical = page->physical(line.address);
            type = page->type;
        }
    }

    const std::uint32_t number = take_request();
    request& r = requests_[number];
    r.wave = &w;
    r.access = a.kind == access_kind::store ? nullptr : &a;
    r.kind = a.kind;
    r.translation = translated ? ++translations_ : 0;
    r.type = memory::memory_type::cached;
    r.line = line;
    r.sent = &shared_.payloads.take();

    fill_payload(*r.sent, physical, a, line);
    memory::memory_extension& e = r.sent->extension();
    e.virtual_address = line.address;
    e.process = w.cta().process;
    e.origin = {static_cast<std::uint16_t>(spec_.socket), static_cast<std::uint16_t>(spec_.number), w.slot()};
    e.scope = a.kind == access_kind::atomic || a.uncached ? memory::scope::system : memory::scope::group;
    e.push_route(number);
    e.times.begin(i.since - latency_);
    machine_.profile.begun(e);
    e.milestone(memory::stage::coalescer, now - latency_);
    if (latency_ != core::sim_time{}) e.milestone(memory::stage::l1_tlb, now);
    if (e.times.recorded()) trace_begin(e, i.since - latency_, translated);

    i.left &= !line.threads;
    threads_ += line.threads.count();
    ++sent_total_;
    switch (a.kind) {
    case access_kind::load: ++loads_; break;
    case access_kind::store: ++stores_; break;
    case access_kind::atomic: ++atomics_; break;
    }
    ++(a.kind == access_kind::store ? w.stores_missing : a.missing);
    if (a.kind == access_kind::load && !std::exchange(a.begun, true)) ++w.loads_sent;
    if (type != memory::memory_type::cached) pass_caches(r, type);
    if (translated)
        send(r, physical);
    else
        asking_ += translator_->ask(number, a.kind != access_kind::load, e) ? 0 : 1;
}

void load_store_unit::send(request& r, std::uint64_t physical) {
    r.remote = machine_.map.socket_of(physical) != spec_.socket;
    ++in_memory_;
    l1.send(r.sent->extension());
}

bool load_store_unit::response_arrived(unsigned, memory::memory_extension& answered) {
    const std::uint32_t number = answered.pop_route();
    const request& r = requests_[number];
    if (r.type != memory::memory_type::cached && r.kind == access_kind::store &&
        spec_.uncached_store != core::sim_time{}) {
        answered.push_route(number);
        acknowledgements_.push(answered, shared_.events.now() + spec_.uncached_store);
    } else {
        end(number, answered);
    }
    return true;
}

void load_store_unit::acknowledged(memory::memory_extension& store) { end(store.pop_route(), store); }

void load_store_unit::end(std::uint32_t number, memory::memory_extension& answered) {
    const request& r = requests_[number];
    if (answered.times.recorded()) answered.times.pass(l1.get_parent_object()->name(), shared_.events.now());
    answered.milestone(memory::stage::l1, shared_.events.now());  // the rest of its time, if the cache left any
    machine_.profile.completed(r.kind, r.remote, answered);
    const bool good = r.sent->get_response_status() == tlm::TLM_OK_RESPONSE;
    if (!good)
        owner_.memory_failed(*r.wave,
                             std::make_exception_ptr(fault(*r.wave, r.kind, r.line, access_fault::reason::refused,
                                                           fmt::format("answered with {} from physical address {:#x}",
                                                                       pcie::reason_of(*r.sent), r.sent->get_address()),
                                                           memory_that_has_it)));
    --in_memory_;
    complete(number, good);
    if (paused_ && in_memory_ == 0) owner_.memory_quiet();
}

void load_store_unit::complete(std::uint32_t number, bool with_data) {
    request& r = requests_[number];
    wavefront& w = *r.wave;
    if (with_data && r.access != nullptr) take_data(*r.sent, *r.access, r.line);
    if (!drains_.empty()) drained(r);
    shared_.payloads.release(*r.sent);
    r.sent = nullptr;
    free_.push_back(number);
    ++answered_total_;
    // Not from here: this may be within a call backward, in which nothing may be sent.
    if (stalled_ == stall::outstanding && !pump_at_.armed()) pump_at_.arm(shared_.events.now());
    if (r.access != nullptr) {
        if (--r.access->missing == 0 && r.access->sent) completed(w, *r.access);
        return;
    }
    --w.stores_missing;
    if (r.type != memory::memory_type::cached) {
        --w.uncached_stores;
        try_again(w);
    }
    if (w.answered()) owner_.accesses_done(w);
}

void load_store_unit::request_port_ready(unsigned) {
    if (stalled_ == stall::cache && !pump_at_.armed()) pump();
}

void load_store_unit::stop(stall why) {
    if (stalled_ == why) return;
    end_stall();
    stalled_ = why;
    stalled_since_ = shared_.events.now();
}

void load_store_unit::end_stall() {
    if (stalled_ == stall::none) return;
    (stalled_ == stall::outstanding ? stalled_outstanding_
     : stalled_ == stall::cache     ? stalled_cache_
                                    : *stalled_translation_) += (shared_.events.now() - stalled_since_).ps;
    stalled_ = stall::none;
}

void load_store_unit::report_waits(const std::string& waiter, std::vector<core::wait_edge>& edges) const {
    if (!l1.ready()) edges.push_back({waiter, "acceptance of a request", l1.peer_name(), l1.sending_since()});
    if (translator_) translator_->report_waits(edges);
    const request* oldest = nullptr;
    for (const request& r : requests_)
        if (r.sent != nullptr && r.translation != 0 &&
            (oldest == nullptr || r.sent->extension().times.begun() < oldest->sent->extension().times.begun()))
            oldest = &r;
    if (oldest != nullptr)
        edges.push_back({waiter, fmt::format("responses to {} requests", outstanding()), l1.peer_name(),
                         oldest->sent->extension().times.begun()});
    const request* untranslated = nullptr;
    for (const request& r : requests_)
        if (r.sent != nullptr && r.translation == 0 &&
            (untranslated == nullptr ||
             r.sent->extension().times.begun() < untranslated->sent->extension().times.begun()))
            untranslated = &r;
    if (untranslated != nullptr)
        edges.push_back({waiter, fmt::format("the page of {:#x}", untranslated->line.address),
                         translator_->tlb().name(), untranslated->sent->extension().times.begun()});
}

void load_store_unit::check(const std::string& path, observe::conservation& checks) const {
    checks.check(path + ": line requests sent and answered", "requests", sent_total_, answered_total_);
    if (translator_) translator_->tlb().check(checks);
}

void load_store_unit::reset() {
    for (std::uint32_t i = 0; i < requests_.size(); ++i) {
        if (requests_[i].sent == nullptr) continue;
        requests_[i].sent->release();
        requests_[i].sent = nullptr;
        free_.push_back(i);
        --sent_total_;
    }
    l1.reset();
    if (translator_) translator_->reset();
    translated_.clear();
    acknowledgements_.reset();
    asking_ = in_memory_ = 0;
    drains_.clear();
    head_ = tail_ = nullptr;
    free_instructions_.clear();
    for (unsigned n = static_cast<unsigned>(instructions_.size()); n > 0; --n) free_instructions_.push_back(n - 1);
    next_send_ = {};
    paused_ = false;
    pump_at_.cancel();
    end_stall();
}

// ---- Pages that are not cached

void load_store_unit::pass_caches(request& r, memory::memory_type type) {
    const bool was = r.type != memory::memory_type::cached, is = type != memory::memory_type::cached;
    r.type = type;
    r.sent->extension().policy = is ? memory::cache_policy::uncached : memory::cache_policy::cached;
    if (r.kind == access_kind::store) r.wave->uncached_stores += (is ? 1u : 0u) - (was ? 1u : 0u);
}

// ---- Accesses that wait for an earlier one of their wavefront

bool load_store_unit::must_wait(memory_instruction& i) const {
    const wavefront& w = *i.wave;
    if (w.trying != &i && (w.held != nullptr || w.trying != nullptr)) return true;  // an earlier instruction does
    const wave_access& a = *i.accesses[i.sending];
    if (a.kind == access_kind::load && !a.begun && w.loads_sent >= spec_.wave_loads) return true;
    const std::size_t rivals = a.kind != access_kind::load ? w.loads.size()
                               : a.uncached                ? w.loads.size() - w.uncached_loads
                                                           : w.uncached_loads;
    if (rivals != 0 && waits_for_own_load(i)) return true;
    return a.kind != access_kind::store && w.uncached_stores != 0 && waits_for_own_store(i);
}

// Whether the next line of the instruction has bytes to which its wavefront has an uncached store under way. Stores to
// a line keep their order on the way.
bool load_store_unit::waits_for_own_store(memory_instruction& i) const {
    const line_request& next = line_of(i);
    return std::any_of(requests_.begin(), requests_.end(), [&](const request& r) {
        return r.sent != nullptr && r.wave == i.wave && r.kind == access_kind::store &&
               r.type != memory::memory_type::cached && r.line.address < next.address + next.length &&
               next.address < r.line.address + r.line.length;
    });
}

// Whether an earlier load of its wavefront is to get bytes of that line and could get others than it should. A cache
// that waits for a line gives its loads the bytes that were stored there meanwhile. One of two loads that passes the
// caches may be the first at the home, and the other one must not see what is older.
bool load_store_unit::waits_for_own_load(memory_instruction& i) const {
    const wave_access& own = *i.accesses[i.sending];
    const line_request& next = line_of(i);
    for (wave_access* const earlier : i.wave->loads) {
        if (earlier == &own) return false;
        if (own.kind == access_kind::load && earlier->uncached == own.uncached) continue;
        if (earlier->active.none()) continue;
        if (earlier->end == 0) find_range(*earlier);
        if (earlier->begin >= next.address + next.length || next.address >= earlier->end) continue;
        for (mask m = earlier->active; m.any(); m = m.without_lowest()) {
            const std::uint64_t at = earlier->address[m.lowest()];
            if (at < next.address + next.length && next.address < at + earlier->element_bytes) return true;
        }
    }
    return false;
}

void load_store_unit::hold(memory_instruction& i) {
    wavefront& w = *i.wave;
    if (w.trying == &i) {
        w.trying = nullptr;
        i.next = w.held;
        w.held = &i;
        if (w.last_held == nullptr) w.last_held = &i;
    } else {
        i.next = nullptr;
        (w.held == nullptr ? w.held : w.last_held->next) = &i;
        w.last_held = &i;
    }
}

// The oldest of the instructions that its wavefront holds back.
void load_store_unit::try_again(wavefront& w) {
    if (w.held == nullptr || w.trying != nullptr) return;
    w.trying = w.held;
    w.held = w.held->next;
    if (w.held == nullptr) w.last_held = nullptr;
    enqueue(*w.trying);
    if (!pump_at_.armed()) pump_at_.arm(std::max(shared_.events.now(), next_send_));
}

// ---- Additional steps of a load/store unit when translation takes time

// A TLB hit is over when the request is made: its time is part of the instruction's issue latency.
void load_store_unit::trace_begin(memory::memory_extension& e, core::sim_time begun, bool translated) const {
    e.times.pass(l1.get_parent_object()->name(), begun);
    if (!translator_) return;
    const core::sim_time now = shared_.events.now();
    e.times.pass(translator_->name(), now - latency_);
    e.times.pass(translator_->tlb().name(), now - latency_);
    if (translated) e.times.pass(translator_->name(), now);
}

void load_store_unit::answered(memory::translation_request& question) {
    request& r = requests_[question.tag];
    memory::memory_extension& e = r.sent->extension();
    e.times.pass(translator_->name(), shared_.events.now());
    if (question.status == memory::translation_status::translated) {
        r.sent->set_address(question.page.physical(question.address));
        r.translation = ++translations_;
        // Asked again, it may have another type.
        if (r.type != memory::memory_type::cached || question.page.type != memory::memory_type::cached)
            pass_caches(r, question.page.type);
        translated_.push(e);
        if (!pump_at_.armed()) pump_at_.arm(std::max(shared_.events.now(), next_send_));
        return;
    }
    e.pop_route();
    machine_.profile.completed(r.kind, false, e);
    owner_.memory_failed(*r.wave, std::make_exception_ptr(page_fault(r, question)));
    complete(question.tag, false);
}

void load_store_unit::accepted(memory::translation_request&, core::sim_time) {
    if (--asking_ == 0 && !pump_at_.armed()) pump_at_.arm(std::max(shared_.events.now(), next_send_));
}

void load_store_unit::send_translated() {
    memory::memory_extension& e = translated_.pop();
    e.milestone(memory::stage::coalescer, shared_.events.now());
    send(requests_[e.last_route()], e.carrier().get_address());
}

// Keeps the order of requests to a page: younger requests wait behind translated_ or behind the same miss.
template <class Which> void load_store_unit::ask_again(Which which) {
    for (std::size_t n = translated_.size(); n > 0; --n) {
        memory::memory_extension& e = translated_.pop();
        const std::uint32_t number = e.last_route();
        request& r = requests_[number];
        if (!which(r)) {
            translated_.push(e);
            continue;
        }
        if (!drains_.empty()) drained(r);
        r.translation = 0;
        e.milestone(memory::stage::coalescer, shared_.events.now());
        e.times.pass(translator_->tlb().name(), shared_.events.now());
        asking_ += translator_->ask(number, r.kind != access_kind::load, e) ? 0 : 1;
    }
}

// Requests that are translated but not sent must not hold up a drain.
void load_store_unit::stop_translated() {
    if (drains_.empty()) return;
    ask_again([this](const request& r) {
        return std::any_of(drains_.begin(), drains_.end(), [&](const range_drain& d) {
            return r.translation <= d.last && d.which.has(r.sent->extension().process, r.line.address);
        });
    });
}

bool load_store_unit::drain(const memory::translation_range& which, core::callback done) {
    if (paused_) ask_again([&](const request& r) { return which.has(r.sent->extension().process, r.line.address); });
    if (outstanding() == 0) return false;  // most units have no requests to the page
    range_drain d{which, done, translations_, 0};
    for (const request& r : requests_)
        if (r.sent != nullptr && r.translation != 0 && which.has(r.sent->extension().process, r.line.address)) ++d.left;
    if (d.left == 0) return false;
    drains_.push_back(d);
    return true;
}

void load_store_unit::drained(const request& r) {
    const std::uint32_t process = r.sent->extension().process;
    for (range_drain& d : drains_)
        if (r.translation != 0 && r.translation <= d.last && d.which.has(process, r.line.address) && --d.left == 0 &&
            d.done.what != nullptr)
            // Not from here: this may be within a call backward, in which nothing may be sent.
            shared_.events.after({}, d.done);
    std::erase_if(drains_, [](const range_drain& d) { return d.left == 0; });
}

void load_store_unit::invalidate(const memory::translation_range& which, std::uint64_t epoch) {
    if (translator_) translator_->tlb().invalidate(which, epoch);
}

core::sim_time load_store_unit::invalidate_latency() const {
    return translator_ ? translator_->tlb().invalidate_latency() : core::sim_time{};
}

// ---- Reports about accesses that fail

access_fault load_store_unit::fault(const wavefront& w, const char* what, std::uint64_t address, unsigned length,
                                    access_fault::reason why, const std::string& wrong,
                                    const std::string& expected) const {
    const cta_context& c = w.cta();
    return {why, c.process, address, shared_.events.now(),
            fmt::format("{} of {} bytes at {:#x}, {}: process {}, GPU {}, unit {}, wavefront {} of CTA {} of kernel "
                        "'{}'; expected {}",
                        what, length, address, wrong, c.process, machine_.map.first() + spec_.socket, spec_.number,
                        w.index(), c.number, c.launch->name(), expected)};
}

access_fault load_store_unit::fault(const wavefront& w, access_kind kind, const line_request& line,
                                    access_fault::reason why, const std::string& wrong,
                                    const std::string& expected) const {
    return fault(w, access_name(kind), line.address, line.length, why, wrong, expected);
}

access_fault load_store_unit::refused_line(const wavefront& w, const char* what,
                                           const tlm::tlm_generic_payload& answered) const {
    return fault(w, what, answered.get_address(), answered.get_data_length(), access_fault::reason::refused,
                 fmt::format("a physical address, answered with {}", pcie::reason_of(answered)), memory_that_has_it);
}

// Reports the first misaligned thread, because the bytes of the line mean nothing here.
void load_store_unit::refuse_misaligned(const wavefront& w, const wave_access& a, const line_request& line) const {
    line_request of_thread;
    of_thread.length = a.element_bytes;
    for (mask m = line.threads; m.any() && of_thread.threads.none(); m = m.without_lowest())
        if (a.address[m.lowest()] % a.element_bytes != 0) {
            of_thread.threads = mask::thread(m.lowest());
            of_thread.address = a.address[m.lowest()];
        }
    throw fault(w, a.kind, of_thread, access_fault::reason::misaligned,
                fmt::format("misaligned in thread {}", of_thread.threads.lowest()),
                fmt::format("an address that is a multiple of {}", a.element_bytes));
}

memory::page_table::location load_store_unit::translate_at_once(const wavefront& w, const wave_access& a,
                                                                const line_request& line) {
    try {
        return machine_.pages.locate(line.address, spec_.socket);
    } catch (const std::out_of_range&) {
        throw fault(w, a.kind, line, access_fault::reason::unmapped, "where nothing is mapped",
                    "an address that is allocated");
    }
}

access_fault load_store_unit::page_fault(const request& r, const memory::translation_request& answered) const {
    using reason = access_fault::reason;
    if (answered.status == memory::translation_status::unmapped)
        return fault(*r.wave, r.kind, r.line, reason::unmapped, "where nothing is mapped",
                     "an address that is allocated");
    if (answered.page.rights == memory::access_rights::none)
        return fault(*r.wave, r.kind, r.line, reason::closed, "in a page that is closed", "a page that may be used");
    return fault(*r.wave, r.kind, r.line, reason::read_only, "in a page for reading only",
                 "a page that may be written");
}

}  // namespace contraflow::gpu
