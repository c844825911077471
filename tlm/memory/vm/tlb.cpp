// SPDX-License-Identifier: Apache-2.0
#include "memory/vm/tlb.h"

#include <algorithm>

#include <fmt/format.h>

namespace contraflow::memory {

tlb_entries::tlb_entries(const tlb_spec& s)
    : sets_(s.sets),
      ways_(s.ways),
      replacement_(make_replacement(s.replacement, {s.sets, s.ways, s.seed})) {}

std::uint32_t tlb_entries::place_of(std::uint32_t process, std::uint64_t address, unsigned bits) const {
    const std::uint64_t key = key_of(process, address, bits);
    const std::uint32_t first = first_of(address, bits);
    for (std::uint32_t way = 0; way < ways_; ++way)
        if (keys_[first + way] == key) return first + way;
    return none;
}

const page_translation* tlb_entries::find_in_sets(std::uint32_t process, std::uint64_t address, std::uint64_t small) {
    for (const unsigned bits : page_sizes) {
        if (counts_[code_of(bits)] == 0) continue;
        const std::uint32_t place = place_of(process, address, bits);
        if (place == none) continue;
        remembered_[slot_of(small)] = {small, place};
        use(place);
        return &pages_[place];
    }
    return nullptr;
}

bool tlb_entries::fill(std::uint32_t process, const page_translation& page) {
    if (out_of_reach(process, page.virtual_page)) return false;
    if (keys_.empty()) {
        keys_.resize(std::size_t{sets_} * ways_);
        pages_.resize(keys_.size());
    }
    // Older entries that the page covers are out of date, as is a larger page around it.
    invalidate({process, false, page.virtual_page, page.virtual_page + page.size() - 1});
    const std::uint32_t first = first_of(page.virtual_page, page.bits);
    const std::uint64_t all = ways_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << ways_) - 1;
    std::uint32_t way = 0;
    while (way < ways_ && keys_[first + way] != 0) ++way;
    const bool evicts = way == ways_;
    if (evicts) {
        way = replacement_->victim(first / ways_, all);
        drop(first + way);
    }
    keys_[first + way] = key_of(process, page.virtual_page, page.bits);
    pages_[first + way] = page;
    ++counts_[code_of(page.bits)];
    replacement_->filled(first / ways_, way);
    last_used_ = none;
    return evicts;
}

void tlb_entries::drop(std::uint32_t place) {
    --counts_[code_of(pages_[place].bits)];
    keys_[place] = 0;
    remembered_.fill({});
    last_used_ = none;
}

bool tlb_entries::invalidate(std::uint32_t process, std::uint64_t address) {
    return !out_of_reach(process, address) && invalidate({process, false, address, address}) != 0;
}

// True if the range has so few pages that a look-up for each is cheaper than a pass over all entries.
bool tlb_entries::names_few(const translation_range& which) const {
    constexpr std::uint64_t few = 16;
    return !which.any_process && !out_of_reach(which.process, which.last) &&
           std::all_of(page_sizes.begin(), page_sizes.end(), [&](unsigned bits) {
               return counts_[code_of(bits)] == 0 || (which.last >> bits) - (which.first >> bits) < few;
           });
}

std::size_t tlb_entries::invalidate(const translation_range& which) {
    if (count() == 0) return 0;
    std::size_t gone = 0;
    if (names_few(which)) {
        for (const unsigned bits : page_sizes) {
            if (counts_[code_of(bits)] == 0) continue;
            for (std::uint64_t n = which.first >> bits; n <= which.last >> bits; ++n) {
                const std::uint32_t place = place_of(which.process, n << bits, bits);
                if (place == none) continue;
                drop(place);
                ++gone;
            }
        }
        return gone;
    }
    for (std::uint32_t place = 0; place < keys_.size(); ++place) {
        const page_translation& p = pages_[place];
        const auto process = static_cast<std::uint32_t>(keys_[place] >> 2 & ((1u << process_bits) - 1));
        if (keys_[place] == 0 || !which.meets(process, p.virtual_page, p.virtual_page + p.size() - 1)) continue;
        drop(place);
        ++gone;
    }
    return gone;
}

