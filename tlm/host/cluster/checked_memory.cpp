// SPDX-License-Identifier: Apache-2.0
#include "host/cluster/checked_memory.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "core/counted.h"
#include "core/little_endian.h"
#include "core/random.h"

namespace contraflow::host {
namespace {

void fill(std::span<std::uint8_t> all, core::random_source& draw) {
    for (std::size_t i = 0; i + sizeof(std::uint64_t) <= all.size(); i += sizeof(std::uint64_t))
        core::store_le<std::uint64_t>(all.data() + i, draw.next());
}

// From `begin` on, the expected bytes and behind them zeros. Memory is large and seldom wrong: only then are bytes
// compared one by one.
std::string difference(const char* what, unsigned node, std::span<const std::uint8_t> real, std::uint64_t begin,
                       std::span<const std::uint8_t> expected) {
    const auto differ = [&](std::size_t i) {
        return real[i] != (i - begin < expected.size() ? expected[i - begin] : std::uint8_t{0});
    };
    const auto rest = real.subspan(begin + expected.size());
    const bool zeros =
        rest.empty() || (rest[0] == 0 && std::memcmp(rest.data(), rest.data() + 1, rest.size() - 1) == 0);
    // Nothing is expected of a memory that nobody has written: such a span has no address.
    if (zeros && (expected.empty() || std::memcmp(real.data() + begin, expected.data(), expected.size()) == 0))
        return {};
    std::size_t at = begin;
    while (!differ(at)) ++at;
    std::size_t count = 0;
    for (std::size_t i = at; i < real.size(); ++i) count += differ(i) ? 1 : 0;
    return fmt::format("{} of node {} at {:#x}: {}", what, node, at,
                       core::counted(count, "byte differs", "bytes differ"));
}

}  // namespace

checked_memory::checked_memory(rdma_cluster& cluster, std::uint64_t seed)
    : cluster_(cluster),
      seed_(seed),
      draw_(seed),
      nodes_(cluster.nodes()) {
    for (unsigned n = 0; n < cluster.nodes(); ++n) nodes_[n].host.begin = cluster.node(n).free_from();
}

std::span<std::uint8_t> checked_memory::real(unsigned node, bool gpu) {
    return gpu ? cluster_.node(node).gpu_memory() : cluster_.node(node).memory();
}

void checked_memory::add(nic::memory_space space, std::uint64_t base, std::uint64_t bytes, pages order,
                         registered when) {
    const std::uint64_t whole = nic::whole_pages(space, bytes);
    for (unsigned n = 0; n < cluster_.nodes(); ++n) {
        node_memory& m = nodes_[n];
        buffers& all = nic::of_gpu(space) ? m.gpu : m.host;
        const std::uint64_t next = all.end();
        rdma_node& at = cluster_.node(n);
        m.regions.push_back(nic::of_gpu(space) ? at.gpu_region(base, next, whole) : at.host_region(base, next, whole));
        const auto bytes_of_it = real(n, nic::of_gpu(space)).subspan(next, whole);
        fill(bytes_of_it, draw_);
        all.expected.insert(all.expected.end(), bytes_of_it.begin(), bytes_of_it.end());
        if (when == registered::by_program) m.by_program.push_back(base);
        rdma_process::region& r = m.regions.back();
        if (order == pages::in_order || !r.apertures.empty()) continue;
        core::random_source draw(seed_ ^ base ^ n);
        core::shuffle(r.pages, draw);
    }
}

void checked_memory::register_all(unsigned node) {
    const node_memory& m = nodes_.at(node);
    for (const auto& r : m.regions)
        if (std::ranges::find(m.by_program, r.base) == m.by_program.end())
            cluster_.node(node).process().register_memory(r);
}

rdma_process::region checked_memory::part(unsigned node, std::uint64_t base, std::uint64_t bytes) const {
    rdma_process::region r = holding(node, base);
    const unsigned bits = nic::page_bits(r.space);
    const std::uint64_t first = (base - r.base) >> bits, count = bytes >> bits;
    if (base != r.base + (first << bits) || bytes != count << bits || count > r.pages.size() - first)
        throw std::out_of_range(
            fmt::format("node {} has no {} bytes in whole pages of one buffer at {:#x}", node, bytes, base));
    const auto cut = [&](std::vector<std::uint64_t>& all) {
        if (!all.empty())
            all = {all.begin() + static_cast<long>(first), all.begin() + static_cast<long>(first + count)};
    };
    cut(r.pages);
    cut(r.apertures);
    r.base = base;
    return r;
}

const rdma_process::region& checked_memory::holding(unsigned node, std::uint64_t address) const {
    for (const auto& r : nodes_.at(node).regions)
        if (address >= r.base && address - r.base < r.pages.size() << nic::page_bits(r.space)) return r;
    throw std::out_of_range(fmt::format("node {} has no buffer at {:#x}", node, address));
}

checked_memory::place checked_memory::find(unsigned node, std::uint64_t address) {
    const rdma_process::region& r = holding(node, address);
    node_memory& m = nodes_[node];
    const std::uint64_t page = 1ull << nic::page_bits(r.space);
    const std::uint64_t in = (address - r.base) % page, at = r.pages[(address - r.base) / page] + in;
    buffers& all = nic::of_gpu(r.space) ? m.gpu : m.host;
    const std::uint64_t offset = nic::of_gpu(r.space) ? at : at - rdma_node::host_base;
    return {all.expected.data() + (offset - all.begin), real(node, nic::of_gpu(r.space)).data() + offset, page - in};
}

rdma_process::put_request checked_memory::put(unsigned source, std::uint64_t from, unsigned target, std::uint64_t to,
                                              std::uint32_t length, std::uint16_t tag) {
    rdma_process::put_request r;
    r.space = holding(source, from).space;
    r.from = from;
    r.target = cluster_.position(target);
    r.to = to;
    r.length = length;
    r.tag = tag;
    expect(target, to, source, from, length);
    return r;
}

void checked_memory::expect(unsigned target, std::uint64_t to, unsigned source, std::uint64_t from,
                            std::uint32_t length) {
    for (std::uint64_t done = 0; done < length;) {
        const place s = find(source, from + done), t = find(target, to + done);
        const std::uint64_t n = std::min({s.left, t.left, length - done});
        std::memmove(t.expected, s.expected, n);
        done += n;
    }
}

std::span<const std::uint8_t> checked_memory::read(unsigned node, std::uint64_t address, std::size_t bytes) {
    return {find(node, address).real, bytes};
}

void checked_memory::write(unsigned node, std::uint64_t address, std::span<const std::uint8_t> bytes) {
    const place p = find(node, address);
    std::ranges::copy(bytes, p.real);
    std::ranges::copy(bytes, p.expected);
}

std::string checked_memory::wrong() const {
    for (unsigned n = 0; n < nodes_.size(); ++n) {
        rdma_node& at = cluster_.node(n);
        const node_memory& m = nodes_[n];
        for (const std::string& text : {difference("host memory", n, at.memory(), m.host.begin, m.host.expected),
                                        difference("GPU memory", n, at.gpu_memory(), 0, m.gpu.expected)})
            if (!text.empty()) return text;
    }
    return {};
}

}  // namespace contraflow::host
