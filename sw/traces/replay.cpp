// SPDX-License-Identifier: Apache-2.0
#include "traces/replay.h"

#include <algorithm>

#include <fmt/format.h>

#include "gpu/kernel/wave.h"

namespace contraflow::traces {

using namespace gpu;

namespace {

// Makes the recorded accesses. Stores write zeros: the machine's time doesn't depend on values.
class recorded_accesses {
public:
    recorded_accesses(wave_context& w, const step& s, const std::vector<std::uint64_t>& addresses)
        : context_(&w),
          step_(&s),
          addresses_(&addresses) {}

    bool await_ready() const noexcept { return false; }
    template <class Promise> bool await_suspend(std::coroutine_handle<Promise> h) {
        return context_->issue(h, step_->accesses.size(), [this](std::span<wave_access> out) {
            for (std::size_t i = 0; i < out.size(); ++i) describe(step_->accesses[i], out[i]);
        });
    }
    void await_resume() const noexcept {}

private:
    void describe(const access& from, wave_access& a) const {
        a.kind = from.kind;
        a.op = from.op;
        a.operand = from.operand;
        a.element_bytes = from.element_bytes;
        a.uncached = from.uncached;
        a.active = from.active;
        for (unsigned i = 0; i < wave_width; ++i) a.address[i] = (*addresses_)[from.array] + from.offset[i];
        a.data = {};
        a.expected = nullptr;
        a.expected_stride = 0;
    }

    wave_context* context_;
    const step* step_;
    const std::vector<std::uint64_t>* addresses_;
};

}  // namespace

rights_not_kept::rights_not_kept(std::size_t array)
    : std::runtime_error(fmt::format("array {} of the trace is not for every access, and this machine does not look at "
                                     "what an access may do",
                                     array)) {}

void replay::prepare(device_memory& memory) {
    for (const std::uint64_t size : trace_.array_bytes()) addresses_.push_back(memory.reserve(size));
    for (std::size_t i = 0; i < addresses_.size(); ++i) {
        const auto rights = trace_.array_rights()[i];
        if (rights != memory::access_rights::read_write && !memory.protect(addresses_[i], rights))
            throw rights_not_kept(i);
    }
}

host_task replay::run(gpu_system_if& gpu) {
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
    while (r.steps.next(r.now)) {
        ++done_;
        w.work(r.now.work);
        switch (r.now.kind) {
        case step_kind::accesses: co_await recorded_accesses(w.context(), r.now, addresses_); break;
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
