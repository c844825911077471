// SPDX-License-Identifier: Apache-2.0
// The GPUs of a machine by number: first those of the hardware from 1, then unified GPUs, each with several of those as
// members, in the order of creation. A bad list is a std::invalid_argument that says what is wrong.
#pragma once

#include <span>
#include <vector>

namespace contraflow::host {

class gpu_directory {
public:
    // 0 is the host's number.
    explicit gpu_directory(unsigned hardware);

    // Returns the number of a new GPU with these members, in this order.
    unsigned create_unified(std::span<const unsigned> members);
    unsigned hardware() const { return hardware_; }
    bool unified(unsigned number) const { return number > hardware_ && number <= members_.size(); }
    // The hardware's GPUs behind a number: itself, or its members. An unknown number is a std::invalid_argument.
    std::span<const unsigned> members(unsigned number) const;

private:
    unsigned hardware_;
    std::vector<std::vector<unsigned>> members_;  // by number - 1
};

}  // namespace contraflow::host
