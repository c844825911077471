// SPDX-License-Identifier: Apache-2.0
#include "traffic_machine.h"

#include <cstring>
#include <map>
#include <numeric>
#include <stdexcept>

namespace contraflow::workloads_test {

using namespace gpu;

std::uint64_t kernel_traffic::total() const { return std::accumulate(in.begin(), in.end(), std::uint64_t{0}); }

void traffic_machine::run(host_task program) {
    coroutine_stack host;
    std::move(program).start_on(host);
    host.resume();
    for (std::size_t i = 0; i < launches_.size(); ++i) {
        execute(launches_[i]);
        launches_[i].end();
    }
    if (host.error()) std::rethrow_exception(host.error());
    if (!host.finished()) throw std::logic_error("the host program has not ended");
}

kernel_traffic traffic_machine::sum_of(const std::string& name) const {
    kernel_traffic sum{name, 0, 0, std::vector<std::uint64_t>(sockets_), std::vector<std::uint64_t>(sockets_)};
    for (const auto& k : kernels_) {
        if (!k.name.starts_with(name)) continue;
        sum.ctas += k.ctas;
        sum.lines += k.lines;
        for (unsigned s = 0; s < sockets_; ++s) {
            sum.in[s] += k.in[s];
            sum.out[s] += k.out[s];
        }
    }
    return sum;
}

void traffic_machine::execute(launch_state& l) {
    const std::uint64_t ctas = l.launch.ctas();
    kernels_.push_back(
        {l.launch.name(), ctas, 0, std::vector<std::uint64_t>(sockets_), std::vector<std::uint64_t>(sockets_)});
    for (std::uint64_t number = 0; number < ctas; ++number) {
        cta_context cta;
        cta.start(l.launch, number, wave_width());
        here_ = static_cast<unsigned>(number * sockets_ / ctas);
        fetched_.clear();
        std::deque<wave_context> waves;
        for (unsigned i = 0; i < l.launch.waves_per_cta(wave_width()); ++i) waves.emplace_back().start(*this, cta, i);
        // Each wavefront runs to the next barrier or its end.
        while (cta.live > 0) {
            for (auto& w : waves) {
                if (w.coroutines().finished() || w.at_barrier()) continue;
                w.resume();
                if (!w.coroutines().finished()) continue;
                if (!l.error) l.error = w.coroutines().error();
                cta.leave();
            }
            cta.at_barrier = 0;
            for (auto& w : waves) w.set_at_barrier(false);
        }
    }
}

bool traffic_machine::barrier(wave_context& wave) {
    wave.set_at_barrier(true);
    return false;
}

void traffic_machine::begin_loads(wave_context&, std::span<wave_access* const> loads, std::uint64_t) {
    for (wave_access* a : loads) {
        count(*a);
        carry_out(*a);
    }
}

bool traffic_machine::begin_accesses(wave_context& wave, std::span<wave_access> accesses) {
    wave.take_work();
    for (wave_access& a : accesses) {
        count(a);
        carry_out(a);
    }
    return true;
}

void traffic_machine::count(const wave_access& a) {
    std::map<std::uint64_t, std::uint64_t> bytes;  // by line
    for (unsigned thread = 0; thread < default_wave_width; ++thread)
        if (a.active[thread]) bytes[a.address[thread] / line] += a.element_bytes;
    auto& k = kernels_.back();
    for (const auto& [number, n] : bytes) {
        ++k.lines;
        const unsigned home = homes_.emplace(number * line / page, here_).first->second;
        if (home == here_) continue;
        const auto move = [&k](unsigned from, unsigned to, std::uint64_t amount) {
            k.out[from] += amount;
            k.in[to] += amount;
        };
        const auto moved = std::min(n, line);
        if (a.kind == access_kind::load) {
            if (a.uncached || fetched_.insert(number).second) move(home, here_, line);
        } else {
            move(here_, home, moved);
            if (a.kind == access_kind::atomic) move(home, here_, moved);
        }
    }
}

void traffic_machine::carry_out(wave_access& a) {
    for (mask left = a.active; left.any(); left = left.without_lowest()) {
        const unsigned thread = left.lowest();
        std::uint8_t* const m = memory_.at(a.address[thread]);
        switch (a.kind) {
        case access_kind::load: std::memcpy(a.data_of(thread), m, a.element_bytes); break;
        case access_kind::store: std::memcpy(m, a.data_of(thread), a.element_bytes); break;
        case access_kind::atomic:
            memory::perform(a.atomic_of(thread), m, a.data_of(thread), nullptr, 0, a.element_bytes);
            break;
        }
    }
}

}  // namespace contraflow::workloads_test
