// SPDX-License-Identifier: Apache-2.0
// The lane controllers of a machine's links at one level. Hands out the factory for them, keeps what each was told, and
// catches the first difference between levels: an exception must not cross the SystemC kernel. From then on nothing is
// decided; whoever runs the machine asks for the difference, and stops.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cosim/controller_level.h"
#include "cosim/lane_recording.h"
#include "cosim/level_difference.h"
#include "link/policies.h"

namespace contraflow::cosim {

class controller_set {
public:
    struct link_record {
        std::string name;
        link::lane_spec spec;
        lane_recording events;
    };

    // Recording costs an entry a window with traffic.
    controller_set(controller_level level, bool record) : level_(level), record_(record) {}
    controller_set(const controller_set&) = delete;
    controller_set& operator=(const controller_set&) = delete;

    controller_level level() const { return level_; }
    // For links that do not outlive the set.
    link::lane_controller_factory factory();
    // The machine's run is over; cycle `at` is not part of it. While the links are still there.
    void finish(std::uint64_t at);
    const std::optional<level_difference>& difference() const { return difference_; }
    // Of each link, in the order in which they were made; empty where nothing is recorded.
    const std::vector<std::unique_ptr<link_record>>& records() const { return records_; }

private:
    class watched;

    const controller_level level_;
    const bool record_;
    std::optional<level_difference> difference_;
    std::vector<watched*> handed_out_;  // owned by the links
    std::vector<std::unique_ptr<link_record>> records_;
};

}  // namespace contraflow::cosim
