// SPDX-License-Identifier: Apache-2.0
// The transfers of a configuration: listed one by one, by a pattern, or from a trace. Checks that span
// fields are in communications.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "core/units.h"

namespace contraflow::transfers {

// The largest size of one send, so that the sum of a million sends is far from overflow.
inline constexpr core::bytes largest_send{std::uint64_t{1} << 43};

enum class pattern_kind { none, halo_2d, halo_3d, scatter, gather, all_to_all, ring, random };

struct communication_spec {
    std::string name;
    std::string from;
    std::string to;
    core::bytes size;
    core::sim_time start;

    static void describe(config::fields<communication_spec>& f) {
        f("name", &communication_spec::name).text("what the report calls it; 'from->to' if empty");
        f("from", &communication_spec::from).required().text("endpoint that sends");
        f("to", &communication_spec::to).required().text("endpoint that receives");
        f("size", &communication_spec::size).required().in(core::bytes{1}, largest_send).text("payload");
        f("start", &communication_spec::start).text("when the source asks for it");
    }
};

// The order of one source's sends, if it is not the ascending one.
struct send_order_spec {
    std::string source;
    std::vector<std::string> to;

    static void describe(config::fields<send_order_spec>& f) {
        f("source", &send_order_spec::source).required().text("endpoint whose sends are ordered");
        f("to", &send_order_spec::to).required().text("each of its destinations, first to last");
    }
};

struct pattern_spec {
    pattern_kind kind = pattern_kind::none;
    std::vector<std::string> participants;
    std::vector<unsigned> grid;
    bool periodic = false;
    std::vector<std::uint64_t> domain;
    std::uint64_t halo_width = 1;
    core::bytes cell_size{8};
    std::uint64_t fields = 1;
    std::optional<core::bytes> size;
    std::optional<std::string> root;
    std::uint64_t count = 8;
    std::uint64_t seed = 1;
    std::optional<core::bytes> min_size, max_size;
    std::vector<send_order_spec> order;

    static void describe(config::fields<pattern_spec>& f) {
        f("kind", &pattern_spec::kind).decides().text("who sends to whom; none: only what is listed or traced");
        f("participants", &pattern_spec::participants)
            .text("endpoints, in order of rank; empty: every GPU of the tree, or every endpoint if none is a GPU");
        f("grid", &pattern_spec::grid).text("halo: ranks a dimension, x first: rank = x + nx * (y + ny * z)");
        f("periodic", &pattern_spec::periodic).text("halo: the grid's ends are neighbours");
        f("domain", &pattern_spec::domain)
            .unit("cells")
            .text("halo: cells of a rank a dimension; faces give the sizes");
        f("halo_width", &pattern_spec::halo_width).in(1, 1024).unit("cells").text("halo: layers of cells exchanged");
        f("cell_size", &pattern_spec::cell_size)
            .in(core::bytes{1}, core::bytes{1u << 20})
            .text("halo: one cell of one field");
        f("fields", &pattern_spec::fields).in(1, 1000000).text("halo: fields exchanged together");
        f("size", &pattern_spec::size)
            .in(core::bytes{1}, largest_send)
            .text("size of every send, where no domain gives it");
        f("root", &pattern_spec::root).text("scatter, gather: the one endpoint; the first participant if not given");
        f("count", &pattern_spec::count).in(1, 1000000).unit("sends").text("random: how many");
        f("seed", &pattern_spec::seed).text("random: same seed, same sends");
        f("max_size", &pattern_spec::max_size)
            .in(core::bytes{1}, largest_send)
            .text("random, without size: sizes are uniform up to this");
        f("min_size", &pattern_spec::min_size)
            .in(core::bytes{1}, largest_send)
            .text("random: the least of sizes up to max_size; 1 byte if not given");
        f("order", &pattern_spec::order).text("sources whose sends are not in ascending order of destination");
    }
};

struct transfer_spec {
    std::vector<communication_spec> communications;
    pattern_spec pattern;
    std::optional<std::string> trace;

    // Describes it as a part of an experiment.
    template <class S> static void describe(config::fields<S>& f) {
        f("communications", &S::communications).text("sends, one by one; pattern and trace add to them");
        f("pattern", &S::pattern).text("sends by a rule");
        f("trace", &S::trace)
            .text("CSV file `start,from,to,bytes`, such as `1.5ms,gpu0,gpu1,4096`; relative to this file");
    }
};

}  // namespace contraflow::transfers

namespace contraflow::config {

template <> struct enum_names<transfers::pattern_kind> {
    using e = transfers::pattern_kind;
    static constexpr std::array names{std::pair{e::none, "none"},       std::pair{e::halo_2d, "halo_2d"},
                                      std::pair{e::halo_3d, "halo_3d"}, std::pair{e::scatter, "scatter"},
                                      std::pair{e::gather, "gather"},   std::pair{e::all_to_all, "all_to_all"},
                                      std::pair{e::ring, "ring"},       std::pair{e::random, "random"}};
};

}  // namespace contraflow::config
