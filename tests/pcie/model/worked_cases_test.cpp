// SPDX-License-Identifier: Apache-2.0
// Every number of tests/data/pcie/worked.json: expected factors and times, steps, and the examples of single ports.
#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "pcie/model/case_file.h"
#include "pcie/model/factors.h"
#include "pcie/model/timeline.h"
#include "trees.h"

namespace contraflow::pcie::model {
namespace {

using json = nlohmann::json;

constexpr double relative = 1e-9;

std::string worked_text() {
    std::ifstream file(CF_TEST_DATA "/pcie/worked.json");
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

void expect_near(double value, double expected, const std::string& what) {
    EXPECT_NEAR(value, expected, relative * std::max(std::abs(expected), 1e-12)) << what;
}

TEST(worked_cases, factors_and_times) {
    const std::string text = worked_text();
    const case_file file = parse_cases(text);
    ASSERT_TRUE(file.problems.empty()) << to_text(file.problems.front(), "worked.json");
    const json document = json::parse(text);
    ASSERT_EQ(file.cases.size(), document["cases"].size());
    for (std::size_t i = 0; i < file.cases.size(); ++i) {
        const case_result result = evaluate(file.cases[i]);
        const json& expected = document["cases"][i]["expected"];
        EXPECT_EQ(result.name, document["cases"][i]["name"]);
        ASSERT_EQ(result.communications.size(), expected.size()) << result.name;
        for (const auto& row : result.communications) {
            expect_near(row.factor, expected[row.name]["factor"], result.name + "." + row.name + " factor");
            expect_near(row.time_ms, expected[row.name]["time_ms"], result.name + "." + row.name + " time");
        }
    }
}

TEST(worked_cases, steps) {
    const std::string text = worked_text();
    const case_file file = parse_cases(text);
    const json document = json::parse(text);
    for (std::size_t i = 0; i < file.cases.size(); ++i) {
        const case_input& input = file.cases[i];
        const json& expected = document["cases"][i]["steps"];
        const network net(input.tree, input.options);
        const timeline_result run = run_timeline(net, input.communications, {.recorded_steps = 1000, .keep_going = {}});
        ASSERT_EQ(run.steps.size(), expected.size()) << input.name;
        for (std::size_t s = 0; s < run.steps.size(); ++s) {
            const std::string here = input.name + " step " + std::to_string(s);
            expect_near(run.steps[s].from_s * 1e3, expected[s]["from_ms"], here);
            expect_near(run.steps[s].to_s * 1e3, expected[s]["to_ms"], here);
            ASSERT_EQ(run.steps[s].active.size(), expected[s]["factors"].size()) << here;
            for (const active_communication& a : run.steps[s].active)
                expect_near(a.factor, expected[s]["factors"][input.communications[a.communication].name], here);
        }
    }
}

// A port example in a tree of its own: each group enters by a link at which rule B gives its members exactly the
// given values. The values are tenths, so capacities of single endpoints produce them: the port's own link has 1.
TEST(worked_cases, port_examples) {
    const json document = json::parse(worked_text());
    for (const json& example : document["port_examples"]) {
        const bool up = example["direction"] == "up";
        topology tree;
        network_options options;
        options.tau = example.value("tau", default_tau);
        const auto add = [&](std::string name, node_kind kind, node_id parent, double capacity) {
            options.capacities.push_back(capacity);
            return tree.add(test::named(std::move(name), kind), parent);
        };
        const node_id rc = add("rc", node_kind::root_complex, no_node, 1.0);
        const node_id plx = add("plx", node_kind::pcie_switch, rc, 1.0);
        const node_id other = add("other", node_kind::pcie_switch, rc, 1.0);
        std::vector<communication> list;
        std::vector<double> expected;
        for (const json& group : example["groups"]) {
            const bool crosses = group["from_root_complex"];
            const node_id parent = crosses ? other : plx;
            const node_id entry = add("in" + group["input"].get<std::string>(), node_kind::pcie_switch, parent, 1.0);
            for (const auto& [name, rho] : group["rho"].items()) {
                const node_id from = add(name, node_kind::endpoint, entry, rho);
                list.push_back({name, from, no_node, {1}, 0.0});
                expected.push_back(example["expected"][name]);
            }
        }
        // Up: all leave by plx.up to an endpoint each of `other`; down: all meet at one endpoint below plx.
        const node_id shared = add("target", node_kind::endpoint, up ? other : plx, 1.0);
        for (communication& c : list) c.to = shared;
        const factor_set set = evaluate_factors(network(tree, options), list);
        if (!up) {
            for (std::size_t i = 0; i < list.size(); ++i)
                expect_near(set.communications[i].rate, expected[i], list[i].name);
        } else {
            // Beyond the port the root complex takes tau of the traffic that has passed it: the same shares.
            for (std::size_t i = 0; i < list.size(); ++i)
                expect_near(set.communications[i].rate, expected[i] * (1.0 - options.tau), list[i].name);
        }
    }
}

}  // namespace
}  // namespace contraflow::pcie::model