void tlb_entries::reset() {
    if (count() > 0) std::fill(keys_.begin(), keys_.end(), 0);
    counts_ = {};
    remembered_.fill({});
    last_used_ = none;
    replacement_->reset();
}

namespace {

const tlb_spec& checked(const tlb_spec& s) {
    s.check();
    return s;
}

}  // namespace

tlb::tlb(const sc_core::sc_module_name& name, const resources& shared, const tlb_spec& s, translation_server& below)
    : sc_core::sc_module(name),
      events_(shared.events),
      spec_(checked(s)),
      hit_latency_(s.cycle * s.hit_latency.count),
      fill_latency_(s.cycle * s.fill_latency.count),
      invalidate_latency_(s.cycle * s.invalidate_latency.count),
      levels_above_(shared.events, this->name(), *this, above),
      unit_side_(shared.events, this->name(), *this, unit),
      below_(shared.events, *this, this->name(), below),
      entries_(s),
      statistics_(shared.statistics, this->name()),
      fills_(shared.events, *this),
      serve_(shared.events, *this),
      calls_(shared.events, *this) {}

tlb::~tlb() = default;

// ---- requests

bool tlb::can_take(unsigned side, translation_request* const& request) {
    if (side == above) return intake_.taking && queue_.size() < spec_.queue;
    if (intake_.taking && intake_.serving && (find_permitted(*request) != nullptr || can_admit(*request))) return true;
    stall();
    return false;
}

// A unit's miss is looked up in the moment it is taken, so that younger requests of the unit come after it.
void tlb::take(unsigned side, translation_request* request) {
    if (side == unit) {
        look_up(*request);
        return;
    }
    queue_.push(*request);
    request->pass(name(), events_.now());
    const core::sim_time begin = std::max(events_.now(), next_lookup_);
    next_lookup_ = begin + core::sim_time{spec_.cycle.ps / spec_.lookups};
    request->due = begin + hit_latency_;
    if (!stalled_) arm(queue_.front().due);
}

void tlb::arm(core::sim_time when) {
    if (!serve_.armed()) serve_.arm(std::max(when, events_.now()));
}

void tlb::serve() {
    const core::sim_time now = events_.now();
    const std::uint32_t generation = calls_.generation();
    while (unit_side_.admit_next()) end_stall();
    while (intake_.serving && !queue_.empty()) {
        translation_request& oldest = queue_.front();
        if (oldest.due > now) {
            arm(oldest.due);
            break;
        }
        queue_.pop();
        if (!look_up(oldest)) {
            queue_.push_front(oldest);
            stall();
            break;
        }
        if (calls_.generation() != generation) return;
        end_stall();
    }
    while (levels_above_.admit_next()) {}
    if (!stalled_ && !queue_.empty()) arm(queue_.front().due);
}

bool tlb::look_up(translation_request& request) {
    if (const page_translation* const page = find_permitted(request)) {
        ++statistics_.count.hits;
        answer(request, translation_status::translated, page_translation(*page));
        return true;
    }
    if (!can_admit(request)) return false;
    ++statistics_.count.misses;
    admit(request);
    return true;
}

// Removes a page that does not permit the access.
const page_translation* tlb::find_permitted(const translation_request& request) {
    const page_translation* const page = entries_.find(request.process, request.address);
    if (page == nullptr || page->permits(request.write)) return page;
    return withdraw(request.process, request.address);
}

const page_translation* tlb::withdraw(std::uint32_t process, std::uint64_t address) {
    entries_.invalidate(process, address);
    return nullptr;
}

void tlb::stall() {
    if (stalled_) return;
    stalled_ = true;
    stalled_since_ = events_.now();
}

void tlb::end_stall() {
    if (!stalled_) return;
    stalled_ = false;
    statistics_.count.wait_mshr += (events_.now() - stalled_since_).ps;
}

// ---- the next level

