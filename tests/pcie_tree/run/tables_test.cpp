// SPDX-License-Identifier: Apache-2.0
// The cells of the report's tables, computed anew from the statistics of the run and from each other.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "face/binary_fixture.h"
#include "face/report_statistics.h"

namespace {

using contraflow::test::expect_cell;
using contraflow::test::outcome;
using contraflow::test::read_file;
using contraflow::test::report_statistics;
using nlohmann::json;
using ::testing::HasSubstr;

// What a cell of that column is to be multiplied with for seconds.
double seconds(const json& table, const std::string& column) {
    for (const json& c : table["columns"])
        if (c["name"] == column)
            return std::map<std::string, double>{{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}}.at(c["unit"]);
    ADD_FAILURE() << "no column " << column;
    return 0;
}

class pcie_tree_tables : public contraflow::test::binary_fixture {
protected:
    pcie_tree_tables() : binary_fixture(PCIE_TREE) {}

    // Both levels of T2, with bit errors, into r.
    json run_with_faults() {
        const outcome o = run({CF_PLATFORM_FOLDER "/t2.yaml", "--set", "level=both", "--set",
                               "communications[*].size=1MiB", "--set", "tlm.faults.bit_error_rate=1e-7", "--out", "r"});
        EXPECT_EQ(o.code, 0) << o.out << o.err;
        return report("r");
    }
};

TEST_F(pcie_tree_tables, every_cell_follows_from_the_statistics) {
    const json r = run_with_faults();
    const report_statistics s(r, read_file(here_ / "r/stats.csv"));

    std::map<std::string, double> model_s, tlm_s;
    const json& model = s.table("model-communications");
    for (const json& row : model["rows"]) {
        const auto cell = report_statistics::cells(model, row);
        model_s[cell.at("name")] = cell.at("time").get<double>() * seconds(model, "time");
        expect_cell(cell.at("slowed by"), 1 / cell.at("average factor").get<double>(), "slowed by");
    }
    double end_s = 0;
    const json& tlm = s.table("tlm-communications");
    ASSERT_EQ(tlm["rows"].size(), 4u);
    for (const json& row : tlm["rows"]) {
        const auto cell = report_statistics::cells(tlm, row);
        const double took = cell.at("time").get<double>() * seconds(tlm, "time");
        expect_cell(cell.at("rate"), 1.0 / 1024 / took, "rate");
        tlm_s[cell.at("name")] = took;
        end_s = std::max(end_s, took);  // all start at 0
    }
    const json& difference = s.table("comparison-difference");
    ASSERT_EQ(difference["rows"].size(), 4u);
    for (const json& row : difference["rows"]) {
        const auto cell = report_statistics::cells(difference, row);
        const std::string name = cell.at("communication");
        expect_cell(cell.at("closed form"), model_s[name] / seconds(difference, "closed form"), name);
        expect_cell(cell.at("TLM"), tlm_s[name] / seconds(difference, "TLM"), name);
        expect_cell(cell.at("difference"), 100 * (tlm_s[name] / model_s[name] - 1), name);
    }

    // T2's parents; a link's two directions are statistics of its two ends.
    const std::map<std::string, std::string> parent{
        {"plx_0", "rc"},    {"plx_1", "rc"},   {"k80_0", "plx_0"}, {"k80_1", "plx_0"}, {"k80_2", "plx_1"},
        {"k80_3", "plx_1"}, {"gpu0", "k80_0"}, {"gpu1", "k80_0"},  {"gpu2", "k80_1"},  {"gpu3", "k80_1"},
        {"gpu4", "k80_2"},  {"gpu5", "k80_2"}, {"gpu6", "k80_3"},  {"gpu7", "k80_3"},
    };
    constexpr double raw = 8e9 * 16 / 8 * 128 / 130;  // Gen3 x16
    const json& ports = s.table("tlm-ports");
    ASSERT_GT(ports["rows"].size(), 10u);
    double replayed = 0;
    for (const json& row : ports["rows"]) {
        const auto cell = report_statistics::cells(ports, row);
        const std::string port = cell.at("port"), node = port.substr(0, port.find('.'));
        const bool up = port.ends_with(".up");
        const std::string own = "tlm." + node + (node.starts_with("gpu") ? ".link" : ".up");
        const std::string other = "tlm." + parent.at(node) + ".to_" + node;
        const std::string from = up ? own : other, to = up ? other : own;
        SCOPED_TRACE(port);
        expect_cell(cell.at("payload"), s.value(from + ".payload") / (1 << 20), "payload");
        expect_cell(cell.at("TLPs"), s.value(from + ".tlps"), "TLPs");
        expect_cell(cell.at("DLLPs"), s.value(from + ".dllps"), "DLLPs");
        expect_cell(cell.at("waiting for credits"), 100 * s.value(from + ".credit_stall", "mean"), "waiting");
        expect_cell(cell.at("replayed"), s.value(from + ".replayed_tlps"), "replayed");
        expect_cell(cell.at("corrupted"), s.value(to + ".corrupted_tlps") + s.value(from + ".corrupted_dllps"),
                    "corrupted");
        replayed += cell.at("replayed").get<double>();
        // The run lasts a little longer than the last message, until credits are home; a packet takes whole ps.
        const double all = raw * end_s, carried = s.value(from + ".tlp_wire") + s.value(from + ".dllp_wire");
        const double busy = cell.at("busy"), share = cell.at("payload of raw rate");
        EXPECT_NEAR(busy, 100 * carried / all, 0.01 * busy) << "busy";
        EXPECT_NEAR(busy * s.value(from + ".payload"), share * carried, 1e-4 * share * carried) << "share";
    }
    EXPECT_GT(replayed, 0) << "or that column was not tried";
}

// The closed form's steps make its communications, and the two levels' times the table of rules.
TEST_F(pcie_tree_tables, details_and_headlines_follow_from_each_other) {
    const json r = run_with_faults();
    const report_statistics s(r, read_file(here_ / "r/stats.csv"));
    const std::string said = r["headline"].dump();

    std::map<std::string, double> took, done;
    for (const auto& step : s.rows("model-steps")) {
        const double length = step.at("to").get<double>() - step.at("from").get<double>();
        took[step.at("communication")] += length;
        done[step.at("communication")] += length * step.at("factor").get<double>();
    }
    const auto model = s.rows("model-communications");
    ASSERT_EQ(model.size(), took.size());
    double end = 0, slowest = 0;
    std::string slowed;
    for (const auto& cell : model) {
        const std::string name = cell.at("name");
        SCOPED_TRACE(name);
        EXPECT_NEAR(cell.at("time").get<double>(), took.at(name), 1e-12);
        EXPECT_NEAR(cell.at("average factor").get<double>(), done.at(name) / took.at(name), 1e-12);
        end = std::max(end, cell.at("start").get<double>() + cell.at("time").get<double>());
        if (cell.at("slowed by").get<double>() <= slowest) continue;
        slowest = cell.at("slowed by");
        slowed = fmt::format("slowed most: {}, {:.2f} times, by {}", name, slowest,
                             cell.at("held back by").get<std::string>());
    }
    EXPECT_THAT(said, HasSubstr(slowed));
    EXPECT_THAT(said, HasSubstr(fmt::format("closed form: 4 sends end after {:.4g} ms", end)));
    double last = 0;
    for (const auto& cell : s.rows("tlm-communications")) last = std::max(last, cell.at("time").get<double>());
    EXPECT_THAT(said, HasSubstr(fmt::format("TLM: 4 sends end after {:.4g} ms, every byte right", last)));

    std::map<std::string, std::vector<double>> by_rule;
    for (const auto& cell : s.rows("comparison-difference")) {
        const std::string why = cell.at("rule of the closed form");
        by_rule[why.substr(0, why.find(" at "))].push_back(cell.at("difference"));
    }
    const auto rules = s.rows("comparison-rules");
    ASSERT_EQ(rules.size(), by_rule.size());
    for (const auto& cell : rules) {
        const auto& all = by_rule.at(cell.at("rule"));
        SCOPED_TRACE(cell.at("rule"));
        EXPECT_EQ(cell.at("communications"), all.size());
        double sum = 0, largest = 0;
        for (const double d : all) {
            sum += d;
            if (std::abs(d) > std::abs(largest)) largest = d;
        }
        EXPECT_NEAR(cell.at("mean difference").get<double>(), sum / static_cast<double>(all.size()), 1e-9);
        EXPECT_EQ(cell.at("largest").get<double>(), largest);
    }

    // What faults cost, and the two ports' shares that the headline names.
    double most = 0, waits = 0;
    std::map<std::string, report_statistics::row> ports;
    for (const auto& cell : s.rows("tlm-ports")) {
        ports[cell.at("port")] = cell;
        most = std::max(most, cell.at("busy").get<double>());
        waits = std::max(waits, cell.at("waiting for credits").get<double>());
    }
    EXPECT_THAT(said, HasSubstr(fmt::format(" at {:.0f} %;", most)));
    EXPECT_THAT(said, HasSubstr(fmt::format("wait for credits up to {:.0f} % of the time", waits)));
    const auto faults = s.rows("tlm-faults");
    std::size_t hit = 0;
    for (const auto& [name, cell] : ports) hit += cell.at("corrupted") != 0 || cell.at("replayed") != 0 ? 1 : 0;
    ASSERT_EQ(faults.size(), hit);
    for (const auto& cell : faults) {
        const std::string port = cell.at("port"), node = port.substr(0, port.find('.'));
        SCOPED_TRACE(port);
        EXPECT_EQ(cell.at("corrupted"), ports.at(port).at("corrupted"));
        EXPECT_EQ(cell.at("sent again"), ports.at(port).at("replayed"));
        const std::string from = port.ends_with(".up")
                                     ? "tlm\\." + node + (node.starts_with("gpu") ? "\\.link" : "\\.up")
                                     : "tlm\\.[a-z0-9_]+\\.to_" + node;
        const double again = s.sum(from + "\\.replayed_wire");
        expect_cell(cell.at("sent again on the wire"), again / 1000, "sent again on the wire");
        expect_cell(cell.at("of all it sent"),
                    100 * again / (s.sum(from + "\\.tlp_wire") + s.sum(from + "\\.dllp_wire")), "of all it sent");
    }
}

}  // namespace
