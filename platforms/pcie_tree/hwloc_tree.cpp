// SPDX-License-Identifier: Apache-2.0
#include "pcie_tree/hwloc_tree.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "pcie_tree/link_speed.h"
#include "pcie_tree/pci_device.h"

namespace contraflow::pcie_tree {
namespace {

constexpr unsigned nvme_lanes = 4;

bool is_pci_bridge(hwloc_obj_t object) {
    return object->type == HWLOC_OBJ_BRIDGE && object->attr->bridge.upstream_type == HWLOC_OBJ_BRIDGE_PCI;
}

// "a, b, c and 12 more"
std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t shown = 6;
    std::string text;
    for (std::size_t i = 0; i < std::min(shown, names.size()); ++i) text += (i > 0 ? ", " : "") + names[i];
    if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
    return text;
}

class reader {
public:
    explicit reader(const import_options& options) : options_(options) {}

    // All host bridges of one package are root ports of one root complex.
    void add_host_bridge(hwloc_obj_t host, node_spec& root_complex) {
        std::vector<hwloc_obj_t> devices;
        for (hwloc_obj_t child = host->io_first_child; child != nullptr; child = child->next_sibling) {
            if (is_pci_bridge(child)) add_below_port(child, root_complex);
            else if (child->type == HWLOC_OBJ_PCI_DEVICE) devices.push_back(child);
        }
        add_devices_on_bus(devices, 0, root_complex);
    }

    void finish(std::vector<std::string>& remarks) const;
    std::size_t left_out() const { return left_out_; }

private:
    // What hangs on the link below a root port or a switch's downstream port.
    void add_below_port(hwloc_obj_t port, node_spec& above) {
        const double port_speed = port->attr->bridge.upstream.pci.linkspeed;
        std::vector<hwloc_obj_t> devices;
        const auto before = above.children.size();
        for (hwloc_obj_t child = port->io_first_child; child != nullptr; child = child->next_sibling) {
            if (child->type == HWLOC_OBJ_PCI_DEVICE) devices.push_back(child);
            else if (is_pci_bridge(child)) add_switch(child, port_speed, above);
        }
        if (devices.empty()) return;
        const auto bus = devices.front()->attr->pcidev.bus;
        const bool one_bus = std::all_of(devices.begin(), devices.end(), [&](auto d) { return d->attr->pcidev.bus == bus; });
        if (above.children.size() > before) {   // a switch's own functions (its DMA engine), which share the switch's link
            add_devices_on_bus(devices, port_speed, above.children.back());
        } else if (one_bus) {
            add_device(devices, port_speed, above);
        } else {   // no PCIe link carries two buses: what stands between was left out of the export
            bridgeless_.push_back(bus_id(port->attr->bridge.upstream.pci));
            node_spec between = new_switch(port);
            add_devices_on_bus(devices, 0, between);
            keep_switch(std::move(between), port, 0, above);
        }
    }

    void add_switch(hwloc_obj_t upstream, double port_speed, node_spec& above) {
        node_spec node = new_switch(upstream);
        std::vector<hwloc_obj_t> devices;
        for (hwloc_obj_t child = upstream->io_first_child; child != nullptr; child = child->next_sibling) {
            if (is_pci_bridge(child)) add_below_port(child, node);
            else if (child->type == HWLOC_OBJ_PCI_DEVICE) devices.push_back(child);
        }
        add_devices_on_bus(devices, 0, node);
        keep_switch(std::move(node), upstream, port_speed, above);
    }

    node_spec new_switch(hwloc_obj_t upstream) {
        node_spec node;
        node.kind = pcie::node_kind::pcie_switch;
        node.name = unique(fmt::format("switch{}", switches_++));
        node.about = describe_bridge(upstream);
        return node;
    }

    void keep_switch(node_spec node, hwloc_obj_t upstream, double port_speed, node_spec& above) {
        if (node.children.empty()) {   // then no switch below it was kept either: the number is free again
            names_.erase(node.name);
            --switches_;
            return;
        }
        const auto& pci = upstream->attr->bridge.upstream.pci;
        set_link(node, bus_id(pci), pci.linkspeed, port_speed, 16);
        above.children.push_back(std::move(node));
    }

