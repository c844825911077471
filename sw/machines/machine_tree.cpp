// SPDX-License-Identifier: Apache-2.0
#include "machines/machine_tree.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "core/counted.h"
#include "machines/link_speed.h"
#include "machines/pci_device.h"

namespace contraflow::machines {
namespace {

constexpr unsigned nvme_lanes = 4;
constexpr std::size_t longest_system_name = 48;

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
    void add_host_bridge(const host_bridge& host, node_spec& root_complex) {
        device_list devices;
        for (const auto& child : host.below) {
            if (child.is_bridge)
                add_below_port(child, root_complex);
            else
                devices.push_back(&child);
        }
        add_devices_on_bus(devices, 0, root_complex);
    }

    void finish(std::vector<std::string>& remarks) const;
    std::size_t left_out() const { return left_out_; }

private:
    using device_list = std::vector<const pci_object*>;

    // The devices on the link below a root port or a switch's downstream port.
    void add_below_port(const pci_object& port, node_spec& above) {
        device_list devices;
        const auto before = above.children.size();
        for (const auto& child : port.below) {
            if (child.is_bridge)
                add_switch(child, port.gb_per_s, above);
            else
                devices.push_back(&child);
        }
        if (devices.empty()) return;
        const auto bus = devices.front()->at.bus;
        const bool one_bus = std::all_of(devices.begin(), devices.end(), [&](auto d) { return d->at.bus == bus; });
        if (above.children.size() > before) {
            // A switch's own functions (its DMA engine), which share the switch's link.
            add_devices_on_bus(devices, port.gb_per_s, above.children.back());
        } else if (one_bus) {
            add_device(devices, port.gb_per_s, above);
        } else {
            // No PCIe link carries two buses: the export left out the nodes between them.
            bridgeless_.push_back(to_text(port.at));
            node_spec between = new_switch(port);
            add_devices_on_bus(devices, 0, between);
            keep_switch(std::move(between), port, 0, above);
        }
    }

    void add_switch(const pci_object& upstream, double port_speed, node_spec& above) {
        node_spec node = new_switch(upstream);
        device_list devices;
        for (const auto& child : upstream.below) {
            if (child.is_bridge)
                add_below_port(child, node);
            else
                devices.push_back(&child);
        }
        add_devices_on_bus(devices, 0, node);
        keep_switch(std::move(node), upstream, port_speed, above);
    }

    node_spec new_switch(const pci_object& upstream) {
        node_spec node;
        node.kind = pcie::node_kind::pcie_switch;
        node.name = unique(fmt::format("switch{}", switches_++));
        node.about = describe(upstream);
        return node;
    }

    void keep_switch(node_spec node, const pci_object& upstream, double port_speed, node_spec& above) {
        if (node.children.empty()) {  // no switch below it was kept either: the number is free again
            names_.erase(node.name);
            --switches_;
            return;
        }
        set_link(node, to_text(upstream.at), upstream.gb_per_s, port_speed, 16);
        above.children.push_back(std::move(node));
    }

    // Devices that share a bus but not a link: one endpoint a device number.
    void add_devices_on_bus(const device_list& devices, double port_speed, node_spec& above) {
        std::vector<device_list> by_device;
        std::map<std::array<unsigned, 3>, std::size_t> index;
        for (const auto* device : devices) {
            const auto [at, fresh] =
                index.try_emplace({device->at.domain, device->at.bus, device->at.device}, by_device.size());
            if (fresh) by_device.emplace_back();
            by_device[at->second].push_back(device);
        }
        for (const auto& functions : by_device) add_device(functions, port_speed, above);
    }

    void add_device(const device_list& functions, double port_speed, node_spec& above) {
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
        if (device.role == device_role::gpu && node.link && node.link->generation == 1) resting_.push_back(node.name);
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
        if (reading->deviation > odd_deviation)
            odd_.push_back(fmt::format("{}: {}", label, pcie::to_text(reading->rate)));
        ambiguous_ = ambiguous_ || reading->ambiguous;
        node.link = reading->rate;
    }

