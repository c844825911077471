// SPDX-License-Identifier: Apache-2.0
// Runs a host program that knows one GPU (gpu_system_if) on several, through the driver, in any combination of
//
//   execution   one       every kernel on the first of the GPUs
//               split     the host cuts every kernel into one launch a GPU, each in a queue of its own, and has every
//                         queue wait for all of the kernel before
//               unified   every kernel is launched once, on a unified GPU
//   memory      discrete  an array lies in runs of pages on the GPUs that run kernels; the host has a copy of its own,
//                         from which it sends what it wrote before the next kernel begins, and into which it fetches
//                         all arrays at the end
//               unified   an array's pages alternate over all GPUs; the host reads and writes them in place, in no time
//
// In both, every GPU can access every page, remote ones directly. With discrete memory the program's reads between
// kernels return at once; the copies for them are made before the next kernel, and take their time there.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/kernel/device_memory.h"
#include "gpu/kernel/gpu_system_if.h"
#include "host/driver/driver.h"

namespace contraflow::host {

enum class execution_model { one, split, unified };
enum class memory_model { discrete, unified };

class program_runner final : public gpu::gpu_system_if, private gpu::device_memory {
public:
    struct spec {
        execution_model execution = execution_model::unified;
        memory_model memory = memory_model::unified;
        std::vector<unsigned> gpus{1};  // numbers of the hardware's GPUs
    };
    program_runner(driver& d, const spec& s);

    gpu::launch_operation launch(gpu::kernel_launch kernel) override;
    gpu::device_memory& memory() override { return *this; }
    unsigned wave_width() const override { return driver_.machine().configuration().gpu.unit.wave_width; }

    // Starts the program; the simulation continues it. At its end the host can read all arrays in place, and `ended` is
    // called, unless there was an error.
    void start(gpu::host_task program, std::function<void()> ended = {});
    std::uint32_t process() const { return process_.process(); }
    const std::deque<gpu::launch_state>& launches() const { return launches_; }
    const spec& configuration() const { return spec_; }

private:
    struct array {
        std::uint64_t address = 0;
        std::vector<std::byte> copy;  // the host's, with discrete memory
    };
    // A launch, with the queues that have not ended their part of it.
    struct running {
        gpu::launch_state* state;
        std::vector<event> parts;
        std::size_t left;
        void part_ended();
    };
    struct transfer {
        std::uint64_t address = 0;
        std::vector<std::byte> bytes;
        bool to_device = false;
        std::optional<event> ordered{};
    };

    std::uint64_t reserve(std::size_t bytes) override;
    bool protect(std::uint64_t address, memory::access_rights rights) override;
    void write_bytes(std::uint64_t address, std::span<const std::byte> from) override;
    void read_bytes(std::uint64_t address, std::span<std::byte> to) const override;

    gpu::host_task whole(gpu::host_task program, std::function<void()> ended);
    gpu::host_task fetch();
    void order_transfers();
    void drop_done_transfers() const;
    const array& array_at(std::uint64_t address, std::size_t length) const;

    driver& driver_;
    context& process_;
    const spec spec_;
    std::vector<command_queue*> queues_;
    std::deque<array> arrays_;                // by address
    mutable std::deque<transfer> transfers_;  // not yet made
    bool fetched_ = false;                    // the host's copies are up to date
    std::vector<event> before_;               // the previous kernel's events, by queue
    std::deque<running> running_;
    std::deque<gpu::launch_state> launches_;
};

}  // namespace contraflow::host

template <> struct contraflow::config::enum_names<contraflow::host::execution_model> {
    static constexpr std::array names{std::pair{contraflow::host::execution_model::one, "one"},
                                      std::pair{contraflow::host::execution_model::split, "split"},
                                      std::pair{contraflow::host::execution_model::unified, "unified"}};
};
template <> struct contraflow::config::enum_names<contraflow::host::memory_model> {
    static constexpr std::array names{std::pair{contraflow::host::memory_model::discrete, "discrete"},
                                      std::pair{contraflow::host::memory_model::unified, "unified"}};
};
