// SPDX-License-Identifier: Apache-2.0
// The processor time of this process: other work on the computer does not count.
#pragma once

#include <ctime>

inline double processor_seconds() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
