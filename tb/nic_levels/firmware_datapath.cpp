// SPDX-License-Identifier: Apache-2.0
#include "nic_levels/firmware_datapath.h"

#include <algorithm>

namespace contraflow::nic_levels {
namespace {

// A module's name has no dots: "nic.receive" is nic_receive.
std::string module_name(std::string path) {
    std::replace(path.begin(), path.end(), '.', '_');
    return path;
}

}  // namespace

void core_profile::add(const nic_core& c) {
    packets += c.lookups();
    lookup_time += c.lookup_time();
    for (const auto& row : c.work()) {
        const auto at = std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.name == row.name; });
        if (at == rows.end()) {
            rows.push_back(row);
        } else {
            at->cycles += row.cycles;
            at->entries += row.entries;
        }
    }
}

firmware_datapath::firmware_datapath(const nic::datapath_place& place, const core_options& options)
    : client_(place.client),
      profile_(options.profile),
      made_(std::make_unique<nic_core>(sc_core::sc_module_name(module_name(place.path).c_str()), place, options.spec,
                                       *options.program, static_cast<nic_core::client_if&>(*this))),
      core_(*made_),
      pipeline_(inner(place), std::move(made_)) {
    core_.core().set_debugger(options.debugger);
    core_.core().set_trace(options.trace);
    if (place.waves != nullptr) core_.core().set_waves(*place.waves, place.path + ".core");
}

firmware_datapath::~firmware_datapath() {
    core_.core().finish();
    if (profile_ != nullptr) profile_->add(core_);
}

void firmware_datapath::set_ring(unsigned ring, const nic::ring_place& place) {
    core_.command(
        {nic::nic_rx_registers::command_opcode_set_ring,
         ring,
         {static_cast<std::uint32_t>(place.base), static_cast<std::uint32_t>(place.base >> 32), place.entries}});
}

}  // namespace contraflow::nic_levels
