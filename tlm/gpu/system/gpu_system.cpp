// SPDX-License-Identifier: Apache-2.0
#include "gpu/system/gpu_system.h"

#include <stdexcept>

namespace contraflow::gpu {
gpu_system::gpu_system(core::scheduler& events, observe::statistics& statistics, const gpu_spec& s,
                       core::sim_time series_window, const link::lane_set_factory& controllers)
    : spec_(config::buildable(s)),
      shared_{events, statistics, payloads_},
      map_(s.sockets, s.dram.size),
      pages_(statistics, "pages", s.pages, map_),
      profile_(statistics, "requests"),
      dispatcher_(events, statistics, "dispatcher", s.dispatcher, s.cycle(), s.sockets),
      memory_(pages_, *this),
      host_(dispatcher_, memory_),
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
    if (verb == core::control_verb::reset)
        dispatcher_.reset(std::make_exception_ptr(std::runtime_error("the GPU was reset")));
    return done;
}

}  // namespace contraflow::gpu
