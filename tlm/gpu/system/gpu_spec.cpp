// SPDX-License-Identifier: Apache-2.0
#include "gpu/system/gpu_spec.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pcie/fabric/fault_check.h"

namespace contraflow::gpu {

second_level_spec::second_level_spec() {
    bank.size = {256u << 10};
    bank.ways = 16;
    bank.writes = memory::write_policy::back;
    bank.atomics = memory::atomics_at::here;
    bank.covers = memory::scope::system;
    bank.level = memory::cache_level::l2;
    bank.queue = 16;
    bank.request_queue = 16;
    bank.hit_latency = {30};
    bank.write_backs = 64;  // what a channel of the DRAM takes within its latency
}

// Measured on a V100 ("Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", Jia et al. 2018): 28 cycles
// from the first level, 193 from the second, about 400 from memory. The look-ups of both levels are part of what a miss
// takes. The crossbar causes most of the second level's latency, and its queues hold one flit for each cycle of it. The
// DRAM's overhead is the rest of the time from memory.
gpu_parts::gpu_parts() {
    // As Accel-Sim's model of a V100 has it: with few ways, arrays that are a power of two apart share a set, and the
    // order in which their lines arrive decides what stays.
    l1.ways = 64;
    // As many misses as a unit has requests: Volta's first level has no other limit ("Inside Volta", GTC 2017).
    l1.mshrs = unit.outstanding;
    crossbar.flit = {64};  // what a unit of Volta or GCN gets from the second level in a cycle
    crossbar.latency = crossbar.response_latency = {65};
    crossbar.queue = crossbar.response_queue = 32;
    dram.overhead = core::sim_time::from_ns(122);
}

gpu_spec::gpu_spec() {
    // This queue stands for all buffers before a link: requests wait for the link here, where statistics show it, and
    // do not fill the crossbar.
    network.link.queue = 1024;
}

void second_level_spec::describe(config::fields<second_level_spec>& f) {
    f("banks", &second_level_spec::banks).in(1, 256).text("banks of a socket, each with a port of the crossbar");
    f("bank", &second_level_spec::bank).text("one bank");
    f("remote_ways", &second_level_spec::remote_ways)
        .in(1, 63)
        .text("with coherence remote_caching: the ways of a bank that hold other sockets' lines");
}

namespace {

std::uint64_t sets_of(const memory::cache_spec& c) { return c.size.count / (c.line.count * c.ways); }

}  // namespace

memory::cache_spec gpu_spec::own_bank() const {
    memory::cache_spec c = l2.bank;
    if (!caches_remote()) return c;
    c.ways -= l2.remote_ways;
    c.size = {sets_of(l2.bank) * c.ways * c.line.count};
    return c;
}

memory::cache_spec gpu_spec::remote_bank(unsigned of) const {
    memory::cache_spec c = l2.bank;
    c.ways = l2.remote_ways;
    c.size = {sets_of(l2.bank) * l2.banks / of * c.ways * c.line.count};
    c.writes = memory::write_policy::through;
    c.atomics = memory::atomics_at::next;
    c.covers = memory::scope::device;
    return c;
}

core::bytes gpu_spec::kept_for_code() const {
    if (!shader_array.present()) return {};
    constexpr std::uint64_t least = 64u << 10, kernels = 31;  // of lines of 64 B and the default size
    const std::uint64_t all = std::max(least, kernels * shader_array.kernel_lines().count),
                        page = pages.page_size.count;
    return {(all + page - 1) / page * page + dram.size.count % page};  // it begins on a page
}

// Checks that span several values of a gpu_spec. Each problem names a value that is allowed.

namespace {

using config::below;
using config::problem;
using core::bytes;
using core::to_text;

// Appends the problems of a part to those of the whole.
void add(std::vector<problem>& to, std::vector<problem> more) {
    to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

bool whole_grid(const gpu_spec& s) {
    if (s.network.topology != net::topology::mesh && s.network.topology != net::topology::torus) return true;
    const auto size = s.network.shape(s.sockets);
    return size[0] * size[1] * size[2] == s.sockets;
}

// The highest number of links of a socket.
unsigned links_of_socket(const gpu_spec& s) {
    if (s.network.in_pcie_tree || s.sockets < 2 || !whole_grid(s)) return 1;
    const net::wiring w = net::wired(s.network, s.sockets);
    unsigned most = 0;
    for (unsigned i = 0; i < s.sockets; ++i) most = std::max(most, w.wires_of(i));
    return most;
}

std::vector<problem> counts(const gpu_spec& s) {
    std::vector<problem> found;
    const auto at_least_1 = [&found](unsigned count, const char* path) {
        if (count == 0) found.push_back({"there are none", {{path, "at least 1"}}});
    };
    at_least_1(s.sockets, "gpus");
    at_least_1(s.units, "gpu.units");
    at_least_1(s.l2.banks, "gpu.l2.banks");
    at_least_1(s.rdma_ports, "gpu.rdma_ports");
    if (s.cycle() == core::sim_time{})
        found.push_back({"a cycle is shorter than the picosecond in which time is counted",
                         {{"gpu.clock", "at most " + to_text(core::frequency{1e12})}}});
    return found;
}

// The possible numbers of ways, such as "1, 2, 4"; "" if the size is not a whole number of lines.
std::string possible_ways(const memory::cache_spec& c) {
    std::vector<unsigned> all;
    for (unsigned ways = 1; ways <= memory::most_ways; ++ways)
        if (c.line.count > 0 && c.size.count % (c.line * ways).count == 0) all.push_back(ways);
    return fmt::format("{}", fmt::join(all, ", "));
}

std::vector<problem> whole_sets(const memory::cache_spec& c) {
    const bytes set = c.line * c.ways;
    if (set.count > 0 && c.size.count > 0 && c.size.count % set.count == 0) return {};
    problem p{fmt::format("{} is no whole number of sets of {} lines of {}", to_text(c.size), c.ways, to_text(c.line)),
              {{"size", fmt::format("a multiple of {}", to_text(set))}}};
    if (auto ways = possible_ways(c); !ways.empty()) p.suspects.push_back({"ways", std::move(ways)});
    p.suspects.push_back({"line", fmt::format("one of which {} holds a whole number of sets", to_text(c.size))});
    return {p};
}

// The settings that the coherence protocol requires of the caches.
std::vector<problem> roles(const gpu_spec& s) {
    std::vector<problem> found;
    const auto wrong = [&found](bool is, const char* path, const char* why, const char* allowed) {
        if (is) found.push_back({why, {{path, allowed}}});
    };
    constexpr const char* unseen = "other units would not see what this one writes";
    constexpr const char* home = "the second level of its socket is where a line is up to date";
    const auto& l1 = s.l1;
    const auto& l2 = s.l2.bank;
    wrong(l1.writes != memory::write_policy::through, "gpu.l1.writes", unseen, "through");
    wrong(l1.atomics != memory::atomics_at::next, "gpu.l1.atomics", unseen, "next");
    wrong(l1.covers > memory::scope::group, "gpu.l1.covers", unseen, "wavefront, group");
    wrong(l2.writes != memory::write_policy::back, "gpu.l2.bank.writes", home, "back");
    wrong(l2.atomics != memory::atomics_at::here, "gpu.l2.bank.atomics", home, "here");
    wrong(l2.covers != memory::scope::system, "gpu.l2.bank.covers", home, "system");
    return found;
}

// What is wrong by itself is wrong without shader arrays too: units may be a key of a sweep.
std::vector<problem> shared_caches(const gpu_spec& s) {
    std::vector<problem> found;
    for (const auto& [name, c] :
         {std::pair{"instructions", &s.shader_array.instructions}, {"scalars", &s.shader_array.scalars}}) {
        auto of_cache = whole_sets(*c);
        if (s.shader_array.present() && c->line != s.l2.bank.line)
            of_cache.push_back(
                {fmt::format("the line is {}, and that of l2.bank {}", to_text(c->line), to_text(s.l2.bank.line)),
                 {{"line", to_text(s.l2.bank.line)}}});
        add(found, below("gpu", below("shader_array", below(name, std::move(of_cache)))));
    }
    return found;
}

std::vector<problem> caches(const gpu_spec& s) {
    auto found = roles(s);
    if (s.l1.line != s.l2.bank.line)
        found.push_back({fmt::format("l1.line is {} and l2.bank.line {}; what a unit asks for is a line of both",
                                     to_text(s.l1.line), to_text(s.l2.bank.line)),
                         {{"gpu.l1.line", to_text(s.l2.bank.line)}, {"gpu.l2.bank.line", to_text(s.l1.line)}}});
    add(found, below("gpu", below("l1", whole_sets(s.l1))));
    add(found, shared_caches(s));
    auto l2 = below("gpu", below("l2", below("bank", whole_sets(s.l2.bank))));
    const bool sets_are_whole = l2.empty();
    add(found, std::move(l2));
    if (!s.caches_remote() || !sets_are_whole) return found;

    if (s.l2.remote_ways >= s.l2.bank.ways) {
        found.push_back({fmt::format("of {} ways, {} for other sockets' lines leave none for the own", s.l2.bank.ways,
                                     s.l2.remote_ways),
                         {{"gpu.l2.remote_ways", fmt::format("less than {}", s.l2.bank.ways)},
                          {"gpu.l2.bank.ways", fmt::format("more than {}", s.l2.remote_ways)},
                          {"gpu.coherence", "memory_side"}}});
        return found;
    }
    const std::uint64_t sets = s.l2.bank.size.count / (s.l2.bank.line * s.l2.bank.ways).count * s.l2.banks;
    const std::uint64_t ports = std::uint64_t{s.rdma_ports} * links_of_socket(s);
    if (sets < ports) {
        const std::string more = fmt::format("{} sets or more in all banks together", ports);
        found.push_back(
            {fmt::format("{} ports to links need a set each for other sockets' lines, and all banks together "
                         "have {}",
                         ports, sets),
             {{"gpu.rdma_ports", fmt::format("at most {}", sets / links_of_socket(s))},
              {"gpu.l2.bank.size", more},
              {"gpu.l2.bank.ways", more},
              {"gpu.l2.banks", more},
              {"network.kind", "one with fewer links"},
              {"gpu.coherence", "memory_side"}}});
    }
    return found;
}

std::vector<problem> memories(const gpu_spec& s) {
    std::vector<problem> found;
    if (s.pages.page_size < s.l1.line)
        found.push_back({fmt::format("a page of {} is less than a line", to_text(s.pages.page_size)),
                         {{"page_size", "at least " + to_text(s.l1.line)}}});
    if (const bytes code = s.kept_for_code(); code > bytes{} && s.dram.size < code + s.pages.page_size)
        found.push_back(
            {fmt::format("a memory of {} holds no page beside {} of code", to_text(s.dram.size), to_text(code)),
             {{"gpu.dram.size", "at least " + to_text(code + s.pages.page_size)}, {"gpu.shader_array.units", "0"}}});
    else if (s.dram.size < s.pages.page_size)
        found.push_back(
            {fmt::format("a memory of {} holds no page of {}", to_text(s.dram.size), to_text(s.pages.page_size)),
             {{"gpu.dram.size", "at least " + to_text(s.pages.page_size)},
              {"page_size", "at most " + to_text(s.dram.size)}}});
    for (problem& p : below("gpu.dram", memory::problems_of(s.dram))) found.push_back(std::move(p));
    return found;
}

std::vector<problem> grid_shape(const gpu_spec& s) {
    using net::topology;
    const bool grid =
        !s.network.in_pcie_tree && (s.network.topology == topology::mesh || s.network.topology == topology::torus);
    if (!grid && !s.network.nodes.empty())
        return {{fmt::format("nodes [{}] would be those of a mesh or torus, and the network is {}",
                             fmt::join(s.network.nodes, ", "), network_name(s.network.kind())),
                 {{"network.nodes", "none"}, {"network.kind", "mesh or torus"}}}};
    if (!grid || whole_grid(s)) return {};
    const auto size = s.network.shape(s.sockets);
    const unsigned given = size[0] * size[1] * size[2];
    return {{fmt::format("nodes [{}] of a {} are {}, and there are {} GPUs", fmt::join(s.network.nodes, ", "),
                         config::name_of(s.network.topology), given, s.sockets),
             {{"network.nodes", fmt::format("up to three numbers whose product is {}, or none", s.sockets)},
              {"gpus", fmt::format("{}", given)}}}};
}

std::vector<problem> links(const gpu_spec& s) {
    auto found = link::problems_of(s.network.link, s.cycle());
    if (found.empty()) {
        // The longest packet: a line, a bit for each of its bytes, and a header, in whole phits.
        const std::uint64_t phit = link::phit_bytes(s.network.link, s.cycle());
        const bytes longest{(s.l1.line.count + (s.l1.line.count + 7) / 8 + s.network.link.header.count + phit - 1) /
                            phit * phit};
        if (s.network.link.receive_buffer < longest)
            found.push_back({fmt::format("receive_buffer {} holds no line with its header, {}",
                                         to_text(s.network.link.receive_buffer), to_text(longest)),
                             {{"receive_buffer", "at least " + to_text(longest)},
                              {"header", "so short that a line with it fits into receive_buffer"},
                              {"lane_rate", "so low that a line with its header fits, in whole cycles of a lane"}}});
    }
    found = below("network", below("link", std::move(found)));
    for (problem& p : found)
        if (p.names("network.link.lane_rate") || p.names("network.link.lanes.drain"))
            p.suspects.push_back({"gpu.clock", "one with which the values of network.link go together"});
    return found;
}

std::vector<problem> tree_faults(const pcie_network_spec& s, unsigned sockets) {
    return below("network", below("pcie", below("faults", pcie::problems_of(s.faults, s.tree(sockets)))));
}

}  // namespace

std::vector<problem> problems_of(const gpu_spec& s) {
    auto found = counts(s);
    if (found.empty() && s.sockets > 1) add(found, grid_shape(s));
    if (!found.empty()) return found;  // the checks below would divide by them
    add(found, caches(s));
    add(found, memories(s));
    if (s.sockets > 1) add(found, s.network.in_pcie_tree ? tree_faults(s.network.pcie, s.sockets) : links(s));
    return found;
}

}  // namespace contraflow::gpu
