// SPDX-License-Identifier: Apache-2.0
#include "torus_nic/programs/program_run.h"

#include <algorithm>

#include <fmt/format.h>

#include "node_programs/program_run.h"

namespace contraflow::torus_nic {
namespace {

class program_bench final : public node_bench {
public:
    program_bench(const experiment& e, const program_choice& p, const run_view& view, program_result& result)
        : node_bench(e, e.node, view, result),
          program_(make_program(p.kind, e.programs, host::torus_positions(e.torus.nodes).all())),
          on_(events(), cluster, *program_, p.p2p),
          result_(result) {}

    void begin() override {
        begin_ = now();
        meter.begin(begin_);
        on_.start();
    }
    void sum_up(core::sim_time end) override {
        const bool ended = on_.finished();
        if (ended) meter.end(on_.ended());
        node_bench::sum_up(end);
        result_.operation = program_->operation();
        result_.counts = program_->counts();
        if (ended) result_.time = on_.ended() - begin_;
    }
    std::string verify() override { return on_.problem(); }

private:
    const std::unique_ptr<node_programs::node_program_if> program_;
    node_programs::program_run on_;
    program_result& result_;
    core::sim_time begin_{};
};

}  // namespace

program_result run_program(const experiment& e, const program_choice& p, const runner::limits& limits,
                           const run_view& view) {
    program_result r;
    r.program = p;
    run_nodes(std::make_unique<program_bench>(e, p, view, r), limits, r);
    return r;
}

std::vector<config::problem> problems_of(const program_spec& s, const host::rdma_node_spec& node,
                                         const net::torus_spec& torus) {
    std::vector<config::problem> found;
    if (s.run.empty()) found.push_back({"there is no program to run", {{"programs.run", "one program or more"}}});
    if (s.p2p.empty()) found.push_back({"no way for messages is given", {{"programs.p2p", "rx_tx, rx or off"}}});
    const bool staged = std::ranges::any_of(s.p2p, [](peer_to_peer p) { return p != peer_to_peer::rx_tx; });
    const auto positions = host::torus_positions(torus.nodes).all();
    const auto in_host = [](std::uint64_t bytes) { return nic::whole_pages(nic::memory_space::host, bytes); };
    const std::uint64_t rings = in_host(host::rdma_process::ring_bytes(node.process.entries));
    for (const program_kind k : s.run) {
        try {
            const std::uint64_t window = make_program(k, s, positions)->window().count;
            if (staged && in_host(window) + rings > node.memory.count)
                found.push_back({fmt::format("{} needs {} of each host for messages through its memory",
                                             config::name_of(k), core::to_text(core::bytes{window})),
                                 {{"node.memory", "more"}, {"programs.p2p", "[rx_tx]"}}});
            if (window <= node.gpu.values.memory.count) continue;
            found.push_back(
                {fmt::format("{} needs {} of each GPU", config::name_of(k), core::to_text(core::bytes{window})),
                 {{"node.gpu.memory", "more"}, {"programs", "smaller parameters"}}});
        } catch (const std::exception& e) {
            found.push_back({fmt::format("{}: {}", config::name_of(k), e.what()),
                             {{"programs", "other parameters"}, {"torus.nodes", "other numbers of nodes"}}});
        }
    }
    return found;
}

}  // namespace contraflow::torus_nic
