// SPDX-License-Identifier: Apache-2.0
#include "nic_levels/firmware_datapath.h"

#include <algorithm>
#include <stdexcept>

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
    add(c.work());
}

void core_profile::add(const core_profile& other) {
    packets += other.packets;
    lookup_time += other.lookup_time;
    add(other.rows);
}

void core_profile::add(const std::vector<iss::routine_profile::row>& more) {
    for (const auto& row : more) {
        const auto at = std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.name == row.name; });
        if (at == rows.end()) {
            rows.push_back(row);
        } else {
            at->cycles += row.cycles;
            at->entries += row.entries;
        }
    }
}

nic::core_factory firmware_core(const core_options& options) {
    return [&options](const nic::core_place& place) {
        auto* const made = new nic_core(sc_core::sc_module_name(module_name(place.path).c_str()), place, options.spec,
                                        *options.program);
        made->core().set_debugger(options.debugger);
        made->core().set_trace(options.trace);
        core_profile* const profile = options.profile;
        return std::shared_ptr<nic_core>(made, [profile](nic_core* c) {
            c->core().finish();
            if (profile != nullptr) profile->add(*c);
            delete c;
        });
    };
}

std::shared_ptr<nic_core> core_for(const nic::datapath_place& place, const core_options& options) {
    if (place.core == nullptr) {
        auto made = std::static_pointer_cast<nic_core>(
            firmware_core(options)({place.events, place.path, place.spec, place.tables, false, place.statistics}));
        if (place.waves != nullptr) made->set_waves(*place.waves, place.path + ".core");
        return made;
    }
    if (auto c = std::dynamic_pointer_cast<nic_core>(place.core)) return c;
    throw std::invalid_argument(place.path + ": a receive side with firmware needs a core with firmware");
}

firmware_datapath::firmware_datapath(const nic::datapath_place& place, const core_options& options)
    : client_(place.client),
      alone_(place.core == nullptr),
      made_(core_for(place, options)),
      core_(*made_),
      pipeline_(inner(place), made_) {
    core_.serve(*this);
    if (alone_) core_.connect(*this);
}

// In a NIC the receive side has seen to it that there is room.
bool firmware_datapath::take_message(const nic::core_message& m) {
    if (!alone_) return client_.take_message(m);
    if (core_.message_room() == 0) return false;
    core_.take_message(m);
    return true;
}

void firmware_datapath::set_ring(unsigned ring, const nic::ring_place& place) {
    core_.command(
        {nic::nic_rx_registers::command_opcode_set_ring,
         ring,
         {static_cast<std::uint32_t>(place.base), static_cast<std::uint32_t>(place.base >> 32), place.entries}});
}

}  // namespace contraflow::nic_levels
