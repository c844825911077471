// SPDX-License-Identifier: Apache-2.0
#include "lane_reversal/model/register_model.h"

#include <algorithm>

#include "link/lanes/lane_reversal_registers.h"

namespace contraflow::lane_reversal {

void register_model::reset() {
    written_ = holding_ = parameters_.reset;
    settled_ = true;
    scratch_ = irq_status_ = irq_enable_ = turns_ = windows_ = faults_ = 0;
    busy_ = capacity_ = {};
}

register_model::answer register_model::read(std::uint8_t address, const live& now) const {
    switch (address) {
    case map::id.offset: return {map::id.reset | map::id_lanes.in_place(parameters_.lanes_per_direction)};
    case map::scratch.offset: return {scratch_};
    case map::ctrl.offset:
        return {map::ctrl_enable.in_place(written_.enable) | map::ctrl_guarded.in_place(written_.guarded)};
    case map::sample_time.offset: return {written_.sample_time};
    case map::switch_time.offset: return {written_.switch_time};
    case map::drain.offset: return {written_.drain};
    case map::sync_latency.offset: return {written_.sync_latency};
    case map::threshold.offset: return {written_.threshold};
    case map::min_lanes.offset: return {written_.min_lanes};
    case map::status.offset:
        return {map::status_lanes_ab.in_place(now.lanes.ab) | map::status_lanes_ba.in_place(now.lanes.ba) |
                map::status_turning.in_place(now.turning) | map::status_failed.in_place(now.failed) |
                map::status_pending.in_place(now.pending) | map::status_running.in_place(now.running) |
                map::status_settled.in_place(settled_) | map::status_enabled.in_place(holding_.enable) |
                map::status_guarding.in_place(holding_.guarded) | map::status_under_way.in_place(now.under_way)};
    case map::serving_ab.offset: return {now.serving.ab};
    case map::serving_ba.offset: return {now.serving.ba};
    case map::failed.offset: return {now.failed_lanes};
    case map::irq_status.offset: return {irq_status_};
    case map::irq_enable.offset: return {irq_enable_};
    case map::turns.offset: return {turns_};
    case map::windows.offset: return {windows_};
    case map::faults.offset: return {faults_};
    case map::busy_ab.offset: return {static_cast<std::uint32_t>(busy_.ab)};
    case map::busy_ba.offset: return {static_cast<std::uint32_t>(busy_.ba)};
    case map::capacity_ab.offset: return {static_cast<std::uint32_t>(capacity_.ab)};
    case map::capacity_ba.offset: return {static_cast<std::uint32_t>(capacity_.ba)};
    default: return {0, true};
    }
}

bool register_model::refuses(std::uint8_t address, std::uint32_t data) const {
    const std::uint32_t longest = parameters_.longest_time();
    switch (address) {
    case map::scratch.offset:
    case map::irq_status.offset:
    case map::turns.offset:
    case map::windows.offset:
    case map::faults.offset: return false;
    case map::ctrl.offset:
    case map::irq_enable.offset: return data > 3;
    case map::sample_time.offset: return data < map::sample_time_cycles.least || data > longest;
    case map::switch_time.offset: return data > longest;
    case map::drain.offset: return data > parameters_.longest_path();
    case map::sync_latency.offset: return data < map::sync_latency_cycles.least || data > parameters_.longest_path();
    case map::threshold.offset: return data > 100;
    case map::min_lanes.offset: return data < 1 || data > parameters_.lanes_per_direction;
    default: return true;  // read-only and absent registers
    }
}

void register_model::store(std::uint8_t address, std::uint32_t data) {
    switch (address) {
    case map::scratch.offset: scratch_ = data; return;
    case map::irq_enable.offset: irq_enable_ = data; return;
    case map::ctrl.offset:
        written_.enable = map::ctrl_enable.of(data) != 0;
        written_.guarded = map::ctrl_guarded.of(data) != 0;
        break;
    case map::sample_time.offset: written_.sample_time = data; break;
    case map::switch_time.offset: written_.switch_time = data; break;
    case map::drain.offset: written_.drain = data; break;
    case map::sync_latency.offset: written_.sync_latency = data; break;
    case map::threshold.offset: written_.threshold = data; break;
    case map::min_lanes.offset: written_.min_lanes = data; break;
    default: return;
    }
    settled_ = false;
}

void register_model::clock(const events& e, bool write, std::uint8_t address, std::uint32_t data) {
    constexpr std::uint32_t most = 0xffff;
    const bool takes = write && !refuses(address, data);
    if (e.apply) {
        // A value that is written in this cycle waits for the next time.
        holding_ = written_;
        settled_ = true;
    }
    if (takes && address == map::irq_status.offset) irq_status_ &= ~data;
    if (e.turn) irq_status_ |= map::irq_status_turn.mask();
    if (e.faults > 0) irq_status_ |= map::irq_status_fault.mask();
    // A clearing write also clears an event of the same cycle.
    const auto count = [&](std::uint32_t& value, std::uint8_t at, unsigned more) {
        value = takes && address == at ? 0 : std::min(value + more, most);
    };
    count(turns_, map::turns.offset, e.turn ? 1 : 0);
    count(windows_, map::windows.offset, e.totals ? 1 : 0);
    count(faults_, map::faults.offset, e.faults);
    if (e.totals) {
        busy_ = e.busy;
        capacity_ = e.capacity;
    }
    if (takes) store(address, data);
}

}  // namespace contraflow::lane_reversal