    std::string name_for(const pci_device& device) {
        static constexpr std::array<std::string_view, 4> stems{"gpu", "nic", "disk", "device"};
        const auto role = static_cast<std::size_t>(device.role);
        // GPUs by their number: software counts them in order of bus ids too, and patterns speak of ranks.
        std::string name;
        if (device.role != device_role::gpu) name = device.system_name.substr(0, longest_system_name);
        for (char& c : name)
            if (std::string_view(" ,:#'\"[]{}").find(c) != std::string_view::npos) c = '_';
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
        remarks.push_back(fmt::format(
            "hwloc gives no link speed for {}: such links take the tree's default, the key `link`", listed(unknown_)));
    if (!odd_.empty())
        remarks.push_back(
            fmt::format("hwloc gives a speed that is no PCIe link's, and the nearest is taken, for {}", listed(odd_)));
    if (!differing_.empty())
        remarks.push_back(fmt::format(
            "the two ends of a link report different speeds, and the lower end's is taken: {}", listed(differing_)));
    if (!resting_.empty())
        remarks.push_back(
            fmt::format("{} runs at gen1: idle GPUs lower their link's rate to save power; if so, correct its `link`",
                        listed(resting_)));
    if (!bridgeless_.empty())
        remarks.push_back(
            fmt::format("several buses hang directly below {}: the bridges between are not in the export, and a "
                        "switch is taken to stand there",
                        listed(bridgeless_)));
    if (ambiguous_)
        remarks.push_back("hwloc gives a link's rate, not its generation and width: where several have the same rate "
                          "(gen3 x16, gen4 x8) the widest is taken");
    if (left_out_ > 0)
        remarks.push_back(fmt::format("left out {} neither GPU nor NIC",
                                      core::counted(left_out_, "PCI device that is", "PCI devices that are")));
}

bool has_gpu(const node_spec& node) {
    return node.children.empty() ? node.device == device_role::gpu
                                 : std::any_of(node.children.begin(), node.children.end(), has_gpu);
}

bool is_nvswitch(const pci_object& pci) {
    return !pci.is_bridge && pci.vendor_id == 0x10de && pci.class_code == 0x0680;
}
// Only GPUs of the links' vendor have them: not the one of a board's controller.
bool is_gpu_of(unsigned vendor, const pci_object& pci) {
    return !pci.is_bridge && pci.vendor_id == vendor && role_of(pci) == device_role::gpu;
}

template <class Predicate> std::size_t count_below(const std::vector<pci_object>& objects, Predicate is_one) {
    std::size_t count = 0;
    for (const auto& pci : objects) count += count_below(pci.below, is_one) + (is_one(pci) ? 1 : 0);
    return count;
}

// The rate (MB/s) that all pairs of GPUs have; 0 if they have several.
std::uint64_t rate_of_pairs(const bandwidth_matrix& m) {
    const std::uint64_t common = m.mb_per_s[1];
    for (std::size_t a = 0; a < m.objects; ++a)
        for (std::size_t b = 0; b < m.objects; ++b)
            if (a != b && m.mb_per_s[a * m.objects + b] != common) return 0;
    return common;
}

// The rate (MB/s) that each GPU has to all switches together, where these have rows of their own; 0 if a GPU has
// another one, or lacks a link to one of them.
std::uint64_t rate_to_switches(const bandwidth_matrix& m, std::size_t gpus) {
    const std::size_t switches = m.objects - gpus;
    std::uint64_t common = 0;
    for (std::size_t a = 0; a < m.objects; ++a) {
        std::uint64_t all = 0;
        std::size_t links = 0;
        for (std::size_t b = 0; b < m.objects; ++b) {
            const std::uint64_t rate = a == b ? 0 : m.mb_per_s[a * m.objects + b];
            all += rate;
            links += rate != 0 ? 1 : 0;
        }
        if (links == gpus && links != switches) continue;  // a switch
        if (links != switches || (common != 0 && all != common)) return 0;
        common = all;
    }
    return common;
}

// The rate (MB/s) of a link from each GPU, to a switch or to each other GPU; 0 if they are not all the same, or if the
// matrix has rows that are neither, as of tiles of a GPU.
std::uint64_t common_rate(const bandwidth_matrix& m, std::size_t gpus, bool has_switches) {
    if (gpus < 2 || m.objects < gpus) return 0;
    if (m.objects == gpus) return rate_of_pairs(m);
    return has_switches ? rate_to_switches(m, gpus) : 0;
}

constexpr std::size_t most_gpus = 16;  // of unified_gpu

// What gives a machine with these links, or why none does.
std::string links_offered(const bandwidth_matrix& m, std::size_t gpus, bool has_switches) {
    const std::uint64_t rate = common_rate(m, gpus, has_switches);
    if (rate == 0 || gpus > most_gpus)
        return ". Networks of unified_gpu and numa_gpu have up to 16 GPUs and links that are all equal, so none of "
               "them is this one";
    for (std::uint64_t lanes = 16; lanes > 0; --lanes)
        if (rate % (lanes * 1000) == 0 && rate / lanes <= 1'000'000)
            return fmt::format(". unified_gpu models these links, without PCIe: --set gpus={} --set network.kind={} "
                               "--set network.link.lanes.lanes_per_direction={} --set network.link.lane_rate={}GB/s",
                               gpus, has_switches ? "switch" : "fully_connected", lanes, rate / lanes / 1000);
    return ". unified_gpu and numa_gpu have links of whole GB/s; give them the nearest with network.link";
}

// ": 28 pairs at 300 GB/s", the fastest first; "" if no pair is joined.
std::string rates_of_pairs(const bandwidth_matrix& m) {
    std::map<std::uint64_t, std::size_t, std::greater<>> pairs;
    for (std::size_t a = 0; a < m.objects; ++a)
        for (std::size_t b = a + 1; b < m.objects; ++b)
            if (const auto rate = m.mb_per_s[a * m.objects + b]; rate != 0) ++pairs[rate];
    std::string rates;
    for (const auto& [rate, count] : pairs)
        rates += fmt::format("{}{} at {:.4g} GB/s", rates.empty() ? ": " : ", ", core::counted(count, "pair"),
                             static_cast<double>(rate) * 1e-3);
    return rates;
}

// Links whose matrices hwloc gives in MB/s: its name of the matrix, theirs, theirs aloud, and the vendor of the GPUs.
struct gpu_link {
    std::string_view matrix, name, loud;
    unsigned vendor;
};
constexpr gpu_link nvlink{"NVLinkBandwidth", "NVLink", "NVLINK", 0x10de};
constexpr std::array gpu_links{nvlink, gpu_link{"XGMIBandwidth", "XGMI", "XGMI", 0x1002},
                               gpu_link{"XeLinkBandwidth", "Xe Link", "XE LINK", 0x8086}};

constexpr std::string_view models_of_links = "; numa_gpu and unified_gpu model links between GPUs";

// GPUs that such links join do not send to each other over PCIe: a model of the tree alone answers another question.
std::string left_out(const gpu_link& link, std::size_t switches, std::string_view rates, std::string_view offered) {
    return fmt::format(
        "{} IS LEFT OUT. hwloc shows {} between the GPUs of this machine{}{}. Here all data goes over PCIe, so "
        "transfers between GPUs take much longer than there{}",
        link.loud, link.name, switches == 0 ? "" : ", with " + core::counted(switches, "NVSwitch device"), rates,
        offered);
}

std::string remark_on(const bandwidth_matrix& m, const machine_objects& machine, std::size_t switches) {
    const auto* const link =
        std::find_if(gpu_links.begin(), gpu_links.end(), [&](const gpu_link& known) { return known.matrix == m.name; });
    if (link == gpu_links.end())
        return fmt::format("LINKS BESIDE PCIE ARE LEFT OUT. hwloc shows '{}' between devices of this machine. Here "
                           "all data goes over PCIe, so transfers between them may take much longer than there{}",
                           printable(m.name), models_of_links);
    if (!m.complete()) return left_out(*link, switches, ": its matrix of rates is not complete", models_of_links);
    const std::string rates = rates_of_pairs(m);
    if (rates.empty()) return {};
    std::size_t gpus = 0;
    for (const auto& host : machine.host_bridges)
        gpus += count_below(host.below, [&](const pci_object& pci) { return is_gpu_of(link->vendor, pci); });
    return left_out(*link, switches, rates, links_offered(m, gpus, switches != 0));
}

void add_link_remarks(const machine_objects& machine, std::vector<std::string>& remarks) {
    std::size_t switches = 0;
    for (const auto& host : machine.host_bridges) switches += count_below(host.below, is_nvswitch);
    bool has_nvlink = false;
    for (const auto& m : machine.bandwidths) {
        if (m.objects < 2) continue;  // a GPU alone
        const bool is_nvlink = m.name == nvlink.matrix;
        auto text = remark_on(m, machine, is_nvlink ? switches : 0);
        has_nvlink |= is_nvlink && !text.empty();
        if (!text.empty()) remarks.push_back(std::move(text));
    }
    if (!has_nvlink && switches != 0) remarks.push_back(left_out(nvlink, switches, "", models_of_links));
}

// Root complexes, one per package, in the order of the export.
class root_complexes {
public:
    explicit root_complexes(const machine_objects& machine) : machine_(machine) {}

