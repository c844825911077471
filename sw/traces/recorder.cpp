// SPDX-License-Identifier: Apache-2.0
#include "traces/recorder.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "gpu/kernel/kernel_launch.h"
#include "gpu/kernel/wave_executor_if.h"

namespace contraflow::traces {

using namespace gpu;

// Notes all allocations, and so finds the array of an address.
class recorder::noted_memory final : public device_memory {
public:
    struct place {
        std::uint32_t array;
        std::uint64_t offset;
    };

    noted_memory(device_memory& machines, trace_writer& writer, const std::uint64_t& ended)
        : machines_(machines),
          writer_(writer),
          ended_(ended) {}

    std::uint64_t reserve(std::size_t size) override {
        const std::uint64_t address = machines_.reserve(size);
        const auto after = std::upper_bound(arrays_.begin(), arrays_.end(), address,
                                            [](std::uint64_t a, const range& r) { return a < r.begin; });
        arrays_.insert(after, {address, address + size, count_++});
        writer_.array(size);
        return address;
    }
    bool protect(std::uint64_t address, memory::access_rights rights) override {
        if (!machines_.protect(address, rights)) return false;
        writer_.protect(find(address).array, rights);
        return true;
    }
    void write_bytes(std::uint64_t address, std::span<const std::byte> from) override {
        if (from.empty()) return;
        const place at = find(address);
        writer_.write({at.array, at.offset, from.size(), ended_});
        machines_.write_bytes(address, from);
    }
    void read_bytes(std::uint64_t address, std::span<std::byte> to) const override {
        machines_.read_bytes(address, to);
    }

    place find(std::uint64_t address) const {
        const auto after = std::upper_bound(arrays_.begin(), arrays_.end(), address,
                                            [](std::uint64_t a, const range& r) { return a < r.begin; });
        if (after == arrays_.begin() || address >= std::prev(after)->end)
            throw std::logic_error(fmt::format("address {:#x} is in nothing that was allocated here", address));
        const range& r = *std::prev(after);
        return {r.number, address - r.begin};
    }

private:
    struct range {
        std::uint64_t begin, end;
        std::uint32_t number;
    };
    device_memory& machines_;
    trace_writer& writer_;
    const std::uint64_t& ended_;  // launches
    std::vector<range> arrays_;   // by address
    std::uint32_t count_ = 0;
};

// Stands between one wavefront and the unit that executes it.
class recorder::listener final : public wave_executor_if {
public:
    listener(const noted_memory& memory, unsigned wave_width) : memory_(memory), steps_(wave_width) {}

    void begin(wave_context& w) {
        machine_ = &w.executor();
        w.set_executor(*this);
        steps_.clear();
        loads_.accesses.clear();
    }
    // All of them; the wavefront has ended.
    const step_encoder& steps() {
        add_loads();
        return steps_;
    }

