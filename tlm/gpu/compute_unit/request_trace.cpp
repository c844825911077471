// SPDX-License-Identifier: Apache-2.0
#include "gpu/compute_unit/request_trace.h"

#include <array>

#include <fmt/format.h>

namespace contraflow::gpu {
namespace {

using memory::stage;

// The part of the machine in which a request spends a stage.
const char* place_of(stage s) {
    switch (s) {
    case stage::coalescer:
    case stage::l1:
    case stage::merge: return "unit";
    case stage::crossbar:
    case stage::response_crossbar: return "crossbar";
    case stage::link_queue:
    case stage::link:
    case stage::response_link_queue:
    case stage::response_link: return "links";
    case stage::l2:
    case stage::dram: return "memory";
    case stage::l1_tlb:
    case stage::l2_tlb:
    case stage::gmmu:
    case stage::iommu:
    case stage::page_walk:
    case stage::page_held: return "translation";
    case stage::remote_l2:
    case stage::remote_dram: break;
    }
    return "remote memory";
}

}  // namespace

void trace_window::describe(config::fields<trace_window>& f) {
    time_window::describe(f);
    f("every", &trace_window::every).at_least(1).unit("requests").text("one of every N requests is shown");
}

observe::track_id request_trace::row(const std::string& process, const std::string& thread, core::sim_time begin,
                                     core::sim_time end) {
    auto& ends = rows_[process + '\n' + thread];
    std::size_t i = 0;
    while (i < ends.size() && ends[i] > begin) ++i;
    if (i == ends.size()) ends.push_back(end);
    ends[i] = end;
    return trace_.track(process, i == 0 ? thread : fmt::format("{} ({})", thread, i + 1));
}

bool request_trace::follows(core::sim_time begun) { return shown_.holds(begun) && seen_++ % shown_.every == 0; }

void request_trace::request_completed(access_kind kind, bool remote, const memory::memory_extension& request) {
    if (!request.times.recorded()) return;
    show(fmt::format("cu{}", request.origin.unit), fmt::format("{} {}", remote ? "remote" : "local", access_name(kind)),
         "unit", request, request.virtual_address);
}

void request_trace::code_completed(bool arguments, const memory::memory_extension& request) {
    if (!request.times.recorded()) return;
    const char* const what = arguments ? "arguments" : "code";
    show(fmt::format("cu{} {}", request.origin.unit, what), what, "shader array", request,
         request.carrier().get_address());
}

// `place`: of the stages before the crossbar.
void request_trace::show(const std::string& thread, const std::string& name, const std::string& place,
                         const memory::memory_extension& request, std::uint64_t address) {
    const auto& times = request.times;
    const auto flow = ++shown_requests_;
    const auto socket = fmt::format("gpu{}", request.origin.gpu + first_);
    const auto home = row(socket, thread, times.begun(), times.last());
    trace_.slice(home, name, times.begun(), times.last(),
                 fmt::format(R"({{"address":{},"wave":{}}})", address, request.origin.wave));
    trace_.flow_begin(home, flow, name, times.begun());
    for (const auto& [where, begin, end] : times.stays()) {
        const std::string stage(memory::stage_name(where));
        const std::string_view at = place_of(where);
        const auto track = row(fmt::format("{} {}", socket, at == "unit" ? place : at), stage, begin, end);
        trace_.slice(track, stage, begin, end);
        trace_.flow_step(track, flow, name, begin);
    }
    trace_.flow_end(home, flow, name, times.last());
}

}  // namespace contraflow::gpu
