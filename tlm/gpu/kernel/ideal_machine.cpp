// SPDX-License-Identifier: Apache-2.0
#include "gpu/kernel/ideal_machine.h"

#include <cstring>
#include <stdexcept>

namespace contraflow::gpu {

launch_operation ideal_machine::launch(kernel_launch kernel) {
    return launch_operation(launches_.emplace_back(std::move(kernel)));
}

void ideal_machine::run(host_task program) {
    coroutine_stack host;
    std::move(program).start_on(host);
    host.resume();
    while (ended_ < launches_.size()) {
        launch_state& l = launches_[ended_];
        execute(l);
        ++ended_;
        l.end();
    }
    if (!host.finished()) throw std::logic_error("the host program waits for something that is no launch");
    if (host.error()) std::rethrow_exception(host.error());
}

void ideal_machine::execute(launch_state& l) {
    const std::uint64_t ctas = l.launch.ctas();
    std::vector<std::unique_ptr<running_cta>> running;
    std::uint64_t begun = 0;
    while (begun < ctas || !running.empty()) {
        while (begun < ctas && running.size() < spec_.resident_ctas) {
            running.push_back(begin(l.launch, spec_.backwards ? ctas - 1 - begun : begun));
            ++begun;
        }
        for (auto& cta : running) take_turns(*cta, l);
        std::erase_if(running, [](const auto& cta) { return cta->live == 0; });
    }
}

std::unique_ptr<ideal_machine::running_cta> ideal_machine::begin(const kernel_launch& k, std::uint64_t number) {
    auto cta = std::make_unique<running_cta>();
    cta->start(k, number, spec_.wave_width);
    const unsigned n = k.waves_per_cta(spec_.wave_width);
    for (unsigned i = 0; i < n; ++i) cta->waves.emplace_back().start(*this, *cta, spec_.backwards ? n - 1 - i : i);
    return cta;
}

void ideal_machine::take_turns(running_cta& cta, launch_state& l) {
    for (wave_context& w : cta.waves) {
        if (w.coroutines().finished() || w.at_barrier()) continue;
        left_in_turn_ = spec_.turn;
        w.resume();
        if (!w.coroutines().finished()) continue;
        if (!l.error) l.error = w.coroutines().error();
        if (cta.leave()) open_barrier(cta);
    }
}

void ideal_machine::open_barrier(running_cta& cta) {
    cta.at_barrier = 0;
    for (wave_context& w : cta.waves) w.set_at_barrier(false);
}

bool ideal_machine::barrier(wave_context& wave) {
    ++instructions_;
    wave.set_at_barrier(true);
    auto& cta = static_cast<running_cta&>(wave.cta());
    if (!cta.arrive()) return false;
    open_barrier(cta);
    return true;
}

bool ideal_machine::turn_goes_on() {
    ++instructions_;
    if (left_in_turn_ == 0) return false;
    --left_in_turn_;
    return true;
}

void ideal_machine::begin_loads(wave_context&, std::span<wave_access* const> loads, std::uint64_t) {
    for (wave_access* a : loads) carry_out(*a);
}

bool ideal_machine::wait(wave_context&, std::span<wave_access* const>) { return turn_goes_on(); }

bool ideal_machine::begin_accesses(wave_context& wave, std::span<wave_access> accesses) {
    wave.take_work();
    for (wave_access& a : accesses) carry_out(a);
    return turn_goes_on();
}

void ideal_machine::carry_out(wave_access& a) {
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

bool ideal_machine::fence(wave_context&) { return turn_goes_on(); }

bool ideal_machine::compute(wave_context&, std::uint64_t) { return turn_goes_on(); }

}  // namespace contraflow::gpu
