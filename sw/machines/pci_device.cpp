// SPDX-License-Identifier: Apache-2.0
#include "machines/pci_device.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace contraflow::machines {
namespace {

// Displays of class 03, like a GPU, that cannot compute: those of service processors (ASPEED, Matrox) and emulators
// (QEMU).
constexpr std::array<unsigned, 3> display_vendors{0x1a03, 0x102b, 0x1234};

bool has(const pci_object& function, os_device_kind kind) {
    return std::any_of(function.os_devices.begin(), function.os_devices.end(),
                       [&](const auto& os) { return os.kind == kind; });
}

std::string model_of(const pci_object& object) {
    for (const auto& os : object.os_devices)
        if (!os.model.empty()) return os.vendor.empty() ? os.model : fmt::format("{} {}", os.vendor, os.model);
    const auto model =
        object.model.empty() ? fmt::format("[{:04x}:{:04x}]", object.vendor_id, object.device_id) : object.model;
    return object.vendor.empty() ? model : fmt::format("{} {}", object.vendor, model);
}

std::string system_name_of(const std::vector<const pci_object*>& functions) {
    for (const auto kind : {os_device_kind::openfabrics, os_device_kind::network, os_device_kind::storage})
        for (const auto* function : functions)
            for (const auto& os : function->os_devices)
                if (os.kind == kind && !os.name.empty()) return os.name;
    return {};
}

}  // namespace

device_role role_of(const pci_object& function) {
    const bool is_display =
        std::find(display_vendors.begin(), display_vendors.end(), function.vendor_id) != display_vendors.end();
    switch (function.class_code >> 8) {
    case 0x03: return is_display ? device_role::other : device_role::gpu;
    case 0x0b:                           // processor: Xeon Phi
    case 0x12: return device_role::gpu;  // processing accelerator
    case 0x02: return device_role::nic;
    case 0x01: return device_role::storage;
    default: break;
    }
    if (function.class_code == 0x0c06) return device_role::nic;  // InfiniBand, as a serial bus
    if (has(function, os_device_kind::coprocessor)) return device_role::gpu;
    if (has(function, os_device_kind::openfabrics) || has(function, os_device_kind::network)) return device_role::nic;
    return device_role::other;
}

std::string describe(const pci_object& object) {
    return printable(fmt::format("{} {}", to_text(object.at), model_of(object)));
}

pci_device read_device(const std::vector<const pci_object*>& functions) {
    pci_device device;
    const auto* named = functions.front();
    std::string names;
    for (const auto* function : functions) {
        const auto role = role_of(*function);
        if (role < device.role) {  // a GPU's audio function is no device of its own
            device.role = role;
            named = function;
        }
        device.gb_per_s = std::max(device.gb_per_s, function->gb_per_s);
        for (const auto& os : function->os_devices) names += (names.empty() ? "" : ", ") + os.name;
    }
    device.bus = to_text(named->at);
    device.system_name = printable(system_name_of(functions));
    device.about = describe(*named);
    if (!names.empty()) device.about += printable(fmt::format(" ({})", names));
    if (functions.size() > 1) device.about += fmt::format(", {} functions", functions.size());
    return device;
}

}  // namespace contraflow::machines