    node_spec& of(std::optional<std::size_t> package) {
        const auto found = std::find_if(all_.begin(), all_.end(), [&](const auto& p) { return p.first == package; });
        if (found != all_.end()) return found->second;
        auto& added = all_.emplace_back(package, node_spec{}).second;
        added.kind = pcie::node_kind::root_complex;
        if (!package) {
            added.about = "host bridges of no known package";
        } else {
            const auto& p = machine_.packages[*package];
            added.about = printable(fmt::format("package {}{}{}", p.number, p.model.empty() ? "" : ": ", p.model));
        }
        return added;
    }

    // Names the root complexes that have devices below.
    std::vector<node_spec> take() {
        std::vector<node_spec> kept;
        for (auto& [package, node] : all_)
            if (!node.children.empty()) kept.push_back(std::move(node));
        for (std::size_t i = 0; i < kept.size(); ++i) kept[i].name = kept.size() == 1 ? "rc" : fmt::format("rc{}", i);
        return kept;
    }

private:
    const machine_objects& machine_;
    std::vector<std::pair<std::optional<std::size_t>, node_spec>> all_;
};

}  // namespace

imported_tree build_machine_tree(const machine_objects& machine, const import_options& options, std::string& failure) {
    imported_tree result;
    reader read(options);
    root_complexes complexes(machine);
    std::vector<std::string> homeless;
    for (const auto& host : machine.host_bridges) {
        const auto package = machine.packages.size() == 1 ? std::optional<std::size_t>(0) : host.package;
        auto& root_complex = complexes.of(package);
        const auto before = root_complex.children.size();
        read.add_host_bridge(host, root_complex);
        if (!package && machine.packages.size() > 1 && root_complex.children.size() > before)
            homeless.push_back(fmt::format("{:04x}:{:02x}", host.domain, host.first_bus));
    }
    auto kept = complexes.take();
    if (kept.empty()) {
        if (read.left_out() > 0)
            failure = fmt::format("none of its {} PCI devices is a GPU or a NIC", read.left_out());
        else if (machine.has_loose_devices)
            failure =
                "it has PCI devices but no host bridge: the tree between them is not known (lstopo --no-bridges?)";
        else
            failure = "it has no PCI devices (lstopo --no-io?)";
        return result;
    }
    add_link_remarks(machine, result.remarks);
    if (std::none_of(kept.begin(), kept.end(), has_gpu))
        result.remarks.push_back("there is no GPU in it: patterns run between all of its endpoints");
    read.finish(result.remarks);
    if (machine.has_loose_devices) result.remarks.push_back("PCI devices outside all host bridges are left out");
    if (!homeless.empty())
        result.remarks.push_back(
            fmt::format("hwloc doesn't say which package the host bridges {} belong to: they form a "
                        "root complex of their own",
                        listed(homeless)));
    if (kept.size() == 1) {
        result.tree = std::move(kept.front());
        return result;
    }
    result.tree.name = "machine";
    result.tree.kind = pcie::node_kind::machine;
    result.tree.children = std::move(kept);
    result.needs_socket_link = fmt::format(
        "hwloc doesn't say how fast the {} packages are joined: give `socket_link` to let data pass between them",
        result.tree.children.size());
    return result;
}

}  // namespace contraflow::machines
