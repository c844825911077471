// SPDX-License-Identifier: Apache-2.0
#include "pcie_tree/pci_device.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace contraflow::pcie_tree {
namespace {

// Display controllers of service processors: class 03 like a GPU, but a few MB/s and no peer.
constexpr unsigned vendor_aspeed = 0x1a03;
constexpr unsigned vendor_matrox = 0x102b;

std::string_view info(hwloc_obj_t object, const char* key) {
    const char* const value = hwloc_obj_get_info_by_name(object, key);
    return value != nullptr ? std::string_view(value) : std::string_view();
}

bool has_os_device(hwloc_obj_t device, hwloc_obj_osdev_type_t type) {
    for (hwloc_obj_t os = device->io_first_child; os != nullptr; os = os->next_sibling)
        if (os->type == HWLOC_OBJ_OS_DEVICE && os->attr->osdev.type == type) return true;
    return false;
}

device_role role_of(hwloc_obj_t device) {
    const auto& pci = device->attr->pcidev;
    switch (pci.class_id >> 8) {
    case 0x03:   // display controller
        return pci.vendor_id == vendor_aspeed || pci.vendor_id == vendor_matrox ? device_role::other : device_role::gpu;
    case 0x0b:   // processor: Xeon Phi
    case 0x12:   // processing accelerator
        return device_role::gpu;
    case 0x02: return device_role::nic;
    case 0x01: return device_role::storage;
    case 0x0c:   // serial bus; 0c06 is InfiniBand
        return pci.class_id == 0x0c06 ? device_role::nic : device_role::other;
    default: break;
    }
    if (has_os_device(device, HWLOC_OBJ_OSDEV_COPROC)) return device_role::gpu;
    if (has_os_device(device, HWLOC_OBJ_OSDEV_OPENFABRICS) || has_os_device(device, HWLOC_OBJ_OSDEV_NETWORK))
        return device_role::nic;
    return device_role::other;
}

// "NVIDIA Corporation A100-SXM4-40GB", or "[10de:20b0]" where the export holds no names.
std::string model_of(hwloc_obj_t device) {
    for (hwloc_obj_t os = device->io_first_child; os != nullptr; os = os->next_sibling)
        if (const auto model = info(os, "GPUModel"); !model.empty()) return fmt::format("{} {}", info(os, "GPUVendor"), model);
    const auto& pci = device->type == HWLOC_OBJ_BRIDGE ? device->attr->bridge.upstream.pci : device->attr->pcidev;
    const auto vendor = info(device, "PCIVendor");
    const auto name = info(device, "PCIDevice");
    if (!name.empty()) return vendor.empty() ? std::string(name) : fmt::format("{} {}", vendor, name);
    const auto ids = fmt::format("[{:04x}:{:04x}]", pci.vendor_id, pci.device_id);
    return vendor.empty() ? ids : fmt::format("{} {}", vendor, ids);
}

// The name under which software that moves data knows a NIC or a drive.
std::string system_name_of(const std::vector<hwloc_obj_t>& functions) {
    for (const auto type : {HWLOC_OBJ_OSDEV_OPENFABRICS, HWLOC_OBJ_OSDEV_NETWORK, HWLOC_OBJ_OSDEV_BLOCK})
        for (hwloc_obj_t function : functions)
            for (hwloc_obj_t os = function->io_first_child; os != nullptr; os = os->next_sibling)
                if (os->type == HWLOC_OBJ_OS_DEVICE && os->attr->osdev.type == type && os->name != nullptr) return os->name;
    return {};
}

}  // namespace

std::string bus_id(const hwloc_obj_attr_u::hwloc_pcidev_attr_s& pci) {
    return fmt::format("{:04x}:{:02x}:{:02x}.{:01x}", pci.domain, pci.bus, pci.dev, pci.func);
}

std::string describe_bridge(hwloc_obj_t bridge) {
    return fmt::format("{} {}", bus_id(bridge->attr->bridge.upstream.pci), model_of(bridge));
}

pci_device read_device(const std::vector<hwloc_obj_t>& functions) {
    pci_device device;
    hwloc_obj_t named = functions.front();
    for (hwloc_obj_t function : functions) {
        const auto role = role_of(function);
        if (role < device.role) {   // a GPU's audio function is no device of its own
            device.role = role;
            named = function;
        }
        device.gb_per_s = std::max(device.gb_per_s, static_cast<double>(function->attr->pcidev.linkspeed));
    }
    device.bus = bus_id(named->attr->pcidev);
    device.system_name = system_name_of(functions);
    device.about = fmt::format("{} {}", device.bus, model_of(named));
    std::string names;
    for (hwloc_obj_t function : functions)
        for (hwloc_obj_t os = function->io_first_child; os != nullptr; os = os->next_sibling)
            if (os->type == HWLOC_OBJ_OS_DEVICE && os->name != nullptr)
                names += (names.empty() ? "" : ", ") + std::string(os->name);
    if (!names.empty()) device.about += fmt::format(" ({})", names);
    if (functions.size() > 1) device.about += fmt::format(", {} functions", functions.size());
    return device;
}

}  // namespace contraflow::pcie_tree
