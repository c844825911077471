// SPDX-License-Identifier: Apache-2.0
#include "gpu/system/multi_gpu.h"

#include <bit>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "gpu/network/pcie_network.h"

namespace contraflow::gpu {

namespace {

// Users count these GPUs from 1, and their host is in the tree.
gpu_spec from_1(const multi_gpu_spec& s) {
    gpu_spec g = s.gpu;
    g.network.pcie.first_gpu = 1;
    g.network.pcie.host = s.host;
    return g;
}

// One of the DMA engine, and those of the page migration controller.
gpu_spec with_client_ports(gpu_spec s, const multi_gpu_spec& all) {
    s.client_ports = 1 + (all.migrates ? all.migration.ports : 0);
    return s;
}

}  // namespace

std::vector<config::problem> problems_of(const multi_gpu_spec& s) {
    auto found = problems_of(from_1(s));
    if (s.gpu.sockets > most_gpus)
        found.push_back({fmt::format("{} GPUs, where a driver tells {} apart", s.gpu.sockets, most_gpus),
                         {{"gpus", fmt::format("1 to {}", most_gpus)}}});
    const auto bits = static_cast<unsigned>(std::countr_zero(s.gpu.pages.page_size.count));
    if (s.timed() && !memory::is_page_bits(bits))
        found.push_back({fmt::format("a multi-level page table has no pages of {}", to_text(s.gpu.pages.page_size)),
                         {{"page_size", "4KiB, 64KiB or 2MiB"}, {"translation.mode", "instant"}}});
    return found;
}

std::optional<translation_source> multi_gpu::source(const multi_gpu_spec& s, const translation_base& base) {
    config::buildable(s);
    if (!s.timed()) return std::nullopt;
    if (base.table == nullptr || base.below == nullptr)
        throw std::invalid_argument("multi_gpu: timed translation needs page tables, and somebody who walks them");
    return translation_source{s.translation, *base.table, *base.below};
}

multi_gpu::multi_gpu(core::scheduler& events, observe::statistics& statistics, const multi_gpu_spec& s,
                     const translation_base& base, core::sim_time series_window,
                     const link::lane_set_factory& controllers)
    : spec_(s),
      translation_(source(s, base)),
      shared_{events, statistics, payloads_},
      map_(s.gpu.sockets, s.gpu.dram.size, 1, s.gpu.kept_for_code()),
      pages_(statistics, "pages", s.gpu.pages, map_),
      profile_(statistics, "requests"),
      hardware_(shared_, with_client_ports(from_1(s), s), machine_, build_processors(), series_window, controllers) {
    for (unsigned i = 0; i < processors_.size(); ++i) {
        processors_[i]->attach(hardware_.socket(i));
        if (host() != nullptr) processors_[i]->connect_host(hardware_.pcie()->function(i), *host(), i);
    }
    if (s.migrates) build_migration();
}

multi_gpu::~multi_gpu() = default;

pcie_host* multi_gpu::host() { return hardware_.pcie() == nullptr ? nullptr : hardware_.pcie()->host(); }

void multi_gpu::submit(unsigned number, grid_part& p) {
    if (host() == nullptr) return processor(number).submit(p);
    host()->submit(number - 1, {command_kind::launch, 0, p.run().begin, p.run().end, 0, 0}, p);
}

void multi_gpu::submit(unsigned number, copy_part& p) {
    if (host() == nullptr) return processor(number).submit(p);
    const auto kind = p.kind == copy_kind::to_device     ? command_kind::to_device
                      : p.kind == copy_kind::from_device ? command_kind::from_device
                                                         : command_kind::within;
    host()->submit(number - 1, {kind, 0, p.from, p.to, p.host.bus, p.bytes}, p);
}

std::vector<cta_sink_if*> multi_gpu::build_processors() {
    std::vector<cta_sink_if*> sinks;
    command_processor::spec s = spec_.processor;
    s.dma.line = spec_.gpu.l1.line;
    s.dma.cycle = spec_.gpu.cycle();
    for (unsigned i = 0; i < spec_.gpu.sockets; ++i) {
        s.dma.socket = i;
        processors_.push_back(std::make_unique<command_processor>(shared_, fmt::format("gpu{}.cp", i + 1), s,
                                                                  spec_.gpu.dispatcher, spec_.gpu.cycle(),
                                                                  static_cast<kernel_boundary_if&>(*this)));
        sinks.push_back(processors_.back().get());
    }
    return sinks;
}

void multi_gpu::build_migration() {
    page_migration_controller::spec s = spec_.migration;
    s.line = spec_.gpu.l1.line;
    s.cycle = spec_.gpu.cycle();
    access_counters::spec c = spec_.counters;
    c.page = spec_.gpu.pages.page_size;
    for (unsigned i = 0; i < spec_.gpu.sockets; ++i) {
        s.socket = i;
        auto& p = *controllers_.emplace_back(
            std::make_unique<page_migration_controller>(shared_, fmt::format("gpu{}.pmc", i + 1), s));
        for (unsigned port = 0; port < s.ports; ++port) p.connect(hardware_.socket(i).client_port(p, 1 + port));
        if (hardware_.packets() == nullptr) continue;
        c.gpu = i + 1;
        counters_.push_back(
            std::make_unique<access_counters>(shared_.statistics, fmt::format("gpu{}.access_counters", i + 1), c));
        hardware_.socket(i).rdma()->set_counters(counters_.back().get());
    }
}

// Lanes return to the symmetric state only when a kernel begins while no other kernel runs.
bool multi_gpu::kernel_begins(const kernel_launch&) {
    if (running_++ == 0 && hardware_.packets() != nullptr) hardware_.packets()->kernel_launched();
    return true;
}

bool multi_gpu::kernel_ends(const kernel_launch&) {
    --running_;
    return true;
}

std::uint64_t multi_gpu::moved() const {
    std::uint64_t sum = hardware_.moved();
    for (const auto& p : processors_) sum += p->moved();
    for (const auto& c : controllers_) sum += c->moved();
    return sum;
}

std::uint64_t multi_gpu::outstanding() const {
    std::uint64_t sum = hardware_.outstanding();
    for (const auto& p : processors_) sum += p->outstanding();
    for (const auto& c : controllers_) sum += c->idle() ? 0 : 1;
    return sum;
}

bool multi_gpu::idle() const {
    bool rest = hardware_.idle();
    for (const auto& p : processors_) rest &= p->idle();
    if (const auto* const tree = hardware_.pcie(); tree != nullptr && tree->host() != nullptr)
        rest &= std::as_const(*tree).host()->idle();
    for (const auto& c : controllers_) rest &= c->idle();
    return rest;
}

void multi_gpu::check(observe::conservation& checks) const {
    for (const auto& p : processors_) p->check(checks);
    for (const auto& c : controllers_) c->check(checks);
    profile_.check(checks);
    hardware_.check(checks);
}

void multi_gpu::report_waits(std::vector<core::wait_edge>& edges) const {
    for (const auto& p : processors_) p->report_waits(edges);
    for (const auto& c : controllers_) c->report_waits(edges);
    hardware_.report_waits(edges);
}

bool multi_gpu::control(core::control_verb verb) {
    if (verb == core::control_verb::reset) {
        hardware_.control(verb);
        for (const auto& c : controllers_) c->control(verb);
        for (const auto& c : counters_) c->control(verb);
        running_ = 0;
    }
    bool done = false;
    for (const auto& p : processors_) done |= p->control(verb);
    if (verb == core::control_verb::reset && host() != nullptr)
        host()->drop(std::make_exception_ptr(std::runtime_error("the GPU was reset")));
    return done;
}

}  // namespace contraflow::gpu
