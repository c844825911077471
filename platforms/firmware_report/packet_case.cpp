// SPDX-License-Identifier: Apache-2.0
#include "firmware_report/packet_case.h"

#include <fmt/format.h>

#include "face/command_line/invocation.h"
#include "face/run/run_directory.h"

namespace contraflow::firmware_report {

void keep_packet(const nic::receive_case& packet, const nic_levels::chosen_level& level, face::run_context& context) {
    auto& headline = context.report().headline;
    if (!context.out()) {
        headline.push_back("--out keeps that packet alone, as a case of nic_replay.");
        return;
    }
    constexpr const char* file = "packet.json";
    face::write_file(*context.out() / file, nic::to_json(packet));
    headline.push_back(fmt::format("That packet alone, where OUT is the directory of this run: {} OUT/{} --level "
                                   "lockstep --set lockstep.acts={} --set lockstep.compared={}{}",
                                   face::command_of("nic_replay"), file, config::name_of(level.sides.acts),
                                   config::name_of(level.sides.compared),
                                   level.miss == nic_levels::miss_path::firmware ? " --set miss=firmware" : ""));
}

}  // namespace contraflow::firmware_report
