// SPDX-License-Identifier: Apache-2.0
// Errors that end a run early and are not bugs. Each is reported as one line.
#pragma once

#include <stdexcept>
#include <utility>

#include "config/tree/problem.h"

namespace contraflow::face {

enum exit_code : int {
    exit_ok = 0,
    exit_checks_failed = 1,
    exit_bad_input = 2,
    exit_no_progress = 3,
    exit_stopped = 4,  // by a limit or a signal; the results are partial
    exit_internal = 5,
};

// The user asked for something impossible: exit 2.
struct usage_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A value of the configuration turned out wrong during the run: exit 2, with the place of the value.
struct configuration_error : std::runtime_error {
    explicit configuration_error(config::problem p)
        : std::runtime_error(config::first_text({p})),
          what_is(std::move(p)) {}
    config::problem what_is;
};

// The machine refused: no space, no permission. Exit 5.
struct output_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace contraflow::face
