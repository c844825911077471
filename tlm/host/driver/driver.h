// SPDX-License-Identifier: Apache-2.0
// The driver of several GPUs: processes, queues of commands, memory, and the host programs that use them. A host
// program is a coroutine whose own work takes no simulated time:
//
//   host_task program(context& c) {
//       c.select_gpu(c.create_unified_gpu({1, 2, 3, 4}));
//       auto a = c.allocate<float>(n);
//       auto& q = c.create_queue();
//       q.copy_to_device(a, values);
//       co_await q.launch({"kernel", grid, block, body});
//       co_await q.copy_from_device(values, a);
//   }
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "config/fields.h"
#include "core/control.h"
#include "core/waiting.h"
#include "gpu/kernel/task.h"
#include "gpu/system/multi_gpu.h"
#include "host/driver/address_space.h"
#include "host/driver/command_queue.h"
#include "host/driver/context.h"
#include "host/driver/frame_set.h"
#include "host/driver/gpu_directory.h"
#include "host/driver/page_claims_if.h"

namespace contraflow::host {

class driver final : public core::waiter_if, public core::controllable_if {
public:
    struct spec {
        core::sim_time command_latency = core::sim_time::from_ns(500);
        static void describe(config::fields<spec>& f);
    };
    // The machine must outlive the driver, and nothing may be simulated after the driver's end. `mapper` records what
    // is allocated; by default it is the machine's own table.
    driver(observe::statistics& statistics, const spec& s, gpu::multi_gpu& machine, memory::page_mapper_if& mapper);
    driver(observe::statistics& statistics, const spec& s, gpu::multi_gpu& machine)
        : driver(statistics, s, machine, machine.pages()) {}
    ~driver() override;

    // The holders of translations, for shootdowns of freed memory.
    void set_shootdown(gpu::shootdown_target_if& everywhere) { shootdown_ = &everywhere; }
    // GPUs and IOMMU were reset: outstanding shootdowns will not be acknowledged and count as done.
    void all_invalidated();

    // The page migrator, if pages move.
    void set_claims(page_claims_if& claims) { claims_ = &claims; }
    page_claims_if* claims() const { return claims_; }

    context& create_context();
    command_queue& create_queue(context& of);
    gpu_directory& gpus() { return gpus_; }
    address_space& memory() { return memory_; }
    gpu::multi_gpu& machine() { return machine_; }
    const std::deque<command_queue>& queues() const { return queues_; }

    // Starts a host program, which runs at once until it waits; the simulation continues it. There may be several.
    void start(gpu::host_task program);
    // Whether all of them have ended and all queues are empty.
    bool finished() const;
    // Throws the first exception of a host program.
    void rethrow() const;
    // The first error of any command, ended or not; null if there is none.
    std::exception_ptr error_so_far() const;
    // For host programs: waits until every queue is empty; throws the first error that was thrown nowhere else.
    gpu::host_task synchronise();

    // Pause and drain give GPUs nothing more until enable. A reset ends commands that were not given to a GPU with an
    // error; host programs see it within the call.
    bool control(core::control_verb verb) override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;

    // Accesses the process's memory in place, in no simulated time. Accesses by GPUs at the same time are not ordered
    // with it.
    void write_in_place(std::uint32_t process, std::uint64_t address, std::span<const std::byte> bytes);
    void read_in_place(std::uint32_t process, std::uint64_t address, std::span<std::byte> bytes) const;

    // For contexts.
    void free(std::uint32_t process, std::uint64_t address);
    bool protect(std::uint32_t process, std::uint64_t address, memory::access_rights rights);
    // For queues.
    bool gives() const { return gives_; }
    const gpu::multi_gpu& machine() const { return machine_; }
    // Zero if PCIe carries the messages.
    core::sim_time command_latency() const {
        return machine_.host() == nullptr ? spec_.command_latency : core::sim_time{};
    }
    struct statistics_set {
        explicit statistics_set(observe::statistics& group);
        observe::counter kernels, copies, copied, events;
        observe::histogram latency;
    };
    statistics_set& statistics() { return statistics_; }

private:
    // Frames that GPUs may still access, or of which caches have lines.
    struct freed_frames {
        frame_set all;
        std::size_t missing = 0;  // GPUs that still flush
    };
    void hand_back(const frame_set& all);
    void invalidated(std::uint64_t freed);
    void flushed(std::uint64_t freed);

    const spec spec_;
    gpu::multi_gpu& machine_;
    gpu::shootdown_target_if* shootdown_ = nullptr;
    page_claims_if* claims_ = nullptr;
    std::map<std::uint64_t, freed_frames> freed_;  // by number
    std::uint64_t times_freed_ = 0;
    gpu_directory gpus_;
    address_space memory_;
    statistics_set statistics_;
    std::deque<context> contexts_;
    std::deque<command_queue> queues_;
    std::deque<gpu::coroutine_stack> programs_;
    bool gives_ = true;
};

}  // namespace contraflow::host
