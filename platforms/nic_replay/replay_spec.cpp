// SPDX-License-Identifier: Apache-2.0
#include "nic_replay/replay_spec.h"

namespace contraflow::nic_replay {

void replay_spec::describe(config::fields<replay_spec>& f) {
    f("cases", &replay_spec::cases).text("JSON file of cases, relative to this file");
    f("only", &replay_spec::only).text("plays the case of that name, and no other");
    f("level", &replay_spec::level)
        .text(
            "the receive datapath. firmware: the core looks packets up; tlm: the model of hardware; rtl: the hardware "
            "itself; lockstep: two of them, and their actions compared");
    f("lockstep", &replay_spec::lockstep).text("which levels lockstep compares");
    f("miss", &replay_spec::miss)
        .text("at level rtl, what looks up the pages that the TLBs do not have. hardware: its walker; firmware: the "
              "core, which "
              "then serves commands of the driver and get requests, too");
    f("firmware", &replay_spec::firmware)
        .text("RV32IMC program for the core, an ELF file relative to this file; without, the one that is built in");
    f("core", &replay_spec::core).text("the core, if one of the levels is firmware, or misses are firmware's");
    f("datapath", &replay_spec::datapath)
        .text("sizes and rates of the datapath; max_payload is a case's own, as are buffers and rings where it needs "
              "more");
    f("around", &replay_spec::around).text("the NIC around the datapath");
}

}  // namespace contraflow::nic_replay
