// SPDX-License-Identifier: Apache-2.0
#include "gpu/system/gpu_system.h"

#include <stdexcept>
#include <utility>

#include "gpu/ppb/path_block.h"

namespace contraflow::gpu {
gpu_system::gpu_system(core::scheduler& events, observe::statistics& statistics, const gpu_spec& s,
                       core::sim_time series_window, const link::lane_set_factory& controllers, const std::string& path)
    : spec_(config::buildable(s)),
      shared_{events, statistics, payloads_},
      map_(s.sockets, s.dram.size, 0, s.kept_for_code()),
      pages_(statistics, path + "pages", s.pages, map_),
      profile_(statistics, path + "requests"),
      dispatcher_(events, statistics, path + "dispatcher", s.dispatcher, s.cycle(), s.sockets),
      memory_(pages_, *this),
      host_(dispatcher_, memory_),
      calls_(events, *this),
      hardware_(shared_, s, machine_, std::vector<cta_sink_if*>(s.sockets, &dispatcher_), series_window, controllers) {
    for (unsigned i = 0; i < s.sockets; ++i)
        for (const auto& u : hardware_.socket(i).units()) dispatcher_.add_unit(i, *u);
    dispatcher_.add_boundary(*this);
}

gpu_system::~gpu_system() = default;

bool gpu_system::kernel_begins(const kernel_launch&) {
    hardware_.invalidate_copies();
    if (hardware_.packets() != nullptr) hardware_.packets()->kernel_launched();
    return true;
}

bool gpu_system::kernel_ends(const kernel_launch& k) {
    if (spec_.kernel_end == kernel_end::keep) return true;
    ending_ = &k;
    write_back();
    return false;
}

void gpu_system::write_back() {
    banks_missing_ = 0;
    for (unsigned i = 0; i < hardware_.sockets(); ++i)
        for (const auto& bank : hardware_.socket(i).second_level()) {
            if (bank->flushing()) return calls_.after<&gpu_system::write_back>(spec_.cycle());  // by another's wish
            ++banks_missing_;
        }
    for (unsigned i = 0; i < hardware_.sockets(); ++i)
        for (const auto& bank : hardware_.socket(i).second_level())
            bank->flush({}, calls_.make<&gpu_system::bank_written_back>());
}

// This may run within a call of the memory system, so the next step has a callback of its own.
void gpu_system::bank_written_back() {
    if (--banks_missing_ == 0) calls_.after<&gpu_system::empty_second_level>({});
}

// The path block comes last: a line that it reads before the write-back has ended may be old.
void gpu_system::empty_second_level() {
    for (unsigned i = 0; i < hardware_.sockets(); ++i)
        for (const auto& bank : hardware_.socket(i).second_level()) bank->invalidate();
    if (path_block_ == nullptr) return kernel_ended();
    path_block_->flush(calls_.make<&gpu_system::kernel_ended>());
}

void gpu_system::kernel_ended() { dispatcher_.boundary_done(*std::exchange(ending_, nullptr)); }

std::uint64_t gpu_system::moved() const { return dispatcher_.ctas_finished() + hardware_.moved(); }

std::uint64_t gpu_system::outstanding() const { return (dispatcher_.idle() ? 0 : 1) + hardware_.outstanding(); }

bool gpu_system::idle() const { return dispatcher_.idle() && hardware_.idle(); }

void gpu_system::settle() { hardware_.settle(); }

void gpu_system::check(observe::conservation& checks) const {
    dispatcher_.check(checks);
    profile_.check(checks);
    hardware_.check(checks);
}

void gpu_system::report_waits(std::vector<core::wait_edge>& edges) const {
    dispatcher_.report_waits(edges);
    hardware_.report_waits(edges);
}

bool gpu_system::control(core::control_verb verb) {
    const bool done = hardware_.control(verb);
    if (verb == core::control_verb::reset) {
        calls_.cancel();
        ending_ = nullptr;
        dispatcher_.reset(std::make_exception_ptr(std::runtime_error("the GPU was reset")));
    }
    return done;
}

}  // namespace contraflow::gpu