    // Devices that share a bus but not a link: one endpoint a device number.
    void add_devices_on_bus(const std::vector<hwloc_obj_t>& devices, double port_speed, node_spec& above) {
        std::vector<std::vector<hwloc_obj_t>> by_device;
        for (hwloc_obj_t device : devices) {
            const auto& pci = device->attr->pcidev;
            const auto same = std::find_if(by_device.begin(), by_device.end(), [&](const auto& group) {
                const auto& other = group.front()->attr->pcidev;
                return other.domain == pci.domain && other.bus == pci.bus && other.dev == pci.dev;
            });
            if (same == by_device.end()) by_device.push_back({device});
            else same->push_back(device);
        }
        for (const auto& functions : by_device) add_device(functions, port_speed, above);
    }

    void add_device(const std::vector<hwloc_obj_t>& functions, double port_speed, node_spec& above) {
        const auto device = read_device(functions);
        const bool wanted = device.role == device_role::gpu || device.role == device_role::nic;
        if (!wanted && !options_.all_devices) {
            ++left_out_;
            return;
        }
        node_spec node;
        node.device = device.role;
        node.about = device.about;
        node.name = name_for(device);
        set_link(node, device.bus, device.gb_per_s, port_speed, device.role == device_role::storage ? nvme_lanes : 16);
        if (device.role == device_role::gpu && node.link && pcie::parse_link_rate(*node.link)->generation == 1)
            resting_.push_back(node.name);
        above.children.push_back(std::move(node));
    }

    void set_link(node_spec& node, const std::string& bus, double lower_end, double upper_end, unsigned most_lanes) {
        const auto label = fmt::format("{} ({})", node.name, bus);
        auto reading = read_link_speed(lower_end, most_lanes);
        const auto from_port = read_link_speed(upper_end, most_lanes);
        if (reading && from_port && reading->rate != from_port->rate)
            differing_.push_back(fmt::format("{}: {} below, {} above", label, pcie::to_text(reading->rate),
                                             pcie::to_text(from_port->rate)));
        if (!reading) reading = from_port;
        if (!reading) {
            unknown_.push_back(label);
            return;
        }
        if (reading->deviation > odd_deviation) odd_.push_back(fmt::format("{}: {}", label, pcie::to_text(reading->rate)));
        ambiguous_ = ambiguous_ || reading->ambiguous;
        node.link = pcie::to_text(reading->rate);
    }

    std::string name_for(const pci_device& device) {
        static constexpr std::array<std::string_view, 4> stems{"gpu", "nic", "disk", "device"};
        const auto role = static_cast<std::size_t>(device.role);
        // GPUs by their number: software counts them in order of bus ids too, and patterns speak of ranks.
        std::string name;
        if (device.role != device_role::gpu)
            for (const char c : device.system_name)
                name += std::string_view(" \t\r\n:,#'\"[]{}").find(c) != std::string_view::npos || static_cast<unsigned char>(c) < 0x20
                    ? '_' : c;
        if (name.empty()) name = fmt::format("{}{}", stems[role], counted_[role]);
        ++counted_[role];
        return unique(std::move(name));
    }

    std::string unique(std::string name) {
        const auto stem = name;
        for (unsigned i = 2; !names_.insert(name).second; ++i) name = fmt::format("{}_{}", stem, i);
        return name;
    }

