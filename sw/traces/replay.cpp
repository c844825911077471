// SPDX-License-Identifier: Apache-2.0
#include "traces/replay.h"

#include <algorithm>

#include <fmt/format.h>

#include "gpu/kernel/wave.h"

namespace contraflow::traces {

using namespace gpu;

namespace {

void describe(const access& from, const std::vector<std::uint64_t>& addresses, wave_access& a) {
    a.kind = from.kind;
    a.op = from.op;
    a.operand = from.operand;
    a.element_bytes = from.element_bytes;
    a.uncached = from.uncached;
    a.active = from.active;
    for_threads([&](unsigned i) { a.address[i] = addresses[from.array] + from.offset[i]; });
    std::fill_n(a.data.begin(), std::size_t{running_wave::width()} * a.element_bytes, std::uint8_t{0});
    a.expected = nullptr;
    a.expected_stride = 0;
}

wave_access& begin_load(wave_context& w, const access& from, const std::vector<std::uint64_t>& addresses) {
    wave_access& load = w.take_load();
    describe(from, addresses, load);
    w.begin(load);
    return load;
}

// Makes the recorded accesses, or waits for loads that were made before. Stores write zeros: the machine's time doesn't
// depend on values.
class recorded_accesses {
public:
    recorded_accesses(wave_context& w, const std::vector<access>& accesses, const std::vector<std::uint64_t>& addresses,
                      std::vector<wave_access*>& loads)
        : context_(&w),
          accesses_(&accesses),
          addresses_(&addresses),
          loads_(&loads) {
        for (const access& a : accesses)
            if (a.kind == access_kind::load) loads.push_back(&begin_load(w, a, addresses));
    }

    bool await_ready() const noexcept { return false; }
    template <class Promise> bool await_suspend(std::coroutine_handle<Promise> h) {
        const auto others = static_cast<std::size_t>(std::count_if(
            accesses_->begin(), accesses_->end(), [](const access& a) { return a.kind != access_kind::load; }));
        return context_->issue(
            h, others,
            [this](std::span<wave_access> out) {
                auto next = out.begin();
                for (const access& a : *accesses_)
                    if (a.kind != access_kind::load) describe(a, *addresses_, *next++);
            },
            *loads_);
    }
    void await_resume() const {
        for (wave_access* load : *loads_) context_->give_back(*load);
        loads_->clear();
    }

private:
    wave_context* context_;
    const std::vector<access>* accesses_;
    const std::vector<std::uint64_t>* addresses_;
    std::vector<wave_access*>* loads_;  // to wait for
};

}  // namespace

rights_not_kept::rights_not_kept(std::size_t array)
    : std::runtime_error(fmt::format("array {} of the trace is not for every access, and this machine does not look at "
                                     "what an access may do",
                                     array)) {}

other_wave_width::other_wave_width(unsigned trace, unsigned machine)
    : std::runtime_error(
          fmt::format("the trace is of wavefronts of {} threads, and this machine's have {}", trace, machine)),
      trace_(trace) {}

void replay::prepare(device_memory& memory) {
    for (const std::uint64_t size : trace_.array_bytes()) addresses_.push_back(memory.reserve(size));
    for (std::size_t i = 0; i < addresses_.size(); ++i) {
        const auto rights = trace_.array_rights()[i];
        if (rights != memory::access_rights::read_write && !memory.protect(addresses_[i], rights))
            throw rights_not_kept(i);
    }
}

host_task replay::run(gpu_system_if& gpu) {
    if (trace_.wave_width() != gpu.wave_width()) throw other_wave_width(trace_.wave_width(), gpu.wave_width());
    std::vector<launch_operation> launched;
    std::uint64_t ended = 0;
    auto write_next = trace_.writes().begin();
    // Makes the host's writes that follow that number of launches.
    const auto due = [&] { return write_next != trace_.writes().end() && write_next->launches == launched.size(); };
    for (const auto& l : trace_.launches()) {
        for (; due(); ++write_next) {
            for (; ended < write_next->ended; ++ended) co_await launched[ended];
            write(gpu.memory(), *write_next);
        }
        for (; ended < l.ended; ++ended) co_await launched[ended];
        const trace::launch* const of = &l;
        const kernel_launch::entry body = [this, of](wave w) { return wavefront(w, of); };
        launched.push_back(gpu.launch({l.name, l.grid, l.block, body, l.shared}));
    }
    for (; due(); ++write_next) {
        for (; ended < write_next->ended; ++ended) co_await launched[ended];
        write(gpu.memory(), *write_next);
    }
    for (; ended < launched.size(); ++ended) co_await launched[ended];
}

void replay::write(device_memory& memory, const host_write& w) const {
    constexpr std::uint64_t at_once = 1 << 20;
    const std::vector<std::byte> zeros(static_cast<std::size_t>(std::min(at_once, w.bytes)));
    for (std::uint64_t done = 0; done < w.bytes; done += zeros.size())
        memory.write_bytes(addresses_[w.array] + w.offset + done,
                           std::span(zeros).first(static_cast<std::size_t>(std::min(at_once, w.bytes - done))));
}

kernel replay::wavefront(wave w, const trace::launch* l) {
    reader& r = free_reader();
    trace_.read(*l, w.cta(), w.wave_in_cta(), r.steps);
    r.ahead.clear();
    std::uint64_t begun = 0;  // loads
    while (r.steps.next(r.now)) {
        ++done_;
        w.work(r.now.work);
        switch (r.now.kind) {
        case step_kind::accesses:
            co_await recorded_accesses(w.context(), r.now.accesses, addresses_, r.waiting);
            begun +=
                static_cast<std::uint64_t>(std::count_if(r.now.accesses.begin(), r.now.accesses.end(),
                                                         [](const access& a) { return a.kind == access_kind::load; }));
            break;
        case step_kind::loads:
            for (const access& a : r.now.accesses) r.ahead[++begun] = &begin_load(w.context(), a, addresses_);
            break;
        case step_kind::use:
            for (const std::uint64_t ago : r.now.used)
                if (const auto load = r.ahead.extract(begun - ago + 1)) r.waiting.push_back(load.mapped());
            if (!r.waiting.empty()) co_await recorded_accesses(w.context(), r.now.accesses, addresses_, r.waiting);
            break;
        case step_kind::barrier: co_await w.barrier(); break;
        case step_kind::fence: co_await w.fence(); break;
        case step_kind::compute: co_await w.compute(r.now.cycles); break;
        }
    }
    free_.push_back(&r);
}

replay::reader& replay::free_reader() {
    if (free_.empty()) {
        readers_.push_back(std::make_unique<reader>());
        free_.push_back(readers_.back().get());
    }
    reader& r = *free_.back();
    free_.pop_back();
    return r;
}

std::string replay::verify() const {
    return done_ == trace_.steps() ? std::string()
                                   : fmt::format("{} of {} instructions were carried out", done_, trace_.steps());
}

}  // namespace contraflow::traces
