// SPDX-License-Identifier: Apache-2.0
#include "iss/routine_profile.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace contraflow::iss {

routine_profile::routine_profile() { load({}); }

void routine_profile::load(const std::vector<elf_file::symbol>& functions) {
    functions_ = functions;
    waves_ = nullptr;
    functions_.resize(std::min<std::size_t>(functions_.size(), 0xffff - fixed_rows));
    rows_ = {{"(no routine)"}, {"(waits for an interrupt)"}};
    for (const auto& f : functions_) rows_.push_back({f.name});
    reset();
}

routine_profile::routine routine_profile::at(std::uint32_t pc) const {
    auto after = std::upper_bound(functions_.begin(), functions_.end(), pc,
                                  [](std::uint32_t a, const elf_file::symbol& s) { return a < s.address; });
    if (after == functions_.begin()) return unknown;
    const auto index = after - functions_.begin() - 1;
    --after;
    if (after->size > 0 && pc - after->address >= after->size) return unknown;
    return static_cast<routine>(fixed_rows + index);
}

void routine_profile::enter(routine r, bool at_its_first, std::uint64_t cycle) {
    advance(cycle);
    end_trace(cycle);
    if (waves_ != nullptr && r != current_) {
        waves_->set(signals_[current_], clock_.time_of({cycle}), 0);
        waves_->set(signals_[r], clock_.time_of({cycle}), 1);
    }
    current_ = r;
    if (at_its_first) ++rows_[r].entries;
}

void routine_profile::advance(std::uint64_t cycle) {
    rows_[current_].cycles += cycle - now_;
    now_ = cycle;
}

void routine_profile::end_trace(std::uint64_t cycle) {
    if (trace_ && cycle > since_)
        trace_->slice(track_, rows_[current_].name, clock_.time_of({since_}), clock_.time_of({cycle}));
    since_ = cycle;
}

void routine_profile::set_trace(observe::trace* trace, const std::string& process, core::frequency clock) {
    trace_ = trace;
    clock_ = clock;
    if (trace) track_ = trace->track(process, "firmware");
}

void routine_profile::set_waves(observe::wave_sink_if& waves, const std::string& scope, core::frequency clock) {
    waves_ = &waves;
    clock_ = clock;
    signals_.clear();
    std::map<std::string, unsigned> times;
    for (const row& r : rows_) {
        std::string name;
        for (const char c : r.name)
            if (c != '(' && c != ')') name += c == ' ' || c == '.' ? '_' : c;
        // Functions of several files may have the same name.
        if (const unsigned n = ++times[name]; n > 1) name += fmt::format("_{}", n);
        signals_.push_back(waves.add(scope + "." + name, 1));
    }
}

void routine_profile::reset() {
    for (auto& r : rows_) r.cycles = r.entries = 0;
    current_ = unknown;
    now_ = since_ = 0;
}

}  // namespace contraflow::iss
