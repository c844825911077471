// SPDX-License-Identifier: Apache-2.0
#include "remote_memory/request_watch.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace contraflow::remote_memory {

using memory::stage;

const char* reach_name(reach r) {
    switch (r) {
    case reach::first_level: return "first level";
    case reach::local: return "own memory";
    case reach::remote: return "another GPU's memory";
    case reach::held: break;
    }
    return "page moving";
}

namespace {

// Buckets of ns; the first step of an octave begins at its power of two.
std::size_t bucket_of(std::uint64_t ns) {
    const std::uint64_t v = ns | 1;
    const auto octave = static_cast<unsigned>(std::bit_width(v)) - 1;
    const std::uint64_t rest = v - (std::uint64_t{1} << octave);
    return octave * request_times::steps + static_cast<std::size_t>(octave < 2 ? 0 : rest >> (octave - 2));
}

double bucket_begin(std::size_t i) {
    const auto octave = static_cast<int>(i / request_times::steps);
    return std::ldexp(1.0 + static_cast<double>(i % request_times::steps) / request_times::steps, octave);
}

reach reach_of(bool remote, const memory::milestones& t) {
    const auto any = [&](stage a, stage b) { return t.spent(a) != core::sim_time{} || t.spent(b) != core::sim_time{}; };
    if (any(stage::page_held, stage::page_held)) return reach::held;
    if (!any(stage::crossbar, stage::response_crossbar)) return reach::first_level;
    return remote ? reach::remote : reach::local;
}

}  // namespace

void request_times::add(const memory::milestones& times) {
    const std::uint64_t ns = times.total().ps / 1000;
    least_ns = count++ == 0 ? ns : std::min(least_ns, ns);
    ++buckets[bucket_of(ns)];
    times.add_to(spent);
}

double request_times::mean_ns() const {
    const auto sum = std::accumulate(spent.begin(), spent.end(), std::uint64_t{0});
    return count == 0 ? 0 : static_cast<double>(sum) * 1e-3 / static_cast<double>(count);
}

double request_times::beyond_unit_ns() const {
    const auto at = [&](stage s) { return spent.begin() + static_cast<std::ptrdiff_t>(s); };
    const auto sum = std::accumulate(at(stage::crossbar), at(stage::response_link) + 1, *at(stage::page_held));
    return count == 0 ? 0 : static_cast<double>(sum) * 1e-3 / static_cast<double>(count);
}

std::vector<std::pair<double, double>> request_times::distribution() const {
    std::vector<std::pair<double, double>> points;
    if (count == 0) return points;
    const auto used = [](std::uint64_t n) { return n != 0; };
    const auto first = std::find_if(buckets.begin(), buckets.end(), used) - buckets.begin();
    const auto last = buckets.rend() - std::find_if(buckets.rbegin(), buckets.rend(), used);
    for (auto i = first; i <= last && i < static_cast<std::ptrdiff_t>(buckets.size()); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (at < 2 * steps && at % steps != 0) continue;  // octaves that are too short for steps
        points.emplace_back(bucket_begin(at), static_cast<double>(buckets[at]) / static_cast<double>(count));
    }
    return points;
}

void traffic_matrix::add(unsigned from, unsigned to, core::sim_time now, std::uint64_t bytes) {
    while (now.ps / window_.ps >= most_windows) merge();
    const auto i = static_cast<std::size_t>(now.ps / window_.ps);
    auto& windows = by_window_[from * gpus_ + to];
    if (windows.size() <= i) windows.resize(i + 1);
    windows[i] += static_cast<double>(bytes);
    used_ = std::max(used_, i + 1);
    total_[from * gpus_ + to] += bytes;
}

void traffic_matrix::merge() {
    window_ = window_ * 2;
    for (auto& w : by_window_) {
        for (std::size_t i = 0; i < w.size(); ++i)
            if (i % 2 == 0)
                w[i / 2] = w[i];
            else
                w[i / 2] += w[i];
        w.resize((w.size() + 1) / 2);
    }
}

std::uint64_t traffic_matrix::all() const { return std::accumulate(total_.begin(), total_.end(), std::uint64_t{0}); }

std::vector<std::pair<double, double>> traffic_matrix::rate(unsigned from, unsigned to, core::sim_time end) const {
    std::vector<std::pair<double, double>> points;
    const auto& windows = by_window_[from * gpus_ + to];
    core::sim_time begin{};
    for (std::size_t i = 0; begin < end; ++i, begin += window_) {
        const double bytes = i < windows.size() ? windows[i] : 0;
        points.emplace_back(begin.seconds() * 1e6, bytes / std::min(window_, end - begin).seconds() * 1e-9);
    }
    return points;
}

// The first requests find TLBs and caches empty, so they have the longest paths.
bool request_watch::follows(core::sim_time begun) {
    constexpr unsigned enough_loads = 200, most_followed = 20'000;
    if (trace_ != nullptr) return trace_->follows(begun);
    return paths_ < enough_loads && followed_++ < most_followed;
}

void request_watch::request_completed(gpu::access_kind kind, bool remote, const memory::memory_extension& request) {
    const reach r = reach_of(remote, request.times);
    ++counts_[static_cast<std::size_t>(r)];
    if (r != reach::first_level) pages_.used(request.virtual_address, request.origin.gpu + 1);
    if (kind == gpu::access_kind::load) {
        loads_[static_cast<std::size_t>(r)].add(request.times);
        if (remote && r == reach::remote && request.times.recorded()) keep_path(request.times);
    } else if (r == reach::held) {
        (kind == gpu::access_kind::store ? held_stores_ : held_atomics_).add(request.times);
    }
    if (trace_ != nullptr) trace_->request_completed(kind, remote, request);
}

void request_watch::keep_path(const memory::milestones& times) {
    ++paths_;
    if (times.path().size() <= path_.size()) return;
    path_.clear();
    for (const auto& w : times.path()) path_.push_back({std::string(w.where), w.at});
    path_end_ = times.last();
}

void request_watch::page_moved(const host::migration::move_record& m) { pages_.page_moved(m); }

}  // namespace contraflow::remote_memory
