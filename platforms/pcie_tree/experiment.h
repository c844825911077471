// SPDX-License-Identifier: Apache-2.0
// What a configuration of pcie_tree says: the tree, who sends what to whom, and at which level it is evaluated.
// Every field is described once, beside its default; checks that span fields are in tree_config.h and communications.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "core/units.h"
#include "pcie/fabric/fabric_spec.h"
#include "pcie/fabric/topology.h"
#include "pcie/link/link_rate.h"
#include "pcie/model/network.h"

namespace contraflow::pcie_tree {

enum class evaluation_level { model, tlm, both };
// One send at most, so that sums of a million stay far from overflow.
inline constexpr core::bytes largest_send{std::uint64_t{1} << 43};

// What an endpoint is; patterns run between GPUs unless their participants are named.
enum class device_role { gpu, nic, storage, other };
enum class pattern_kind { none, halo_2d, halo_3d, scatter, gather, all_to_all, ring, random };
enum class search_mode { none, exhaustive, budget, automatic };

// A node of the tree, and the link between it and the node it stands under.
struct node_spec {
    std::string name;
    pcie::node_kind kind = pcie::node_kind::endpoint;
    std::optional<device_role> device;
    std::optional<std::string> link;
    std::string about;
    std::vector<node_spec> children;

    static void describe(config::fields<node_spec>& f) {
        f("name", &node_spec::name).text("what communications and reports call it; unique in the tree");
        f("kind", &node_spec::kind).text("the root is a root_complex, or a machine with several; leaves are endpoints");
        f("device", &node_spec::device).text("what an endpoint is; a gpu if not given. Patterns run between GPUs");
        f("link", &node_spec::link)
            .check(is_link_rate, "a generation from 1 to 6 and a width of 1, 2, 4, 8 or 16, such as 'gen3 x16'")
            .text("link to the node above; the tree's `link` if not given");
        f("about", &node_spec::about).text("what a person should know of it: model, bus id");
        f("children", &node_spec::children).text("nodes below");
    }
    static bool is_link_rate(const std::string& text) { return pcie::parse_link_rate(text).has_value(); }
};

// The closed-form congestion model's two constants.
struct model_spec {
    core::bandwidth bandwidth = core::bandwidth::from_gib_per_s(11.6);
    double tau = pcie::model::default_tau;

    static void describe(config::fields<model_spec>& f) {
        f("bandwidth", &model_spec::bandwidth)
            .check([](core::bandwidth b) { return b.bytes_per_s >= 1; }, "at least 1B/s")
            .text("effective bandwidth of a gen3 x16 link; other links in proportion to their raw rate");
        f("tau", &model_spec::tau).in(0.0, 0.99).text("share of a port that the root complex's small packets lose");
    }
};

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

// The order of one source's sends, where it is not the ascending one.
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
    std::optional<core::bytes> max_size;
    std::vector<send_order_spec> order;

    static void describe(config::fields<pattern_spec>& f) {
        f("kind", &pattern_spec::kind).text("who sends to whom; none: only what is listed or traced");
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
            .text("random: sizes are uniform from 1 byte to this, unless `size` is given");
        f("order", &pattern_spec::order).text("sources whose sends are not in ascending order of destination");
    }
};

struct search_spec {
    search_mode mode = search_mode::automatic;
    std::uint64_t exhaustive_limit = 10'000'000;
    std::uint64_t evaluations = 200'000;
    std::uint64_t seed = 1;

    static void describe(config::fields<search_spec>& f) {
        f("mode", &search_spec::mode)
            .text("search for the best order of sends; auto: exhaustive up to exhaustive_limit orders, else by budget");
        f("exhaustive_limit", &search_spec::exhaustive_limit).at_least(1).unit("orders").text("see mode");
        f("evaluations", &search_spec::evaluations).at_least(1).unit("orders").text("budget: orders evaluated at most");
        f("seed", &search_spec::seed).text("budget: same seed, same answer, on any number of cores");
    }
};