// The number of that page's MSHR, or the number of MSHRs if it has none.
unsigned tlb::miss_of(std::uint64_t key) const {
    if (under_way_ == 0) return static_cast<unsigned>(keys_.size());
    return static_cast<unsigned>(std::find(keys_.begin(), keys_.end(), key) - keys_.begin());
}

bool tlb::can_admit(const translation_request& request) const {
    const unsigned same = miss_of(key_of(request));
    if (same == keys_.size()) return under_way_ < spec_.mshrs;
    const pending& p = *misses_[same];
    // A key lacks the upper bits of an invalid address, so two pages may have the same key.
    const bool other =
        p.question.process != request.process || p.question.address >> page_bits_4k != request.address >> page_bits_4k;
    return !other && p.targets.size() <= spec_.mshr_targets;
}

void tlb::admit(translation_request& request) {
    const std::uint64_t key = key_of(request);
    if (const unsigned same = miss_of(key); same != keys_.size()) {
        misses_[same]->targets.push(request);
        ++statistics_.count.merged;
        return;
    }
    if (free_.empty()) {
        free_.push_back(static_cast<unsigned>(misses_.size()));
        misses_.push_back(std::make_unique<pending>());
        keys_.push_back(no_key);
    }
    const unsigned number = free_.back();
    free_.pop_back();
    pending& p = *misses_[number];
    p.question = {};
    p.question.address = request.address;
    p.question.process = request.process;
    p.question.write = request.write;
    p.question.origin = request.origin;
    p.question.above = &request;
    p.question.tag = number;
    p.needed_epoch = {};
    p.since = events_.now();
    p.targets.push(request);
    keys_[number] = key;
    statistics_.under_way.set(p.since, static_cast<double>(++under_way_));
    ask(p);
}

void tlb::ask(pending& p) {
    ++statistics_.count.asked;
    p.question.spent_in(spec_.level, events_.now());
    below_.send(p.question);
}

void tlb::accepted(translation_request&, core::sim_time since) {
    statistics_.count.wait_next += (events_.now() - since).ps;
}

void tlb::answered(translation_request& request) {
    request.pass(name(), events_.now());
    fills_.push(request, events_.now() + fill_latency_);
}

void tlb::filled(translation_request& question) {
    pending& p = *misses_[question.tag];
    const translation_request got = question;
    // The levels below answer requests from now on with the state after the change.
    const bool again = outdated(p, got);
    p.needed_epoch = {};
    if (again) {
        ++statistics_.count.outdated;
        return ask(p);
    }
    const bool mapped = got.status != translation_status::unmapped;
    const std::uint32_t generation = calls_.generation();
    // A write that arrived after a request for reading asks once more, together with all requests after it.
    const bool all = answer_targets(p, got);
    if (calls_.generation() != generation) return;
    if (!all) {
        p.question.write = true;
        p.question.above = &p.targets.front();
        return ask(p);
    }
    // A large page also answers requests for its other parts, so that no younger request that hits overtakes them.
    // Their own answers will find no target.
    bool keep = mapped && got.page.rights != access_rights::none;
    if (mapped && got.page.bits != page_bits_4k)
        for (std::size_t i = 0; i < keys_.size(); ++i) {
            pending& other = *misses_[i];
            if (keys_[i] == no_key || other.question.process != got.process || !got.page.covers(other.question.address))
                continue;
            other.question.above = nullptr;
            keep &= answer_targets(other, got);  // a write that is left must go before later hits
            if (calls_.generation() != generation) return;
        }
    if (keep && entries_.fill(got.process, got.page)) ++statistics_.count.evictions;
    release(p);
    serve();
}

// Returns false if a target needs more rights than were asked for; that target is then the first one left.
bool tlb::answer_targets(pending& p, const translation_request& got) {
    while (!p.targets.empty()) {
        translation_request& first = p.targets.front();
        const bool mapped = got.status != translation_status::unmapped;
        if (mapped && first.write && !got.page.permits(true) && !got.write) return false;
        p.targets.pop();
        first.share_hold(got, spec_.level);
        answer(first,
               !mapped                         ? translation_status::unmapped
               : got.page.permits(first.write) ? translation_status::translated
                                               : translation_status::protection,
               got.page);
    }
    return true;
}

