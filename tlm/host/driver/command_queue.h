// SPDX-License-Identifier: Apache-2.0
// Commands for one GPU, unified or not, of one process: each begins when the one before has ended. Queues are
// independent unless one waits for another's event. Every function adds a command and returns its event; errors that
// are known at once are thrown here. Host memory that is copied from or to must stay valid until the copy is done.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/timer.h"
#include "core/waiting.h"
#include "gpu/kernel/array.h"
#include "gpu/kernel/grid.h"
#include "gpu/kernel/kernel_launch.h"
#include "host/driver/command.h"
#include "host/driver/context.h"

namespace contraflow::host {

class driver;

class command_queue {
public:
    command_queue(driver& owner, context& process, unsigned gpu, std::string path);

    // Runs on the whole GPU; a unified GPU gives each of its members a run of workgroups.
    event launch(gpu::kernel_launch kernel);
    // Runs only these workgroups, which see the whole grid: for hosts that split a kernel themselves.
    event launch(gpu::kernel_launch kernel, gpu::cta_run run);

    event copy_to_device(std::uint64_t to, std::span<const std::byte> from);
    event copy_from_device(std::span<std::byte> to, std::uint64_t from);
    event copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes);
    template <gpu::element T> event copy_to_device(gpu::array<T> to, const std::vector<T>& from) {
        return copy_to_device(to.address(), std::as_bytes(std::span(from)));
    }
    template <gpu::element T> event copy_from_device(std::vector<T>& to, gpu::array<T> from) {
        return copy_from_device(std::as_writable_bytes(std::span(to)), from.address());
    }

    // Its event happens when all commands now in the queue have ended.
    event record();
    // Later commands begin after that event.
    void wait(event e);
    // Like record(). When awaited, it throws the first error that no other await has thrown.
    event synchronise();

    bool idle() const { return pending_.empty(); }
    unsigned gpu() const { return gpu_; }
    const std::string& path() const { return path_; }
    const std::deque<std::unique_ptr<command>>& history() const { return commands_; }
    driver& owner() const { return owner_; }
    context& process() const { return process_; }

    // For commands, when all their work on GPUs is done.
    void finished(command& c);
    // For the driver.
    void go_on();
    void drop(const std::exception_ptr& why);
    void report_waits(std::vector<core::wait_edge>& edges) const;

private:
    template <class Command, class... Arguments> event put(Arguments&&... a) {
        commands_.push_back(std::make_unique<Command>(*this, std::forward<Arguments>(a)...));
        return enqueue();
    }
    event enqueue();
    void begin_first();
    void give_first();
    void first_done();
    void end(command& c, std::vector<core::callback>& waiting);
    friend class synchronise_command;
    std::exception_ptr take_unreported();

    driver& owner_;
    context& process_;
    const unsigned gpu_;
    const std::string path_;
    std::deque<std::unique_ptr<command>> commands_;  // all commands so far
    std::deque<command*> pending_;                   // the first one has its turn if `busy_`
    bool busy_ = false;
    bool begun_ = false;            // the first one has been given to a GPU
    std::vector<command*> failed_;  // since the last synchronise()
    core::sim_time stopped_since_{};
    core::cancellable_calls<command_queue> calls_;
};

}  // namespace contraflow::host