// What --trace and --wave show.
struct window_spec {
    core::sim_time from{};
    core::sim_time to = core::sim_time::from_us(20);

    static void describe(config::fields<window_spec>& f) {
        f("from", &window_spec::from).text("first moment shown");
        f("to", &window_spec::to).text("from here on nothing is shown");
    }
};

struct experiment {
    evaluation_level level = evaluation_level::model;
    node_spec tree;
    std::string link = "gen3 x16";
    std::optional<core::bandwidth> socket_link;
    model_spec model;
    std::vector<communication_spec> communications;
    pattern_spec pattern;
    std::optional<std::string> trace;
    search_spec search;
    pcie::fabric_spec tlm;
    window_spec window;
    std::uint64_t seed = 0;

    static void describe(config::fields<experiment>& f) {
        f("level", &experiment::level).text("closed-form model, TLM, or both with the difference tabulated");
        f("tree", &experiment::tree).text("root complex, switches and endpoints");
        f("link", &experiment::link)
            .check(node_spec::is_link_rate,
                   "a generation from 1 to 6 and a width of 1, 2, 4, 8 or 16, such as 'gen3 x16'")
            .text("link of the nodes that don't give one");
        f("socket_link", &experiment::socket_link)
            .check([](core::bandwidth b) { return b.bytes_per_s >= 1; }, "at least 1B/s")
            .text("raw rate between the root complexes of a machine, of which overheads take their part; without it "
                  "they are not joined");
        f("model", &experiment::model).text("constants of the closed-form model");
        f("communications", &experiment::communications).text("sends, one by one; pattern and trace add to them");
        f("pattern", &experiment::pattern).text("sends by a rule");
        f("trace", &experiment::trace).text("CSV file `start,from,to,bytes`, relative to this file");
        f("search", &experiment::search).text("the best order of each source's sends");
        f("tlm", &experiment::tlm).text("parameters of the TLM model");
        f("window", &experiment::window).text("what --trace and --wave show of the TLM model");
        f("seed", &experiment::seed).text("of everything random; 0: pattern, search and tlm.faults have their own");
    }
};

}  // namespace contraflow::pcie_tree

namespace contraflow::config {

template <> struct enum_names<pcie_tree::evaluation_level> {
    using e = pcie_tree::evaluation_level;
    static constexpr std::array names{std::pair{e::model, "model"}, std::pair{e::tlm, "tlm"},
                                      std::pair{e::both, "both"}};
};
template <> struct enum_names<pcie::node_kind> {
    using e = pcie::node_kind;
    static constexpr std::array names{std::pair{e::machine, "machine"}, std::pair{e::root_complex, "root_complex"},
                                      std::pair{e::pcie_switch, "switch"}, std::pair{e::endpoint, "endpoint"}};
};
template <> struct enum_names<pcie_tree::device_role> {
    using e = pcie_tree::device_role;
    static constexpr std::array names{std::pair{e::gpu, "gpu"}, std::pair{e::nic, "nic"},
                                      std::pair{e::storage, "storage"}, std::pair{e::other, "other"}};
};
template <> struct enum_names<pcie_tree::pattern_kind> {
    using e = pcie_tree::pattern_kind;
    static constexpr std::array names{std::pair{e::none, "none"},       std::pair{e::halo_2d, "halo_2d"},
                                      std::pair{e::halo_3d, "halo_3d"}, std::pair{e::scatter, "scatter"},
                                      std::pair{e::gather, "gather"},   std::pair{e::all_to_all, "all_to_all"},
                                      std::pair{e::ring, "ring"},       std::pair{e::random, "random"}};
};
template <> struct enum_names<pcie_tree::search_mode> {
    using e = pcie_tree::search_mode;
    static constexpr std::array names{std::pair{e::none, "none"}, std::pair{e::exhaustive, "exhaustive"},
                                      std::pair{e::budget, "budget"}, std::pair{e::automatic, "auto"}};
};

}  // namespace contraflow::config
