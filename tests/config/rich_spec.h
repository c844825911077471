// SPDX-License-Identifier: Apache-2.0
// A configuration with every kind of field, for the tests and the fuzz target of tlm/config.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "core/units.h"

namespace contraflow::config_test {

enum class arbitration { round_robin, weighted, oldest_first };

struct link_spec {
    unsigned lanes = 16;
    core::bandwidth lane_rate = core::bandwidth::from_gb_per_s(8);
    core::cycles sample_time{5000};
    bool reversible = true;
    friend bool operator==(const link_spec&, const link_spec&) = default;

    static void describe(config::fields<link_spec>& f) {
        f("lanes", &link_spec::lanes).in(1, 64).power_of_two().text("lanes in each direction");
        f("lane_rate", &link_spec::lane_rate).at_least(core::bandwidth::from_gb_per_s(0.25)).text("rate of a lane");
        f("sample_time", &link_spec::sample_time).text("time between two decisions");
        f("reversible", &link_spec::reversible).text("whether lanes may turn");
    }
};

struct tree_spec {
    std::string name = "node";
    link_spec up{.lanes = 8};
    std::vector<tree_spec> children;
    bool operator==(const tree_spec& other) const {
        return name == other.name && up == other.up && children == other.children;
    }

    static void describe(config::fields<tree_spec>& f) {
        f("name", &tree_spec::name).required().text("name of the node");
        f("up", &tree_spec::up).text("link to the parent");
        f("children", &tree_spec::children).text("nodes below");
    }
};

struct communication_spec {
    std::string from, to;
    core::bytes size{1 << 20};
    std::optional<core::sim_time> start;
    friend bool operator==(const communication_spec&, const communication_spec&) = default;

    static void describe(config::fields<communication_spec>& f) {
        f("from", &communication_spec::from).required().text("who sends");
        f("to", &communication_spec::to).required().text("who receives");
        f("size", &communication_spec::size).in(core::bytes{1}, core::bytes{1ull << 40}).text("amount");
        f("start", &communication_spec::start).text("when it begins; absent: at once");
    }
};

struct rich_spec {
    std::string title = "untitled";
    unsigned inputs = 2;
    std::int8_t tilt = -3;
    std::int64_t offset = 0;
    std::uint64_t seed = 1;
    double share = 0.5;
    std::vector<unsigned> weights{1, 1};
    std::vector<std::string> labels;
    std::vector<std::vector<double>> matrix;
    core::bytes max_payload{256};
    core::frequency clock{1e9};
    core::sim_time patience = core::sim_time::from_us(100);
    arbitration kind = arbitration::round_robin;
    std::vector<arbitration> fallbacks;
    std::optional<core::bandwidth> socket_link;
    std::optional<link_spec> spare;
    link_spec link{.lanes = 4};
    tree_spec tree;
    std::vector<communication_spec> communications;
    friend bool operator==(const rich_spec&, const rich_spec&) = default;

    static void describe(config::fields<rich_spec>& f) {
        f("title", &rich_spec::title).text("what the report calls it");
        f("inputs", &rich_spec::inputs).in(1, 64).text("input ports that compete for this output");
        f("tilt", &rich_spec::tilt).unit("degrees").text("as built");
        f("offset", &rich_spec::offset);
        f("seed", &rich_spec::seed).text("of all random choices");
        f("share", &rich_spec::share).in(0, 1).text("of the link");
        f("weights", &rich_spec::weights)
            .in(1, 1000)
            .unit("TLPs")
            .text("TLPs an input may send in its turn")
            .check([](const std::vector<unsigned>& w) { return !w.empty(); }, "at least one element");
        f("labels", &rich_spec::labels);
        f("matrix", &rich_spec::matrix).text("rows of numbers");
        f("max_payload", &rich_spec::max_payload)
            .in(core::bytes{64}, core::bytes{4096})
            .power_of_two()
            .text("largest payload of a TLP");
        f("clock", &rich_spec::clock).text("of the core");
        f("patience", &rich_spec::patience).text("before it counts as stuck");
        f("kind", &rich_spec::kind).text("who goes first");
        f("fallbacks", &rich_spec::fallbacks).text("in order");
        f("socket_link", &rich_spec::socket_link)
            .check([](core::bandwidth b) { return b.bytes_per_s > 0; }, "more than nothing")
            .text("between the packages");
        f("spare", &rich_spec::spare).text("a second link");
        f("link", &rich_spec::link).text("the link");
        f("tree", &rich_spec::tree).text("the machine");
        f("communications", &rich_spec::communications).text("who sends what to whom");
    }
};

}  // namespace contraflow::config_test

template <> struct contraflow::config::enum_names<contraflow::config_test::arbitration> {
    using e = contraflow::config_test::arbitration;
    static constexpr std::array names{std::pair{e::round_robin, "round_robin"}, std::pair{e::weighted, "weighted"},
                                      std::pair{e::oldest_first, "oldest_first"}};
};
