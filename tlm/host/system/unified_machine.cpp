// SPDX-License-Identifier: Apache-2.0
#include "host/system/unified_machine.h"

#include <bit>

#include <fmt/format.h>

namespace contraflow::host {
namespace {

bool in_time(const memory::walk_spec& s) { return s.kind == memory::walk_kind::memory; }

iommu::spec of_gpus_from_1(iommu::spec s) {
    s.first_gpu = 1;
    return s;
}

bool migrates(const unified_machine::spec& s) {
    return s.gpus.timed() && s.gpus.gpu.sockets > 1 && s.migration.when.policy != migration::policy_kind::never;
}

bool own_walkers_read(const gpu::gpu_translation::spec& s) { return s.has_gmmu && in_time(s.own.walks); }

}  // namespace

// Lanes do not turn by default: numa_gpu studies lanes that turn.
unified_machine::spec::spec() {
    gpus.gpu.pages.page_size = {4096};
    gpus.gpu.network.link.lanes.policy = "static";
    gpus.gpu.network.link.queue = 64;
    gpus.gpu.rdma = {32, {8}};
    gpus.translation.mode = gpu::translation_mode::timed;
    migration.when.policy = host::migration::policy_kind::access_count;
    migration.when.ping_pong.moves = 4;
}

std::vector<config::problem> problems_of(const unified_machine::spec& s) {
    auto found = problems_of(s.gpus);
    constexpr core::bytes least{memory::table_levels * memory::table_bytes};
    if (s.gpus.timed() && s.host_memory.dram.size < least)
        found.push_back({fmt::format("the host's memory, {}, has not even room for a page table of each level",
                                     to_text(s.host_memory.dram.size)),
                         {{"host_memory.dram.size", "at least " + to_text(least)}, {"translation.mode", "instant"}}});
    for (config::problem& p : config::below("host_memory.dram", memory::problems_of(s.host_memory.dram)))
        found.push_back(std::move(p));
    for (config::problem& p : config::below("migration.when", problems_of(s.migration.when)))
        found.push_back(std::move(p));
    return found;
}

// The tables begin at the bottom of the host's memory and may fill it.
unified_machine::translation::translation(const memory::resources& shared, const spec& s)
    : home(shared, s.host_memory, s.gpus.gpu.cycle(), in_time(s.iommu.walks) ? 1 : 0,
           own_walkers_read(s.gpus.translation) ? s.gpus.gpu.sockets : 0),
      table(home, 0, {s.host_memory.dram.size.count / memory::table_bytes * memory::table_bytes}),
      mapper(table, static_cast<unsigned>(std::countr_zero(s.gpus.gpu.pages.page_size.count))),
      walker("iommu", shared, of_gpus_from_1(s.iommu), s.gpus.gpu.cycle(), table) {
    if (walker.walk_port() != nullptr) home.bind_near(*walker.walk_port(), 0);
}

void unified_machine::translation::bind_walkers(gpu::multi_gpu& gpus) {
    for (unsigned g = 1; g <= gpus.gpus(); ++g)
        if (auto* const port = gpus.gpu(g).translation()->walk_port(); port != nullptr) home.bind_far(*port, g - 1);
}

unified_machine::unified_machine(core::scheduler& events, observe::statistics& statistics, const spec& s,
                                 core::sim_time series_window, const link::lane_set_factory& controllers) {
    config::buildable(s);
    gpu::multi_gpu_spec with = s.gpus;
    with.migrates = migrates(s);
    gpu::translation_base base;
    if (s.gpus.timed()) {
        translation_ = std::make_unique<translation>(memory::resources{events, statistics, payloads_}, s);
        base = {&translation_->table, &translation_->walker.requests()};
    }
    gpus_ = std::make_unique<gpu::multi_gpu>(events, statistics, with, base, series_window, controllers);
    if (!translation_) {
        driver_ = std::make_unique<host::driver>(statistics, s.driver, *gpus_);
        return;
    }
    translation_->bind_walkers(*gpus_);
    translation_->shootdowns.emplace(translation_->walker, *gpus_, statistics);
    driver_ = std::make_unique<host::driver>(statistics, s.driver, *gpus_, translation_->mapper);
    driver_->set_shootdown(*translation_->shootdowns);
    if (!with.migrates) return;
    migrator_ = std::make_unique<migration::page_migrator>(
        memory::resources{events, statistics, payloads_}, s.migration,
        migration::page_migrator::parts{*gpus_, translation_->table, translation_->walker, *translation_->shootdowns,
                                        driver_->memory()});
    driver_->set_claims(*migrator_);
}

unified_machine::~unified_machine() = default;

std::uint64_t unified_machine::moved() const {
    return gpus_->moved() + (translation_ ? translation_->walker.walks().statistics().walks.value() : 0) +
           (migrator_ ? migrator_->steps_done() : 0);
}

std::uint64_t unified_machine::outstanding() const {
    return gpus_->outstanding() + (translation_ ? translation_->shootdowns->under_way() : 0) +
           (migrator_ ? migrator_->outstanding() : 0) + (driver_->finished() ? 0 : 1);
}

std::uint64_t unified_machine::payloads_in_flight() const {
    return gpus_->payloads_in_flight() + payloads_.in_flight();
}

bool unified_machine::idle() const {
    return gpus_->idle() && driver_->finished() && (!migrator_ || migrator_->idle()) &&
           (!translation_ ||
            (translation_->walker.idle() && translation_->home.idle() && translation_->shootdowns->under_way() == 0));
}

void unified_machine::check(observe::conservation& checks) const {
    gpus_->check(checks);
    if (migrator_) migrator_->check(checks);
    if (!translation_) return;
    translation_->walker.check(checks);
    translation_->home.check(checks);
    checks.check("payloads of walks taken and given back", "payloads", payloads_.taken(),
                 payloads_.taken() - payloads_.in_flight());
}

void unified_machine::report_waits(std::vector<core::wait_edge>& edges) const {
    driver_->report_waits(edges);
    if (migrator_) migrator_->report_waits(edges);
    gpus_->report_waits(edges);
    if (!translation_) return;
    translation_->shootdowns->report_waits(edges);
    translation_->walker.report_waits(edges);
    translation_->home.report_waits(edges);
}

bool unified_machine::control(core::control_verb verb) {
    // At enable the GPUs are first, so that they are ready for the driver's commands.
    bool done = false;
    if (verb == core::control_verb::enable) done |= gpus_->control(verb);
    done |= driver_->control(verb);
    if (verb != core::control_verb::enable) done |= gpus_->control(verb);
    if (migrator_) migrator_->control(verb);
    if (verb == core::control_verb::reset) driver_->all_invalidated();
    if (!translation_) return done;
    if (verb == core::control_verb::invalidate) translation_->walker.control(verb);
    if (verb == core::control_verb::reset) {
        translation_->walker.control(verb);
        translation_->home.control(verb);
        translation_->shootdowns->reset();
    }
    return done;
}

}  // namespace contraflow::host
