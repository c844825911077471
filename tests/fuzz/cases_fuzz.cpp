// SPDX-License-Identifier: Apache-2.0
// Any bytes as a file of cases, of the lanes, of the PCIe model, of the receive datapath, or of litmus tests, give
// cases or problems with their places.
#include <string>

#include "fuzz_target.h"
#include "link/cases/lane_case_file.h"
#include "nic/receive/receive_case.h"
#include "ordering/test_file.h"
#include "pcie/model/case_file.h"

namespace {

using namespace contraflow;

void read_receive_cases(const std::string& input) {
    const auto file = nic::parse_receive_cases(input);
    fuzz::must_be_clear(file.problems, input);
    if (!file.problems.empty()) return;
    for (const auto& c : file.cases) {
        const std::string text = to_json(c);
        const auto again = nic::parse_receive_cases(text);
        fuzz::must(again.problems.empty() && again.cases.size() == 1, "a case that is written and not read", text);
        fuzz::must(to_json(again.cases.front()) == text, "another text the second time", text);
    }
}

void read_all(const std::string& input) {
    fuzz::must_be_clear(link::parse_lane_cases(input).problems, input);
    fuzz::must_be_clear(ordering::parse_tests(input).problems, input);
    const auto tree_cases = pcie::model::parse_cases(input);
    fuzz::must_be_clear(tree_cases.problems, input);
    if (tree_cases.problems.empty())
        for (const auto& c : tree_cases.cases)
            if (c.communications.size() <= 20) pcie::model::evaluate(c);
    read_receive_cases(input);
}

}  // namespace

CF_FUZZ(cases, read_all)
