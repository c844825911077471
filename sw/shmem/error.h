// SPDX-License-Identifier: Apache-2.0
// What a program has done wrong, or what its NIC has reported. It leaves the call, and nothing has been written.
#pragma once

#include <stdexcept>

namespace contraflow::shmem {

class error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace contraflow::shmem