    void begin_loads(wave_context& w, std::span<wave_access* const> loads, std::uint64_t work) override {
        add_loads();
        for (const wave_access* a : loads) loads_.accesses.push_back(noted(*a));
        loads_.work = work;
        machine_->begin_loads(w, loads, work);
    }
    // Loads that are used at once, and all together, are an instruction for which the wavefront waits.
    bool wait(wave_context& w, std::span<wave_access* const> loads) override {
        step_.used.clear();
        for (const wave_access* a : loads) step_.used.push_back(w.loads_begun() - a->number + 1);
        const auto begun = loads_.accesses.size();
        if (step_.used.size() == begun && *std::max_element(step_.used.begin(), step_.used.end()) <= begun) {
            add_loads(step_kind::accesses);
        } else {
            add(step_kind::use, w);
        }
        return machine_->wait(w, loads);
    }
    bool begin_accesses(wave_context& w, std::span<wave_access> accesses) override {
        add_loads();
        step_.accesses.clear();
        for (const wave_access& a : accesses)
            if (a.active.any()) step_.accesses.push_back(noted(a));
        add(step_kind::accesses, w);
        return machine_->begin_accesses(w, accesses);
    }
    bool barrier(wave_context& w) override {
        add(step_kind::barrier, w);
        return machine_->barrier(w);
    }
    bool fence(wave_context& w) override {
        add(step_kind::fence, w);
        return machine_->fence(w);
    }
    bool compute(wave_context& w, std::uint64_t cycles) override {
        step_.cycles = cycles;
        add(step_kind::compute, w);
        return machine_->compute(w, cycles);
    }

private:
    void add(step_kind kind, const wave_context& w) {
        add_loads();
        step_.kind = kind;
        step_.work = kind == step_kind::use ? 0 : w.work();  // which no use takes
        steps_.add(step_);
    }
    // The loads that were begun last.
    void add_loads(step_kind kind = step_kind::loads) {
        if (loads_.accesses.empty()) return;
        loads_.kind = kind;
        steps_.add(loads_);
        loads_.accesses.clear();
    }
    access noted(const wave_access& from) const {
        access a;
        a.kind = from.kind;
        a.uncached = from.uncached && from.kind == access_kind::load;
        a.element_bytes = from.element_bytes;
        a.active = from.active;
        if (from.kind == access_kind::atomic) {
            a.op = from.op;
            a.operand = from.operand;
        }
        const auto first = memory_.find(from.address[from.active.lowest()]);
        const std::uint64_t begin = from.address[from.active.lowest()] - first.offset;
        a.array = first.array;
        // An instruction names elements of one array.
        for (mask left = from.active; left.any(); left = left.without_lowest())
            a.offset[left.lowest()] = from.address[left.lowest()] - begin;
        return a;
    }

    const noted_memory& memory_;
    wave_executor_if* machine_ = nullptr;
    step_encoder steps_;
    step step_;
    step loads_;  // not added yet
};

recorder::recorder(gpu_system_if& machine, std::ostream& out) : recorder(machine, machine.memory(), out) {}

recorder::recorder(gpu_system_if& machine, device_memory& memory, std::ostream& out)
    : machine_(machine),
      writer_(out, machine.wave_width()),
      memory_(std::make_unique<noted_memory>(memory, writer_, ended_)) {}

recorder::~recorder() = default;

device_memory& recorder::memory() { return *memory_; }

launch_operation recorder::launch(kernel_launch kernel) {
    const std::uint64_t number = launches_.size();
    noted_launch& l = launches_.emplace_back(std::move(kernel));
    const kernel_launch& k = l.state.launch;
    writer_.launch({k.name(), k.grid(), k.block(), k.shared(), ended_});
    const kernel_launch::entry body = [this, number, original = &k](wave w) { return listen(w, original, number); };
    const auto machines = machine_.launch({k.name(), k.grid(), k.block(), body, k.shared()});
    watch(machines, &l.state).start_on(l.watcher);
    l.watcher.resume();
    return launch_operation(l.state);
}

host_task recorder::watch(launch_operation machines, launch_state* programs) {
    try {
        co_await machines;
    } catch (...) { programs->error = std::current_exception(); }
    ++ended_;
    programs->end();  // the program continues within this call
}

kernel recorder::listen(wave w, const kernel_launch* original, std::uint64_t launch) {
    listener& l = free_listener();
    l.begin(w.context());
    const kernel body = original->start(w);
    co_await body;
    writer_.wave(launch, w.cta(), w.wave_in_cta(), l.steps());
    free_.push_back(&l);
}

recorder::listener& recorder::free_listener() {
    if (free_.empty()) {
        listeners_.push_back(std::make_unique<listener>(*memory_, wave_width()));
        free_.push_back(listeners_.back().get());
    }
    listener& l = *free_.back();
    free_.pop_back();
    return l;
}

void recorder::finish() { static_cast<void>(writer_.end()); }

}  // namespace contraflow::traces
