// SPDX-License-Identifier: Apache-2.0
// A tree whose endpoints are functions with memory behind BAR 0, and everything that a test may attach to them.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "pcie/device/function.h"
#include "pcie/device/memory_region.h"
#include "pcie/fabric/link_tree.h"
#include "trees.h"

namespace contraflow::pcie::testing {

// Checks that every TLP on every link is legal.
class tlp_rules final : public port_observer_if {
public:
    explicit tlp_rules(const fabric_spec& s) : longest_completion(s.read_completion_boundary.count), spec_(s) {}
    void tlp_sent(unsigned, const tlp& p, core::sim_time, core::sim_time, bool, bool) override {
        ++seen;
        if (p.kind == tlp_kind::completion) {
            broken += p.length > longest_completion || p.length % 4 != 0;
            const std::uint64_t boundary = std::min(longest_completion, spec_.root_complex_payload.count);
            const std::uint32_t bytes = p.length - p.lower_address % 4;
            // All but the last end at a boundary, and none crosses one.
            if (p.length != 0 && p.byte_count > bytes) broken += (p.lower_address + bytes) % boundary != 0;
            return;
        }
        if (p.kind == tlp_kind::atomic) return;
        broken += p.kind == tlp_kind::deferrable_write && p.length > requester::longest_deferrable_write;
        broken += p.address % 4 != 0 || p.length % 4 != 0 || p.length == 0;
        broken += p.address % 4096 + p.length > 4096;
        broken += p.length > (p.kind == tlp_kind::memory_read ? spec_.max_read_request : spec_.max_payload).count;
        broken += p.length == 4 && p.last_enables != 0;
        const bool may_have_gaps = p.length == 4 || (p.length == 8 && p.address % 8 == 0);
        broken += !contiguous(p) && !may_have_gaps;
        broken += p.length > 4 && (p.first_enables == 0 || p.last_enables == 0);
    }
    void dllps_sent(unsigned, unsigned, core::sim_time, core::sim_time) override {}
    void changed(unsigned, const port&, core::sim_time) override {}
    std::uint64_t longest_completion;
    unsigned broken = 0;
    std::uint64_t seen = 0;

private:
    const fabric_spec spec_;
};

struct functions : private requester_user_if {
    static constexpr std::uint64_t memory_bytes = 1u << 16;

    core::simulation sim;
    observe::statistics statistics;
    fabric_spec spec;
    topology nodes;
    address_map map;
    tlp_pool pool;
    std::vector<node_id> ends;
    std::vector<std::vector<std::uint8_t>> memory;
    std::vector<std::unique_ptr<memory_region>> regions;
    std::vector<std::unique_ptr<function>> all;
    std::unique_ptr<link_tree> tree;
    tlp_rules rules;
    std::vector<operation*> ended;  // in order

    static std::vector<function_spec> with_memory(const topology& t) {
        std::vector<function_spec> specs(t.size());
        for (const node_id id : t.endpoints()) specs[id].bars = {{{memory_bytes}, true, "memory"}};
        return specs;
    }
    explicit functions(topology t, const fabric_spec& s = {}, std::uint32_t tags = 64, core::sim_time timeout = {})
        : functions(t, with_memory(t), s, tags, timeout) {}
    functions(topology t, std::vector<function_spec> places, const fabric_spec& s, std::uint32_t tags = 64,
              core::sim_time timeout = {}, bool map_memory = true)
        : spec(s),
          nodes(std::move(t)),
          map(nodes, std::move(places)),
          pool(static_cast<std::uint32_t>(std::max(s.max_payload, s.read_completion_boundary).count)),
          ends(nodes.endpoints()),
          rules(s) {
        spec.non_posted_data = {4096};
        tree = std::make_unique<link_tree>(
            port::resources{sim.events(), statistics}, pool, map, spec,
            [&](node_id id, std::uint32_t, const std::string& name, const port::spec& line) -> device_if& {
                function::spec f;
                f.link = line;
                f.requests.max_payload = static_cast<std::uint32_t>(spec.max_payload.count);
                f.requests.max_read_request = static_cast<std::uint32_t>(spec.max_read_request.count);
                f.requests.tags = tags;
                f.requests.completion_timeout = timeout;
                f.answers.read_completion_boundary = static_cast<std::uint32_t>(spec.read_completion_boundary.count);
                f.latency = spec.endpoint_latency;
                all.push_back(std::make_unique<function>(name.c_str(), port::resources{sim.events(), statistics}, pool,
                                                         f, map.at(id), static_cast<requester_user_if&>(*this)));
                memory.emplace_back(memory_bytes);
                regions.push_back(nullptr);
                return *all.back();
            });
        for (std::size_t i = 0; i < all.size(); ++i) {
            regions[i] = std::make_unique<memory_region>(memory[i]);
            if (map_memory) all[i]->map_bar(0, *regions[i]);
        }
        tree->add_observer(rules);
        sim.run_to(core::sim_time::from_us(1));
    }

    std::uint64_t address(unsigned of, std::uint64_t offset) const { return map.at(ends[of]).bars[0].base + offset; }
    // Starts it and runs until no event is left.
    operation& carry_out(unsigned from, operation& o) {
        all[from]->start(o);
        sim.run();
        return o;
    }
    operation make(operation_kind kind, std::uint64_t to, std::uint64_t length, std::uint8_t* bytes) {
        operation o;
        o.kind = kind;
        o.address = to;
        o.length = length;
        o.buffer = bytes;
        return o;
    }
    void expect_clean() {
        observe::conservation checks;
        tree->check(checks);
        for (const auto& c : checks.checks()) EXPECT_TRUE(c.held()) << c.name << ": " << c.in << " != " << c.out;
        EXPECT_EQ(rules.broken, 0u);
        EXPECT_GT(rules.seen, 0u);
    }

private:
    void finished(operation& o) override { ended.push_back(&o); }
};

// Two functions below a root complex, a switch between one of them and it.
inline topology two_functions() {
    topology t;
    const node_id rc = add_switch(t, no_node, "rc", node_kind::root_complex);
    add_gpus(t, add_switch(t, rc, "sw"), 0, 1);
    add_gpus(t, rc, 1, 1);
    return t;
}

}  // namespace contraflow::pcie::testing
