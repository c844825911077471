// SPDX-License-Identifier: Apache-2.0
#include "gpu/dispatch/host_program.h"

namespace contraflow::gpu {

launch_operation host_program::launch(kernel_launch kernel) {
    launch_state& l = launches_.emplace_back(std::move(kernel));
    try {
        dispatcher_.submit(l);
    } catch (...) {
        launches_.pop_back();
        throw;
    }
    return launch_operation(l);
}

void host_program::start(host_task program) {
    std::move(program).start_on(host_);
    host_.resume();
}

void host_program::rethrow() const {
    if (host_.error()) std::rethrow_exception(host_.error());
}

}  // namespace contraflow::gpu
