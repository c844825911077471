// SPDX-License-Identifier: Apache-2.0
// The settings of a study of transfers over a PCIe tree: the level, the constants, and the search for the best order.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "config/fields.h"
#include "core/units.h"
#include "observe/time_window.h"
#include "observe/watchdog.h"
#include "pcie/fabric/fabric_spec.h"
#include "pcie/model/network.h"

namespace contraflow::pcie_study {

enum class evaluation_level { model, tlm, both };
enum class search_mode { none, exhaustive, budget, automatic };

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

// The packet-by-packet model, and the limit of its runs.
struct tlm_spec : pcie::fabric_spec {
    core::sim_time watchdog = observe::watchdog_key::usual;

    static void describe(config::fields<tlm_spec>& f) {
        describe_fabric(f);
        observe::watchdog_key::describe(f, &tlm_spec::watchdog);
    }
};

// A platform's configuration derives from this struct and lists these keys among its own.
struct study_spec {
    evaluation_level level = evaluation_level::model;
    model_spec model;
    search_spec search;
    tlm_spec tlm;
    bool bottleneck = true;
    observe::time_window window{{}, core::sim_time::from_us(20)};  // the time that --trace and --wave show
};

}  // namespace contraflow::pcie_study

namespace contraflow::config {

template <> struct enum_names<pcie_study::evaluation_level> {
    using e = pcie_study::evaluation_level;
    static constexpr std::array names{std::pair{e::model, "model"}, std::pair{e::tlm, "tlm"},
                                      std::pair{e::both, "both"}};
};
template <> struct enum_names<pcie_study::search_mode> {
    using e = pcie_study::search_mode;
    static constexpr std::array names{std::pair{e::none, "none"}, std::pair{e::exhaustive, "exhaustive"},
                                      std::pair{e::budget, "budget"}, std::pair{e::automatic, "auto"}};
};

}  // namespace contraflow::config
