// SPDX-License-Identifier: Apache-2.0
// my_platform: what further sockets bring. The same program runs on machines of one, two and four GPU sockets.
#include <array>
#include <utility>

#include "study/gpu_system_bench.h"
#include "study/stage_chart.h"
#include "study/study.h"

namespace my_platform {

namespace config = contraflow::config;
namespace core = contraflow::core;
namespace face = contraflow::face;
namespace gpu = contraflow::gpu;
namespace runner = contraflow::runner;
namespace study = contraflow::study;
using study::name_of;

// --- 1. the variants of the machine, and what a configuration says

enum class machine { one, two, four };

}  // namespace my_platform

template <> struct contraflow::config::enum_names<my_platform::machine> {
    using e = my_platform::machine;
    static constexpr std::array names{std::pair{e::one, "one"}, std::pair{e::two, "two"}, std::pair{e::four, "four"}};
};

namespace my_platform {

struct experiment : study::study_spec<machine> {
    gpu::gpu_spec gpu;

    experiment() { compare = {machine::one, machine::two, machine::four}; }
    static void describe(config::fields<experiment>& f) {
        gpu::gpu_spec::describe_sockets(f, [](const experiment& e) -> const gpu::gpu_spec& { return e.gpu; });
        describe_programs(f, "a run on each number of sockets. Speed-ups are over the first");
        describe_run(f, "window of statistics over time", "window of --trace, of the last run that is compared");
    }
};

gpu::gpu_spec machine_with(machine m, gpu::gpu_spec s) {
    s.sockets = m == machine::one ? 1 : m == machine::two ? 2 : 4;
    return s;
}

// --- 2. the machine in a run, and what is known of it at the end

struct result : runner::run_outcome {
    std::array<study::stage_bar, 2> loads;  // of the own socket's memory, of others'
};

class bench final : public study::gpu_system_bench {
public:
    bench(const gpu::gpu_spec& s, const study::run_request& asked, result& r)
        : gpu_system_bench(asked.workload, asked.seen, s, asked.seen.series_window),
          result_(r) {}

    void sum_up(core::sim_time) override {
        machine.settle();
        for (const bool remote : {false, true})
            add(result_.loads[remote ? 1 : 0], machine.profile(), gpu::access_kind::load, remote);
    }

private:
    result& result_;
};

// --- 3. the runs, and what the report has of them

class sockets_study final : public study::program_study<machine, result> {
public:
    sockets_study(const experiment& e, face::run_context& context, face::growing_file* record)
        : program_study(e, 4, context, record),
          experiment_(e) {}

private:
    result run_on(machine m, const study::run_request& asked) override {
        result r;
        runner::run(std::make_unique<bench>(machine_with(m, experiment_.gpu), asked, r), asked.limits, r);
        return r;
    }
    std::optional<config::problem> capacity_problem(const std::exception& e, machine,
                                                    const contraflow::workloads::selection& w) const override {
        return study::capacity_problem(e, w, experiment_.gpu);
    }

    void begin_report() override {
        report().title = fmt::format("sockets of {} units", experiment_.gpu.units);
        report().levels = {{"GPUs", "TLM"}};
    }

    void add_comparison(const comparison_type& c) override {
        face::table t{c.workload, fmt::format("{}: {}", c.workload, c.parameters), {}, {}, {}};
        t.columns = {{"sockets", ""}, {"time", "us"}, {"speed-up", ""}, {"result", ""}, {"remote loads", "%"}};
        std::vector<study::stage_bar> bars;
        for (const auto& run : c.runs) {
            const auto& [own, others] = run.result.loads;
            const double all = static_cast<double>(own.count + others.count);
            t.rows.push_back({std::string(name_of(run.kind)), run.result.end.seconds() * 1e6,
                              c.speed_up(c.runs.front(), run), verdict_text(run.result),
                              all == 0 ? 0 : 100 * static_cast<double>(others.count) / all});
            bars.push_back(own);
            bars.back().category = fmt::format("{}, own memory", name_of(run.kind));
            if (others.count == 0) continue;
            bars.push_back(others);
            bars.back().category = fmt::format("{}, another socket's", name_of(run.kind));
        }
        using contraflow::memory::stage;
        auto chart = study::stage_chart(
            {{"unit and first level", {stage::coalescer, stage::l1, stage::merge}},
             {"crossbars", {stage::crossbar, stage::response_crossbar}},
             {"links", {stage::link_queue, stage::link, stage::response_link_queue, stage::response_link}},
             {"second level and DRAM", {stage::l2, stage::remote_l2, stage::dram, stage::remote_dram}}},
            bars);
        chart.id = c.workload + "-loads";
        chart.title = "Where loads spend their time";
        chart.x = {"sockets, and where the data is", ""};
        chart.y = {"mean time of a load", "ns"};
        report().sections.push_back({c.workload, c.workload, {t, chart}});
        const auto &first = c.runs.front(), &last = c.runs.back();
        if (first.result.complete() && last.result.complete())
            report().headline.push_back(fmt::format("{}: {} sockets are {:.2f} times as fast as {}", c.workload,
                                                    name_of(last.kind), c.speed_up(first, last), name_of(first.kind)));
    }

    nlohmann::ordered_json results_of_run(const comparison_type& c, const run_type& r) const override {
        return {{"time_us", r.result.end.seconds() * 1e6},
                {"speed_up", c.speed_up(c.runs.front(), r)},
                {"verified", r.result.verified()}};
    }

    const experiment& experiment_;
};

class platform final : public study::study_platform<experiment> {
public:
    std::string_view name() const override { return "my_platform"; }
    std::string_view summary() const override { return "what further sockets bring"; }
    void prepare(config::loaded<experiment>& loaded, config::diagnostics& diag) override {
        auto& e = loaded.value;
        const auto here = study::place_of(loaded, diag);
        study::check_compare(e, here, diag);
        study::check_window(e.window, here);
        for (const auto& p : problems_of(machine_with(machine::four, e.gpu))) loaded.report(p, diag);
        study::check_programs(e, 4, "the largest machine", here, diag);
    }

private:
    int run_study(const experiment& e, face::run_context& context, face::growing_file* record) override {
        return sockets_study(e, context, record).run();
    }
};

}  // namespace my_platform

int main(int argc, char** argv) {
    my_platform::platform p;
    return contraflow::face::main(argc, argv, p);
}