void tlb::release(pending& p) {
    const core::sim_time now = events_.now();
    statistics_.count.miss_time += (now - p.since).ps;
    keys_[p.question.tag] = no_key;
    free_.push_back(p.question.tag);
    statistics_.under_way.set(now, static_cast<double>(--under_way_));
}

void tlb::answer(translation_request& request, translation_status status, const page_translation& page) {
    request.status = status;
    request.page = page;
    request.spent_in(spec_.level, events_.now());
    if (status != translation_status::translated) ++statistics_.count.refused;
    translation_server::answer(request);
}

// ---- control and questions

void tlb::invalidate(const translation_range& which, std::uint64_t epoch) {
    statistics_.count.invalidated += entries_.invalidate(which);
    for (std::size_t i = 0; i < keys_.size(); ++i) {
        pending& p = *misses_[i];
        if (keys_[i] == no_key) continue;
        for (const unsigned bits : page_sizes) {  // the size of the page is not known yet
            const std::uint64_t offset = (std::uint64_t{1} << bits) - 1;
            std::uint64_t& needed = p.needed_epoch[size_index(bits)];
            if (which.meets(p.question.process, p.question.address & ~offset, p.question.address | offset))
                needed = std::max(needed, epoch);
        }
    }
}

void tlb::invalidate(const translation_range& which, std::uint64_t epoch, core::callback done) {
    invalidate(which, epoch);
    const core::sim_time due = events_.now() + invalidate_latency_;
    acknowledgements_.push_back({due, done});
    calls_.at<&tlb::acknowledge>(due);
}

void tlb::acknowledge() {
    const core::callback done = acknowledgements_.front().done;
    acknowledgements_.erase(acknowledgements_.begin());
    done();
}

bool tlb::control(core::control_verb verb) {
    switch (verb) {
    case core::control_verb::reset: reset(); return true;
    case core::control_verb::invalidate: invalidate(translation_range::all(), any_epoch, {}); return true;
    default: break;
    }
    if (!intake_.control(verb)) return false;
    if (intake_.serving) arm(events_.now());
    stopped_since_ = events_.now();
    return true;
}

void tlb::reset() {
    for (std::size_t i = 0; i < keys_.size(); ++i) {
        misses_[i]->targets.clear();
        if (keys_[i] == no_key) continue;
        keys_[i] = no_key;
        free_.push_back(static_cast<unsigned>(i));
    }
    under_way_ = 0;
    statistics_.under_way.set(events_.now(), 0);
    entries_.reset();
    levels_above_.reset();
    unit_side_.reset();
    queue_.clear();
    below_.reset();
    fills_.reset();
    next_lookup_ = {};
    serve_.cancel();
    calls_.cancel();
    stalled_ = false;
    intake_ = {};
    acknowledgements_.clear();
}

void tlb::report_waits(std::vector<core::wait_edge>& edges) const {
    if (!intake_.taking || !intake_.serving)
        edges.push_back({name(), "to be enabled", name(), stopped_since_});
    else if (stalled_)
        edges.push_back({name(), "an MSHR, or room in one", below_.server_name(), stalled_since_});
    below_.report_waits(edges);
    const pending* oldest = nullptr;
    for (std::size_t i = 0; i < keys_.size(); ++i)
        if (keys_[i] != no_key && (oldest == nullptr || misses_[i]->since < oldest->since)) oldest = misses_[i].get();
    if (oldest != nullptr)
        edges.push_back(
            {name(), fmt::format("the page of {:#x}", oldest->question.address), below_.server_name(), oldest->since});
}

void tlb::check(observe::conservation& checks) const {
    checks.check(fmt::format("{}: requests taken and answered", name()), "requests",
                 levels_above_.taken() + unit_side_.taken(), levels_above_.answered() + unit_side_.answered());
}

}  // namespace contraflow::memory
