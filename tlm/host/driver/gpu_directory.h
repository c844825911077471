// SPDX-License-Identifier: Apache-2.0
// The GPUs of a machine by their numbers: the hardware's from 1, then unified ones, each of which stands for several
// of those, in the order in which they were made. A bad list is a std::invalid_argument that says what is wrong.
#pragma once

#include <span>
#include <vector>

namespace contraflow::host {

class gpu_directory {
public:
    // 0 is the host's number.
    explicit gpu_directory(unsigned hardware);

    // The number of a GPU that stands for these, in this order.
    unsigned create_unified(std::span<const unsigned> members);
    unsigned hardware() const { return hardware_; }
    bool unified(unsigned number) const { return number > hardware_ && number <= members_.size(); }
    // The hardware's GPUs behind a number: itself, or those that it stands for. An unknown number is a
    // std::invalid_argument.
    std::span<const unsigned> members(unsigned number) const;

private:
    unsigned hardware_;
    std::vector<std::vector<unsigned>> members_;  // by number - 1
};

}  // namespace contraflow::host
