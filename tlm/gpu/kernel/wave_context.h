// SPDX-License-Identifier: Apache-2.0
// The state of a wavefront and of its CTA, between the kernel's coroutine and its executor.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "gpu/kernel/coroutine_stack.h"
#include "gpu/kernel/grid.h"
#include "gpu/kernel/per_thread.h"
#include "gpu/kernel/wave_executor_if.h"

namespace contraflow::gpu {

class kernel_launch;

// How long accesses to the scratchpad take.
struct scratchpad_timing {
    unsigned banks = 0;         // 0: an access takes as long as any instruction
    unsigned issue_cycles = 1;  // that an instruction takes in any case
};
// What accesses to the scratchpad took, in cycles.
struct scratchpad_use {
    std::uint64_t cycles = 0;     // of its banks
    std::uint64_t conflicts = 0;  // those of them in which words waited for others of their bank, and others had none
};

struct cta_context {
    const kernel_launch* launch = nullptr;
    dim3 grid;
    dim3 block;
    std::uint64_t number = 0;  // in the grid, x fastest
    std::uint32_t process = 0;
    unsigned wave_width = default_wave_width;
    scratchpad_timing timing;
    std::vector<std::byte> shared;  // scratchpad, 0 at the start
    unsigned live = 0;              // wavefronts that have not ended
    unsigned at_barrier = 0;        // live wavefronts at the barrier

    void start(const kernel_launch& k, std::uint64_t cta_number, unsigned width_of_waves,
               const scratchpad_timing& scratchpad = {});
    // A wavefront arrives at the barrier, or ends. True: all live ones have arrived, and the barrier opens.
    bool arrive() { return ++at_barrier == live; }
    bool leave() { return --live != 0 && at_barrier == live; }
};

class wave_context {
public:
    wave_context() : accesses_(1) {}

    // Becomes the CTA's wavefront `index`; its coroutine begins with the first resume().
    void start(wave_executor_if& executor, cta_context& cta, unsigned index);
    // Continues its coroutines until they wait for the executor or have ended.
    void resume() {
        const running_wave this_one(width());
        stack_.resume();
    }

    wave_executor_if& executor() const { return *executor_; }
    // Inserts an executor between the kernel and the machine, until the wavefront's end.
    void set_executor(wave_executor_if& executor) { executor_ = &executor; }
    cta_context& cta() const { return *cta_; }
    unsigned index() const { return index_; }
    unsigned width() const { return cta_->wave_width; }
    gpu::coroutine_stack& coroutines() { return stack_; }

    mask active() const { return active_; }
    void set_active(mask m) { active_ = m; }
    // Threads that exist: the last wavefront has fewer if the block is not a multiple of the width.
    mask threads() const { return threads_; }

    // Cycles of work since the last instruction, charged with the next.
    void add_work(std::uint64_t cycles) { work_ += cycles; }
    std::uint64_t work() const { return work_; }
    std::uint64_t take_work() { return std::exchange(work_, 0); }

    bool at_barrier() const { return at_barrier_; }
    void set_at_barrier(bool waits) { at_barrier_ = waits; }

    // The next part of the CTA's scratchpad; every wavefront that asks for the same sizes gets the same parts.
    std::span<std::byte> take_shared(std::size_t bytes);

    // The active threads access elements of so many bytes, from these bytes of the CTA's scratchpad on: work of one
    // instruction, and of more if a bank takes longer.
    void access_scratchpad(const per_thread<std::uint32_t>& first_byte, unsigned bytes);
    scratchpad_use take_scratchpad_use() { return std::exchange(scratchpad_, {}); }

    // ---- for awaitables
    // A place for a load, which its owner describes, passes to begin() and gives back when it has its values.
    wave_access& take_load() {
        if (free_loads_.empty()) {
            loads_.push_back(std::make_unique<wave_access>());
            free_loads_.push_back(loads_.back().get());
        }
        wave_access& a = *free_loads_.back();
        free_loads_.pop_back();
        a.ticket = ++tickets_;
        return a;
    }
    void give_back(wave_access& load) {
        load.ticket = 0;
        free_loads_.push_back(&load);
    }
    // The load begins together with the neighbouring ones, before the coroutine waits for anything.
    void begin(wave_access& load) {
        if (open_.empty() || work_ != 0) {
            begin_open();
            open_work_ = take_work();
        }
        load.number = 0;
        open_.push_back(&load);
    }
    // The loads among them that have not begun will do so in that order. Compilers evaluate arguments in different
    // orders, and programs should take the same time with all of them.
    void put_in_order(std::span<wave_access* const> loads);
    std::uint64_t loads_begun() const { return loads_begun_; }

    // `fill` describes the n accesses that are no loads. The coroutine then waits until these and the loads are
    // complete, unless they are at once.
    template <class Fill>
    bool issue(std::coroutine_handle<> h, std::size_t n, Fill fill, std::span<wave_access* const> loads = {}) {
        if (accesses_.size() < n) accesses_.resize(n);
        fill(std::span(accesses_).first(n));
        return suspend(h, [&] {
            const bool done = n == 0 || executor_->begin_accesses(*this, std::span(accesses_).first(n));
            return (loads.empty() || executor_->wait(*this, loads)) && done;
        });
    }
    template <class Execute> bool suspend(std::coroutine_handle<> h, Execute execute) {
        begin_open();
        stack_.wait_in(h);
        if (!execute()) return true;
        stack_.go_on_at_once();
        return false;
    }
    const wave_access& completed(std::size_t i) const { return accesses_[i]; }

private:
    void begin_open();

    wave_executor_if* executor_ = nullptr;
    cta_context* cta_ = nullptr;
    unsigned index_ = 0;
    bool at_barrier_ = false;
    mask threads_;
    mask active_;
    std::uint64_t work_ = 0;
    std::size_t shared_taken_ = 0;
    scratchpad_use scratchpad_;
    std::vector<wave_access> accesses_;  // the current instruction's that are no loads
    std::vector<std::unique_ptr<wave_access>> loads_;
    std::vector<wave_access*> free_loads_;
    std::vector<wave_access*> open_;  // loads that begin before the coroutine waits
    std::uint64_t open_work_ = 0;     // charged with the first of them
    std::uint64_t loads_begun_ = 0;
    std::uint64_t tickets_ = 0;
    gpu::coroutine_stack stack_;  // last member: its coroutines must end before the rest is destroyed
};

}  // namespace contraflow::gpu
