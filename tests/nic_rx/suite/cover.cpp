// SPDX-License-Identifier: Apache-2.0
#include "nic_rx/suite/cover.h"

#include <algorithm>
#include <array>
#include <bit>
#include <initializer_list>
#include <string_view>

#include "lib/suite_if.h"
#include "nic/packet.h"

namespace contraflow::testing {
namespace {

struct names_of_group {
    std::string_view name;
    std::vector<std::string_view> points;
};

const std::vector<names_of_group>& all_names() {
    static const std::vector<names_of_group> names{
#define CF_COVER_POINTS(name, ...) {#name, {__VA_ARGS__}},
#include "nic_rx/suite/cover_points.inc"
#undef CF_COVER_POINTS
    };
    return names;
}

// How many words a packet without payload, and the longest one, have.
constexpr std::size_t longest = 258;

}  // namespace

cover::cover() {
    for (const names_of_group& g : all_names()) counts_.emplace_back(g.points.size());
    const std::string_view set = lib::set_name();
    hit(group::parameter_set, set == "usual" ? 0 : set == "smallest" ? 1 : 2);
}

void cover::write(std::ostream& to) const {
    for (std::size_t g = 0; g < counts_.size(); ++g)
        for (std::size_t i = 0; i < counts_[g].size(); ++i)
            to << all_names()[g].name << '.' << all_names()[g].points[i] << ' ' << counts_[g][i] << '\n';
}

void cover::played(const nic::receive_case& c, const nic::receive_result& r) {
    packets(c);
    writes(c, r);
    if (c.buffers.empty()) hit(group::list, 0);
}

void cover::packets(const nic::receive_case& c) {
    for (const auto& p : c.packets) {
        const std::size_t count = p.size() / nic_rx::word_bytes;
        if (count < 3) hit(group::words, count);
        if (count == longest) hit(group::words, 3);
        if (count > longest) hit(group::words, 4);
    }
}

void cover::writes(const nic::receive_case& c, const nic::receive_result& r) {
    const auto payload = static_cast<std::size_t>(std::countr_zero(c.max_payload / 64));
    const nic::action* before = nullptr;
    for (const nic::action& a : r.actions) {
        if (const auto* w = std::get_if<nic::data_write>(&a)) {
            const bool host = w->space == nic::memory_space::host;
            hit(host ? group::write_host : group::write_gpu, payload);
            const std::uint64_t page = host ? 4096 : 65536, offset = w->address % page;
            const group where = host ? group::offset_host : group::offset_gpu;
            if (offset < 2) hit(where, offset);
            if (offset + w->data.size() == page) hit(where, 2);
            if (!host && (before == nullptr || !std::holds_alternative<nic::window_move>(*before)))
                hit(group::window, 4);
        } else if (const auto* m = std::get_if<nic::window_move>(&a)) {
            hit(group::window, static_cast<std::size_t>(m->space) - 1);
        } else if (const auto* e = std::get_if<nic::completion_event>(&a)) {
            if (e->length == 1) hit(group::length, 0);
            if (e->length == 16) hit(group::length, 1);
            if (e->length == 4096) hit(group::length, 2);
        }
        before = &a;
    }
}

void cover::pressure(const rx_bench::behaviour& how) {
    hit(group::misses_by, how.by_core ? 1 : 0);
    hit(group::ring, how.ring_entries == 1 ? 0 : 1);
    if (!how.patterns) return;
    for (unsigned port = 0; port < rx_bench::ports; ++port)
        hit(static_cast<group>(static_cast<unsigned>(group::word_pressure) + port),
            static_cast<std::size_t>((*how.patterns)[port]));
}

void cover::state(group g, const rx_bench& b) {
    const auto inside = b.inside();
    if (inside.nothing) hit(g, 0);
    if (inside.read_offered) hit(g, 1);
    if (inside.read_waits) hit(g, 2);
    if (g == group::invalidate ? inside.entry_comes : inside.word) hit(g, 3);
    if (inside.write) hit(g, 4);
    if (inside.writes_out) hit(g, 5);
}

void cover::walk(const rx_bench& b) {
    const auto [state, level] = b.walking();
    hit(static_cast<group>(static_cast<unsigned>(group::invalidate_no_walk) + static_cast<unsigned>(state)), level);
}

void cover::full_ring(const rx_bench& b) {
    const auto inside = b.inside();
    const std::array<bool, 5> seen{inside.word, inside.read_offered, inside.read_waits, inside.write,
                                   inside.writes_out};
    if (std::find(seen.begin(), seen.end(), true) == seen.end()) hit(group::ring_full, 0);
    for (std::size_t i = 0; i < seen.size(); ++i)
        if (seen[i]) hit(group::ring_full, i + 1);
}

}  // namespace contraflow::testing
