// SPDX-License-Identifier: Apache-2.0
// The level of a NIC's receive datapath: firmware on its core, the TLM model, or both compared.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "config/fields.h"
#include "nic/receive/datapath_factory.h"
#include "nic_levels/firmware_datapath.h"

namespace contraflow::nic_levels {

enum class receive_level : std::uint8_t { firmware, tlm, lockstep };

// "firmware", "TLM", "firmware and TLM in lockstep": for reports.
constexpr std::string_view title_of(receive_level l) {
    return l == receive_level::firmware ? "firmware" : l == receive_level::tlm ? "TLM" : "firmware and TLM in lockstep";
}
constexpr bool has_core(receive_level l) { return l != receive_level::tlm; }

// The options are for the core; level tlm ignores them. In lockstep the first difference between levels is written to
// `difference`. Both must outlive the factory and its datapaths.
nic::datapath_factory receive_factory(receive_level l, const core_options& options, std::string& difference);

// The firmware that is built with the project.
iss::elf_file built_in_firmware();

}  // namespace contraflow::nic_levels

template <> struct contraflow::config::enum_names<contraflow::nic_levels::receive_level> {
    using e = contraflow::nic_levels::receive_level;
    static constexpr std::array names{std::pair{e::firmware, "firmware"}, std::pair{e::tlm, "tlm"},
                                      std::pair{e::lockstep, "lockstep"}};
};
