// SPDX-License-Identifier: Apache-2.0
// Files of litmus tests: a list of {name, nodes, variables, queues, threads, outcomes}, and optionally about, step and
// forbidden.
#pragma once

#include <string_view>
#include <vector>

#include "config/text/json_reader.h"
#include "ordering/litmus_test.h"

namespace contraflow::ordering {

struct test_file {
    std::vector<litmus_test> cases;              // valid if there are no problems
    std::vector<config::json_problem> problems;  // all that are found, up to a hundred
};
test_file parse_tests(std::string_view text);

}  // namespace contraflow::ordering
