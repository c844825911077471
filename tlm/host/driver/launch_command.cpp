// SPDX-License-Identifier: Apache-2.0
#include "host/driver/launch_command.h"

#include "host/driver/driver.h"

namespace contraflow::host {

launch_command::launch_command(command_queue& queue, gpu::kernel_launch kernel, gpu::cta_run run)
    : command(queue, kernel.name()),
      kernel_(std::move(kernel)),
      run_(run) {
    kernel_.set_process(queue.process().process());
}

launch_command::part::part(launch_command& of, gpu::cta_run run, unsigned gpu)
    : grid_part(of.kernel_, run),
      of_(of),
      gpu_(gpu) {}

void launch_command::begin() {
    driver& owner = queue().owner();
    const auto members = owner.gpus().members(queue().gpu());
    for (std::size_t i = 0; i < members.size(); ++i)
        if (const auto run = gpu::part_of(run_, i, members.size()); !run.empty())
            parts_.emplace_back(*this, run, members[i]);
    running_ = parts_.size();
    for (part& p : parts_) owner.machine().submit(p.gpu(), p);
    if (parts_.empty()) queue().finished(*this);
}

void launch_command::part_ended(part& p) {
    fail(p.error);
    if (--running_ != 0) return;
    kernel_.clear_body();
    ++queue().owner().statistics().kernels;
    queue().finished(*this);
}

std::exception_ptr launch_command::error_so_far() const {
    for (const part& p : parts_)
        if (p.error) return p.error;
    return error();
}

std::string launch_command::holder() const {
    for (const part& p : parts_)
        if (p.ended_at == core::sim_time{}) return queue().owner().machine().processor(p.gpu()).path();
    return "host";
}

}  // namespace contraflow::host