    const import_options options_;
    unsigned switches_ = 0;
    std::array<unsigned, 4> counted_{};
    std::set<std::string> names_{"machine", "rc"};
    std::size_t left_out_ = 0;
    bool ambiguous_ = false;
    std::vector<std::string> unknown_, odd_, differing_, resting_, bridgeless_;
};

void reader::finish(std::vector<std::string>& remarks) const {
    if (!unknown_.empty())
        remarks.push_back(fmt::format("hwloc gives no link speed for {}: such links take the tree's default, the key `link`",
                                      listed(unknown_)));
    if (!odd_.empty())
        remarks.push_back(fmt::format("hwloc gives a speed that is no PCIe link's, and the nearest is taken, for {}", listed(odd_)));
    if (!differing_.empty())
        remarks.push_back(fmt::format("the two ends of a link report different speeds, and the lower end's is taken: {}",
                                      listed(differing_)));
    if (!resting_.empty())
        remarks.push_back(fmt::format("{} runs at gen1: idle GPUs lower their link's rate to save power; if so, correct its `link`",
                                      listed(resting_)));
    if (!bridgeless_.empty())
        remarks.push_back(fmt::format("several buses hang directly below {}: the bridges between are not in the export, and a "
                                      "switch is taken to stand there", listed(bridgeless_)));
    if (ambiguous_)
        remarks.push_back("hwloc gives a link's rate, not its generation and width: where several have the same rate "
                          "(gen3 x16, gen4 x8) the widest is taken");
    if (left_out_ > 0)
        remarks.push_back(fmt::format("left out {} PCI device{} that {} neither GPU nor NIC", left_out_, left_out_ == 1 ? "" : "s",
                                      left_out_ == 1 ? "is" : "are"));
}

hwloc_obj_t package_of(hwloc_obj_t object) {
    while (object != nullptr && object->type != HWLOC_OBJ_PACKAGE) object = object->parent;
    return object;
}

// The root complex of a package, in the order in which packages are met.
struct package_ports {
    hwloc_obj_t package = nullptr;
    node_spec root_complex;
};

node_spec& root_complex_of(std::vector<package_ports>& all, hwloc_obj_t package) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& p) { return p.package == package; });
    if (found != all.end()) return found->root_complex;
    auto& added = all.emplace_back();
    added.package = package;
    added.root_complex.kind = pcie::node_kind::root_complex;
    if (package != nullptr) {
        const char* const model = hwloc_obj_get_info_by_name(package, "CPUModel");
        added.root_complex.about = fmt::format("package {}{}{}", package->os_index, model != nullptr ? ": " : "", model != nullptr ? model : "");
    } else {
        added.root_complex.about = "host bridges of no known package";
    }
    return added.root_complex;
}

}  // namespace

imported_tree read_tree(hwloc_topology_t machine, const import_options& options, std::string& failure) {
    imported_tree result;
    reader read(options);
    std::vector<package_ports> packages;
    const int package_count = hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_PACKAGE);
    hwloc_obj_t only = package_count == 1 ? hwloc_get_obj_by_type(machine, HWLOC_OBJ_PACKAGE, 0) : nullptr;
    std::vector<std::string> homeless;
    for (hwloc_obj_t bridge = nullptr; (bridge = hwloc_get_next_bridge(machine, bridge)) != nullptr;) {
        if (bridge->attr->bridge.upstream_type != HWLOC_OBJ_BRIDGE_HOST) continue;
        auto* const package = only != nullptr ? only : package_of(bridge->parent);
        auto& root_complex = root_complex_of(packages, package);
        const auto before = root_complex.children.size();
        read.add_host_bridge(bridge, root_complex);
        if (package == nullptr && package_count > 1 && root_complex.children.size() > before)
            homeless.push_back(fmt::format("{:04x}:{:02x}", bridge->attr->bridge.downstream.pci.domain,
                                           bridge->attr->bridge.downstream.pci.secondary_bus));
    }
    packages.erase(std::remove_if(packages.begin(), packages.end(),
                                  [](const auto& p) { return p.root_complex.children.empty(); }),
                   packages.end());
    if (packages.empty()) {
        if (read.left_out() > 0) failure = fmt::format("none of its {} PCI devices is a GPU or a NIC", read.left_out());
        else if (hwloc_get_next_pcidev(machine, nullptr) != nullptr)
            failure = "it has PCI devices but no host bridge: the tree between them is not known (lstopo --no-bridges?)";
        else failure = "it has no PCI devices (lstopo --no-io?)";
        return result;
    }
    read.finish(result.remarks);
    if (!homeless.empty())
        result.remarks.push_back(fmt::format("hwloc doesn't say which package the host bridges {} belong to: they form a root "
                                             "complex of their own", listed(homeless)));
    if (packages.size() == 1) {
        result.tree = std::move(packages.front().root_complex);
        result.tree.name = "rc";
        return result;
    }
    result.tree.name = "machine";
    result.tree.kind = pcie::node_kind::machine;
    for (std::size_t i = 0; i < packages.size(); ++i) {
        packages[i].root_complex.name = fmt::format("rc{}", i);
        result.tree.children.push_back(std::move(packages[i].root_complex));
    }
    result.remarks.push_back(fmt::format("hwloc doesn't say how fast the {} packages are joined: give `socket_link` to let data "
                                         "pass between them", packages.size()));
    return result;
}

}  // namespace contraflow::pcie_tree
