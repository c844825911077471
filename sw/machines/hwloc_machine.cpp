// SPDX-License-Identifier: Apache-2.0
#include "machines/hwloc_machine.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include <hwloc.h>

namespace contraflow::machines {
namespace {

struct destroy {
    void operator()(hwloc_topology_t t) const { hwloc_topology_destroy(t); }
};

std::string info(hwloc_obj_t object, const char* key) {
    const char* const value = hwloc_obj_get_info_by_name(object, key);
    return value != nullptr ? value : "";
}

os_device read_os_device(hwloc_obj_t object) {
    os_device os;
    if (object->name != nullptr) os.name = object->name;
    switch (object->attr->osdev.type) {
    case HWLOC_OBJ_OSDEV_BLOCK: os.kind = os_device_kind::storage; break;
    case HWLOC_OBJ_OSDEV_GPU: os.kind = os_device_kind::gpu; break;
    case HWLOC_OBJ_OSDEV_NETWORK: os.kind = os_device_kind::network; break;
    case HWLOC_OBJ_OSDEV_OPENFABRICS: os.kind = os_device_kind::openfabrics; break;
    case HWLOC_OBJ_OSDEV_DMA: os.kind = os_device_kind::dma; break;
    case HWLOC_OBJ_OSDEV_COPROC: os.kind = os_device_kind::coprocessor; break;
    }
    os.vendor = info(object, "GPUVendor");
    os.model = info(object, "GPUModel");
    return os;
}

void read_below(hwloc_obj_t above, std::vector<pci_object>& into, std::vector<os_device>* os_devices) {
    for (hwloc_obj_t child = above->io_first_child; child != nullptr; child = child->next_sibling) {
        if (child->type == HWLOC_OBJ_OS_DEVICE && os_devices != nullptr) os_devices->push_back(read_os_device(child));
        const bool is_bridge =
            child->type == HWLOC_OBJ_BRIDGE && child->attr->bridge.upstream_type == HWLOC_OBJ_BRIDGE_PCI;
        if (!is_bridge && child->type != HWLOC_OBJ_PCI_DEVICE) continue;
        const auto& attributes = is_bridge ? child->attr->bridge.upstream.pci : child->attr->pcidev;
        auto& pci = into.emplace_back();
        pci.is_bridge = is_bridge;
        pci.at = {attributes.domain, attributes.bus, attributes.dev, attributes.func};
        pci.class_code = attributes.class_id;
        pci.vendor_id = attributes.vendor_id;
        pci.device_id = attributes.device_id;
        pci.gb_per_s = attributes.linkspeed;
        pci.vendor = info(child, "PCIVendor");
        pci.model = info(child, "PCIDevice");
        read_below(child, pci.below, &pci.os_devices);
    }
}

// Bandwidths between devices are links beside PCIe. Those between cores or memories are not.
void read_bandwidths(hwloc_topology_t machine, std::vector<bandwidth_matrix>& into) {
    unsigned count = 0;
    constexpr unsigned long kind = HWLOC_DISTANCES_KIND_MEANS_BANDWIDTH;
    if (hwloc_distances_get(machine, &count, nullptr, kind, 0) != 0 || count == 0) return;
    std::vector<hwloc_distances_s*> all(count);
    if (hwloc_distances_get(machine, &count, all.data(), kind, 0) != 0) return;
    all.resize(std::min<std::size_t>(all.size(), count));
    for (hwloc_distances_s* const d : all) {
        const std::span<hwloc_obj_t> objects(d->objs, d->nbobjs);
        const char* const name = hwloc_distances_get_name(machine, d);
        if (name != nullptr && std::ranges::any_of(objects, [](hwloc_obj_t o) {
                return o != nullptr && (o->type == HWLOC_OBJ_OS_DEVICE || o->type == HWLOC_OBJ_PCI_DEVICE);
            }))
            into.push_back({name, d->nbobjs, {d->values, d->values + std::size_t{d->nbobjs} * d->nbobjs}});
        hwloc_distances_release(machine, d);
    }
}

}  // namespace

std::optional<machine_objects> read_this_machine(std::string& failure) {
    // hwloc writes its own complaints to stderr; the caller reports what matters in one line.
    ::setenv("HWLOC_HIDE_ERRORS", "2", 0);
    hwloc_topology_t raw = nullptr;
    const bool made = hwloc_topology_init(&raw) == 0;
    const std::unique_ptr<hwloc_topology, destroy> machine(made ? raw : nullptr);
    // No filter, because it would hide a switch's structure. Devices that are not GPUs or NICs are left out later.
    if (!made || hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL) != 0 ||
        hwloc_topology_load(raw) != 0) {
        failure = std::strerror(errno);
        return std::nullopt;
    }
    machine_objects objects;
    std::map<hwloc_obj_t, std::size_t> packages;
    for (hwloc_obj_t p = nullptr; (p = hwloc_get_next_obj_by_type(raw, HWLOC_OBJ_PACKAGE, p)) != nullptr;) {
        packages.emplace(p, objects.packages.size());
        objects.packages.push_back({p->os_index, info(p, "CPUModel")});
    }
    for (hwloc_obj_t bridge = nullptr; (bridge = hwloc_get_next_bridge(raw, bridge)) != nullptr;) {
        if (bridge->attr->bridge.upstream_type != HWLOC_OBJ_BRIDGE_HOST) continue;
        host_bridge host;
        host.domain = bridge->attr->bridge.downstream.pci.domain;
        host.first_bus = bridge->attr->bridge.downstream.pci.secondary_bus;
        for (hwloc_obj_t above = bridge->parent; above != nullptr; above = above->parent)
            if (const auto found = packages.find(above); found != packages.end()) host.package = found->second;
        read_below(bridge, host.below, nullptr);
        objects.host_bridges.push_back(std::move(host));
    }
    read_bandwidths(raw, objects.bandwidths);
    objects.has_loose_devices = objects.host_bridges.empty() && hwloc_get_next_pcidev(raw, nullptr) != nullptr;
    return objects;
}

}  // namespace contraflow::machines
