// SPDX-License-Identifier: Apache-2.0
#include "nic_levels/receive_level.h"

#include <memory>

#include "nic/receive/receive_pipeline.h"
#include "nic_levels/receive_lockstep.h"

// The program itself: the output of the core's linker.
__asm__(".pushsection .rodata\n"
        "contraflow_nic_firmware: .incbin \"" CF_NIC_FIRMWARE "\"\n"
        "contraflow_nic_firmware_end:\n"
        ".popsection\n");
extern "C" {
extern const char contraflow_nic_firmware[];
extern const char contraflow_nic_firmware_end[];
}

namespace contraflow::nic_levels {

nic::datapath_factory receive_factory(receive_level l, const core_options& options, std::string& difference) {
    const nic::datapath_factory firmware = [&options](const nic::datapath_place& place) {
        return std::make_unique<firmware_datapath>(place, options);
    };
    switch (l) {
    case receive_level::firmware: return firmware;
    case receive_level::tlm: return nic::make_hardware_datapath;
    case receive_level::lockstep: break;
    }
    return [firmware, &difference](const nic::datapath_place& place) {
        return std::make_unique<receive_lockstep>(place, named_factory{"firmware", firmware},
                                                  named_factory{"tlm", nic::make_hardware_datapath}, difference);
    };
}

iss::elf_file built_in_firmware() {
    return iss::elf_file::parse({contraflow_nic_firmware, contraflow_nic_firmware_end}, "nic_firmware.elf");
}

}  // namespace contraflow::nic_levels
