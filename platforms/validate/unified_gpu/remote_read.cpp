// SPDX-License-Identifier: Apache-2.0
#include "validate/unified_gpu/remote_read.h"

#include <regex>
#include <stdexcept>
#include <utility>

namespace contraflow::validate {
namespace {

struct part_name {
    std::regex instance;  // within its GPU
    const char* part;
};

remote_read::pass pass_of(const std::string& instance, double ns) {
    static const std::regex of_gpu(R"(gpu(\d+)\.(.+))");
    static const std::vector<part_name> names{
        {std::regex(R"(cu\d+)"), "CU"},
        {std::regex(R"(cu\d+\.translator)"), "translator"},
        {std::regex(R"(cu\d+\.l1_tlb)"), "L1 TLB"},
        {std::regex(R"(l2_tlb)"), "L2 TLB"},
        {std::regex(R"(cu\d+_l1)"), "L1"},
        {std::regex(R"(crossbar)"), "crossbar"},
        {std::regex(R"(rdma\.to_l1\[\d+\])"), "ToL1"},
        {std::regex(R"(rdma\.to_outside)"), "ToOutside"},
        {std::regex(R"(rdma\.to_l2\[\d+\])"), "ToL2"},
        {std::regex(R"(l2_\d+)"), "L2"},
        {std::regex(R"(dram)"), "DRAM"},
    };
    if (instance == "iommu") return {"IOMMU", 0, ns};
    std::smatch found;
    // Links, switches and ports that belong to no GPU.
    if (!std::regex_match(instance, found, of_gpu)) return {"network", 0, ns};
    const auto number = static_cast<unsigned>(std::stoul(found[1]));
    const std::string within = found[2];
    for (const part_name& n : names)
        if (std::regex_match(within, n.instance)) return {n.part, number, ns};
    return {within, number, ns};
}

struct read_watch final : gpu::request_observer_if {
    bool follows(core::sim_time) override { return true; }
    void request_completed(gpu::access_kind kind, bool remote, const memory::memory_extension& request) override {
        if (kind != gpu::access_kind::load) return;
        if (!remote) throw std::logic_error("a read that should have been remote was not");
        const auto ns = [](core::sim_time t) { return static_cast<double>(t.ps) * 1e-3; };
        remote_read r;
        const auto& path = request.times.path();
        for (std::size_t i = 0; i < path.size(); ++i) {
            const core::sim_time next = i + 1 < path.size() ? path[i + 1].at : request.times.last();
            r.path.push_back(pass_of(std::string(path[i].where), ns(next - path[i].at)));
        }
        r.total_ns = ns(request.times.total());
        all.push_back(std::move(r));
    }
    std::vector<remote_read> all;
};

}  // namespace

double remote_read::ns_in(const std::string& part) const {
    double sum = 0;
    for (const pass& p : path)
        if (p.part == part) sum += p.ns;
    return sum;
}

std::vector<remote_read> remote_reads(const host::unified_machine::spec& s, unsigned home,
                                      const std::vector<read_order>& orders, const run_environment& environment) {
    unified_bench bench(s, environment);
    read_watch watch;
    bench.machine.gpus().profile().set_observer(&watch);
    const auto x = bench.array_on(home, 1024);
    const std::uint32_t words = s.gpus.gpu.l1.line.count / sizeof(std::uint32_t);
    auto program = [&]() -> gpu::host_task {
        for (const read_order& o : orders) {
            host::command_queue& queue = bench.queue_on(o.by);
            const std::uint32_t first = o.line * words;
            co_await queue.launch(
                {"read", 1, 1, [=](gpu::wave w) -> gpu::kernel { co_await w.load(x, w.global_ids() + first); }});
        }
    };
    bench.run(program());
    if (watch.all.size() != orders.size()) throw std::runtime_error("a read was not seen");
    return watch.all;
}

host::unified_machine::spec joined_by(gpu::network_kind kind) {
    host::unified_machine::spec s = few_units(4);
    s.gpus.gpu.network.set_kind(kind);
    return s;
}

}  // namespace contraflow::validate
