// SPDX-License-Identifier: Apache-2.0
#include "gpu/compute_unit/request_trace.h"

#include <string_view>

#include <fmt/format.h>

namespace contraflow::gpu {
namespace {

// The instance in which a request was at that time; that of its unit before the first one.
std::string_view part_at(const std::vector<memory::waypoint>& path, core::sim_time at, std::string_view unit) {
    std::string_view part = unit;
    for (const memory::waypoint& w : path) {
        if (w.at > at) break;
        part = w.where;
    }
    return part;
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
    show("requests", fmt::format("{} {}", remote ? "remote" : "local", access_name(kind)), request,
         request.virtual_address);
}

void request_trace::code_completed(bool arguments, const memory::memory_extension& request) {
    if (!request.times.recorded()) return;
    const char* const what = arguments ? "arguments" : "code";
    show(what, what, request, request.carrier().get_address());
}

void request_trace::show(const std::string& what, const std::string& name, const memory::memory_extension& request,
                         std::uint64_t address) {
    const auto& times = request.times;
    const auto flow = ++shown_requests_;
    const auto gpu = fmt::format("gpu{}", request.origin.gpu + first_);
    const auto unit = fmt::format("{}.cu{}", gpu, request.origin.unit);
    const auto home = row(gpu, fmt::format("cu{} {}", request.origin.unit, what), times.begun(), times.last());
    trace_.slice(home, name, times.begun(), times.last(),
                 fmt::format(R"({{"address":{},"wave":{}}})", address, request.origin.wave));
    trace_.flow_begin(home, flow, name, times.begun());
    for (const auto& [where, begin, end] : times.stays()) {
        const std::string part(part_at(times.path(), begin, unit));
        const auto track = row(part.substr(0, part.find('.')), part, begin, end);
        trace_.slice(track, memory::stage_name(where), begin, end);
        trace_.flow_step(track, flow, name, begin);
    }
    trace_.flow_end(home, flow, name, times.last());
}

}  // namespace contraflow::gpu
