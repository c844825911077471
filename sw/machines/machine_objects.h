// SPDX-License-Identifier: Apache-2.0
// The PCI part of a machine in hwloc's view, from a live machine or an lstopo export: packages, host bridges, bridges,
// devices, and their names in the operating system. Link speeds in GB/s after line encoding, as hwloc has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace contraflow::machines {

enum class os_device_kind { storage, gpu, network, openfabrics, dma, coprocessor, other };

struct os_device {
    std::string name;  // "card0", "cuda0", "mlx5_0", "eth0", "nvme0n1"
    os_device_kind kind = os_device_kind::other;
    std::string vendor, model;  // for a GPU, if its own library reports them
};

struct pci_address {
    unsigned domain = 0, bus = 0, device = 0, function = 0;
};
// "0000:3b:00.0"
std::string to_text(const pci_address& at);

// A PCI-to-PCI bridge (a port of a root complex or of a switch), or a device's function.
struct pci_object {
    bool is_bridge = false;
    pci_address at;
    unsigned class_code = 0;  // base class and subclass: 0x0302
    unsigned vendor_id = 0, device_id = 0;
    double gb_per_s = 0;        // 0: not known
    std::string vendor, model;  // may be empty
    std::vector<os_device> os_devices;
    std::vector<pci_object> below;
};

struct host_bridge {
    std::optional<std::size_t> package;  // index; none: hwloc doesn't know
    unsigned domain = 0, first_bus = 0;
    std::vector<pci_object> below;
};

// Links between devices beside PCIe: a matrix of hwloc's distances, such as NVLinkBandwidth or XGMIBandwidth.
struct bandwidth_matrix {
    std::string name;
    std::size_t objects = 0;              // GPUs and NVSwitches, a row each
    std::vector<std::uint64_t> mb_per_s;  // row by row; as many as the export gives
    bool complete() const {
        return objects != 0 && mb_per_s.size() % objects == 0 && mb_per_s.size() / objects == objects;
    }
};

struct machine_objects {
    struct package {
        unsigned number = 0;
        std::string model;
    };
    std::vector<package> packages;
    std::vector<host_bridge> host_bridges;
    std::vector<bandwidth_matrix> bandwidths;
    bool has_loose_devices = false;  // PCI devices below no host bridge: the tree between them is not known
};

// Converts a machine's text for a configuration: printable ASCII stays, as in hwloc's exports; anything else becomes
// '?'.
std::string printable(std::string text);

}  // namespace contraflow::machines
