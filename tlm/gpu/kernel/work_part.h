// SPDX-License-Identifier: Apache-2.0
// Work that a driver gives to one GPU: a part of a grid, or of a copy.
#pragma once

#include <exception>
#include <utility>

namespace contraflow::gpu {

class work_part {
public:
    work_part() = default;
    work_part(const work_part&) = delete;
    work_part& operator=(const work_part&) = delete;

    void fail(std::exception_ptr why) {
        if (!error) error = std::move(why);
    }
    // All of it has ended, and the GPU has released it.
    virtual void end() = 0;

    std::exception_ptr error;  // the first error

protected:
    ~work_part() = default;
};

}  // namespace contraflow::gpu
