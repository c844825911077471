// SPDX-License-Identifier: Apache-2.0
#include "remote_memory/run_summary.h"

#include <fmt/format.h>

#include "gpu/network/pcie_network.h"
#include "net/network.h"

namespace contraflow::remote_memory {
namespace {

void add(level_result& to, const memory::tlb_statistics& s) {
    to.hits += s.hits.value();
    to.asked += s.hits.value() + s.misses.value();
}

void add(level_result& to, const memory::cache_statistics& s) {
    to.hits += s.read_hits.value();
    to.asked += s.reads.value();
}

void add_links(std::vector<direction_result>& all, const net::network& n) {
    for (const auto& l : n.links())
        for (const auto d : link::both_directions) {
            const auto& s = l->statistics(d);
            all.push_back({fmt::format("{} {}", l->name(), d == link::direction::ab ? "a to b" : "b to a"),
                           s.payload.value(), s.wire.value(), s.utilisation.value()});
        }
}

// Node 0 is the root: there is no link above it.
void add_tree(std::vector<direction_result>& all, const pcie::link_tree& t, core::sim_time end) {
    for (pcie::node_id n = 1; n < t.nodes().size(); ++n)
        for (const bool up : {true, false}) {
            const auto& s = t.sender({n, up}).statistics();
            const std::uint64_t wire = s.tlp_wire_bytes.value() + s.dllp_wire_bytes.value();
            const double room = t.nodes().link_above(n).bytes_per_s * end.seconds();
            all.push_back({t.nodes().port_name({n, up}), s.payload_bytes.value(), wire,
                           room == 0 ? 0 : static_cast<double>(wire) / room});
        }
}

}  // namespace

core::sim_time migration_result::mean_closed() const {
    using host::migration::step;
    core::sim_time before{};
    for (const step s : {step::notify, step::queue}) before += steps[static_cast<std::size_t>(s)];
    return ended() == 0 ? core::sim_time{} : core::sim_time{(total - before).ps / ended()};
}

core::sim_time migration_result::mean_held() const {
    return policy == host::migration::policy_kind::access_count ? mean_closed() : mean();
}

std::vector<level_result> empty_levels(bool shader_arrays) {
    std::vector<level_result> all{{"unit's TLB"}, {"GPU's TLB"}, {"first level"}, {"second level"}};
    if (shader_arrays) all.insert(all.end(), {{"instructions"}, {"scalars"}});
    return all;
}

std::vector<level_result> levels_of(host::unified_machine& m) {
    auto& gpus = m.gpus();
    auto all = empty_levels(!gpus.gpu(1).shader_arrays().empty());
    auto &l1_tlb = all[0], &l2_tlb = all[1], &l1 = all[2], &l2 = all[3];
    for (unsigned g = 1; g <= gpus.gpus(); ++g) {
        auto& gpu = gpus.gpu(g);
        if (auto* const t = gpu.translation()) {
            add(l2_tlb, t->l2().statistics());
            for (const auto& u : gpu.units())
                if (const auto* const own = u->memory_side().translator()) add(l1_tlb, own->tlb().statistics());
        }
        for (const auto& c : gpu.first_level()) add(l1, c->statistics());
        for (const auto& c : gpu.second_level()) add(l2, c->statistics());
        for (const auto& c : gpu.instruction_caches()) add(all[4], c->statistics());
        for (const auto& c : gpu.scalar_caches()) add(all[5], c->statistics());
    }
    return all;
}

std::vector<direction_result> directions_of(host::unified_machine& m, core::sim_time end) {
    std::vector<direction_result> all;
    if (const auto* const links = m.gpus().network())
        add_links(all, *links);
    else if (const auto* const tree = dynamic_cast<const gpu::pcie_network*>(m.gpus().packets()))
        add_tree(all, tree->tree(), end);
    return all;
}

std::vector<pcie::address_map::row> addresses_of(host::unified_machine& m) {
    const auto* const tree = dynamic_cast<const gpu::pcie_network*>(m.gpus().packets());
    return tree == nullptr ? std::vector<pcie::address_map::row>{} : tree->map().listing();
}

std::uint64_t walks_of(host::unified_machine& m) {
    std::uint64_t all = 0;
    if (m.iommu() != nullptr) all += m.iommu()->walks().statistics().walks.value();
    for (unsigned g = 1; g <= m.gpus().gpus(); ++g)
        if (auto* const t = m.gpus().gpu(g).translation(); t != nullptr && t->own_walkers() != nullptr)
            all += t->own_walkers()->walks().statistics().walks.value();
    return all;
}

migration_result migrations_of(host::unified_machine& m) {
    migration_result r;
    if (m.migrator() == nullptr) return r;
    const auto& s = m.migrator()->statistics();
    r.moved = s.moved.value();
    r.duplicated = s.duplicated.value();
    r.collapsed = s.collapsed.value();
    r.declined = s.declined.value();
    r.failed = s.failed.value();
    r.bytes = s.bytes.value();
    r.outside_window = s.outside_window.value();
    r.pinned = s.pinned.value();
    r.queue_full = s.queue_full.value();
    r.no_frame = s.no_frame.value();
    r.claimed = s.claimed.value();
    r.pins = s.pins.value();
    for (std::size_t i = 0; i < r.steps.size(); ++i) {
        r.steps[i] = {s.step_time[i].value()};
        r.total += r.steps[i];
    }
    return r;
}

access_counts accesses_of(host::unified_machine& m) {
    access_counts a;
    const auto& p = m.gpus().profile();
    for (const auto kind : {gpu::access_kind::load, gpu::access_kind::store, gpu::access_kind::atomic}) {
        a.local += p.count(kind, false);
        a.remote += p.count(kind, true);
    }
    return a;
}

}  // namespace contraflow::remote_memory
