// SPDX-License-Identifier: Apache-2.0
// A platform for the tests of sweeps: its duration and its end are configured, and it writes the begin and end of each
// run to the file that PROBE_JOURNAL names. With PROBE_GATE=FILE a run lasts until FILE is there, with
// PROBE_GATE_FROM=N as well only the journal's N-th run and those after it.
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "face/platform.h"

namespace {

namespace core = contraflow::core;
namespace config = contraflow::config;
namespace face = contraflow::face;

enum class ending { finish, check_fails, no_progress, crash };

struct part_spec {
    unsigned weight = 1;
    static void describe(config::fields<part_spec>& f) {
        f("weight", &part_spec::weight).in(0, 100).text("of this part");
    }
};

enum class form { fixed, varied };

struct shape_spec {
    form kind = form::fixed;
    unsigned height = 1, depth = 1;
    static void describe(config::fields<shape_spec>& f);
};

struct probe_spec {
    unsigned factor = 2;
    core::bytes size{64};
    std::string name = "plain";
    std::string input;
    core::sim_time pause;
    ending end = ending::finish;
    std::vector<part_spec> parts = std::vector<part_spec>(2);
    shape_spec shape;
    static void describe(config::fields<probe_spec>& f);
};

}  // namespace

template <> struct contraflow::config::enum_names<ending> {
    static constexpr std::array names{std::pair{ending::finish, "finish"},
                                      std::pair{ending::check_fails, "check_fails"},
                                      std::pair{ending::no_progress, "no_progress"}, std::pair{ending::crash, "crash"}};
};

template <> struct contraflow::config::enum_names<form> {
    static constexpr std::array names{std::pair{form::fixed, "fixed"}, std::pair{form::varied, "varied"}};
};

namespace {

void shape_spec::describe(config::fields<shape_spec>& f) {
    f("kind", &shape_spec::kind).decides().text("which of the others are meant");
    f("height", &shape_spec::height).text("of the shape");
    f("depth", &shape_spec::depth).text("of the shape");
}

void probe_spec::describe(config::fields<probe_spec>& f) {
    f("factor", &probe_spec::factor).in(0, 1000).text("by which the size is multiplied");
    f("size", &probe_spec::size).text("what is multiplied");
    f("name", &probe_spec::name).text("of the workload");
    f("input", &probe_spec::input).text("a file");
    f("pause", &probe_spec::pause).text("what the run takes on the clock on the wall");
    f("end", &probe_spec::end).text("how the run ends");
    f("parts", &probe_spec::parts).text("a list");
    f("shape", &probe_spec::shape).text("a map, one of whose keys decides");
}

std::string line_of(const std::string& what, const probe_spec& spec) {
    return fmt::format("{} {} {} {}", what, spec.name, spec.factor, core::to_text(spec.size));
}

void note(const std::string& what, const probe_spec& spec) {
    const char* const journal = std::getenv("PROBE_JOURNAL");
    if (journal != nullptr) std::ofstream(journal, std::ios::app) << line_of(what, spec) + "\n";
}

// Which run of the journal this one is, from 1, as its line tells.
unsigned number_of(const probe_spec& spec) {
    std::ifstream journal(std::getenv("PROBE_JOURNAL"));
    unsigned runs = 0, number = 0;
    for (std::string line; std::getline(journal, line);) {
        if (!line.starts_with("begin ")) continue;
        ++runs;
        if (line == line_of("begin", spec)) number = runs;
    }
    return number;
}

// Whether the run waits for the gate's file.
bool is_held(const probe_spec& spec) {
    const char* const from = std::getenv("PROBE_GATE_FROM");
    return std::getenv("PROBE_GATE") != nullptr &&
           (from == nullptr || number_of(spec) >= static_cast<unsigned>(std::stoul(from)));
}

class probe final : public face::platform<probe_spec> {
public:
    std::string_view name() const override { return "probe"; }
    std::string_view summary() const override { return "Multiplies, slowly."; }
    void prepare(config::loaded<probe_spec>& spec, config::diagnostics& diag) override {
        if (spec.value.factor == 13 && spec.value.name == "unlucky")
            diag.error(spec.where("name"), "this name does not go with 13", "another name");
    }
    nlohmann::ordered_json results_form(const config::loaded<probe_spec>&) const override {
        return {{"product", 1},
                {"detail", {{"share", 1.0}, {"verified", true}}},
                {"variants", {{{"kind", "static"}, {"time", 4.0}}}},
                {"only_large", ""}};
    }
    int run(const config::loaded<probe_spec>& spec, face::run_context& context) override {
        const probe_spec& s = spec.value;
        note("begin", s);
        const auto until = std::chrono::steady_clock::now() + std::chrono::nanoseconds(s.pause.ps / 1000);
        const bool held = is_held(s);
        const auto is_shut = [held] { return held && !std::ifstream(std::getenv("PROBE_GATE")); };
        while (context.keep_going() && (std::chrono::steady_clock::now() < until || is_shut()))
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (s.end == ending::crash) throw std::runtime_error("out of luck, \"badly\"");
        face::report_data& report = context.report();
        report.title = "a product";
        report.levels = {{"product", s.factor % 2 == 0 ? "even" : "odd"}};
        report.results["product"] = s.factor * s.size.count;
        report.results["detail"]["share"] = 1.0 / (1 + s.factor);
        report.results["detail"]["verified"] = true;
        report.results["variants"] = {{{"kind", "static"}, {"time", 4.0}},
                                      {{"kind", "dynamic"}, {"time", 4.0 / s.factor}}};
        if (s.factor > 2) report.results["only_large"] = "yes, \"large\"";
        if (s.end == ending::no_progress) report.headline = {"begun", "stuck at 5 ms"};
        if (s.end == ending::check_fails) report.conservation = {{"packets", "packets", 2, 1}};
        note("end", s);
        return s.end == ending::no_progress ? face::exit_no_progress : face::exit_ok;
    }
};

}  // namespace

int main(int argc, char** argv) {
    probe platform;
    return face::main(argc, argv, platform);
}
