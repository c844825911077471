// SPDX-License-Identifier: Apache-2.0
// Makes all runs of a configuration, one after the other, and one report: every workload on every variant of the
// machine. A platform derives from program_study<Kind, Result>, where Kind is its enum of variants and Result its
// runner::run_outcome, and says how one run is made and what its report has.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "face/platform.h"
#include "face/run/growing_file.h"
#include "face/run/run_context.h"
#include "runner/run.h"
#include "study/capacity_error.h"
#include "study/program_bench.h"
#include "study/study_spec.h"

namespace contraflow::study {

template <class Kind, class Result> struct compared_run {
    Kind kind{};
    Result result;
};

// A workload on every variant.
template <class Kind, class Result> struct comparison {
    using run = compared_run<Kind, Result>;
    std::string workload;    // its name
    std::string parameters;  // "grid 1024, dimensions 2"
    std::vector<run> runs;

    const run* find(Kind kind) const {
        const auto found = std::find_if(runs.begin(), runs.end(), [kind](const run& r) { return r.kind == kind; });
        return found == runs.end() ? nullptr : &*found;
    }
    // How many times as fast as `reference` it was; 0 if one of them did not end.
    static double speed_up(const run& reference, const run& of) {
        const auto &first = reference.result, &r = of.result;
        return first.complete() && r.complete() && r.end.ps != 0 ? first.end.seconds() / r.end.seconds() : 0;
    }
    // The same in a table: "-" if one of them did not end.
    static face::cell speed_up_cell(const run& reference, const run& of) {
        const double times = speed_up(reference, of);
        return times > 0 ? face::cell(times) : face::cell(std::string("-"));
    }
    // "matmul-dca"
    std::string id(const run& r) const { return fmt::format("{}-{}", workload, name_of(r.kind)); }
};

// A platform's input for one run.
struct run_request {
    const workloads::selection& workload;
    std::string what;  // "multigrid, dynamic links"
    runner::limits limits;
    observation seen;
};

// The part that is independent of variants and results.
class study_base {
public:
    // `record` takes the accesses of the first run; null if there is no recording.
    study_base(face::run_context& context, face::growing_file* record) : context_(context), record_(record) {}
    virtual ~study_base() = default;

protected:
    // Tells the user if trace or waves show no requests, and how many requests there were.
    void tell_what_is_not_shown(const run_request& asked, const runner::run_outcome& r);
    void keep_record(face::growing_file& file, const runner::run_outcome& r, const std::string& what);
    // The watched run and the first run have more output than the others.
    void watch(run_request& asked, const gpu::trace_window& window);
    void raise(int code) { code_ = std::max(code_, code); }
    int code() const { return code_; }
    void stop() { stopped_ = true; }
    bool goes_on() const { return !stopped_ && code_ < face::exit_no_progress; }
    face::run_context& context() { return context_; }
    face::report_data& report() { return context_.report(); }
    face::growing_file* take_record() { return std::exchange(record_, nullptr); }
    // Limits what --wave records, before its run begins.
    virtual void bound_waves() {}

private:
    face::run_context& context_;
    face::growing_file* record_;
    bool stopped_ = false;
    int code_ = face::exit_ok;
};

template <class Kind, class Result> class program_study : public study_base {
public:
    using run_type = compared_run<Kind, Result>;
    using comparison_type = comparison<Kind, Result>;

    program_study(const study_spec<Kind>& settings, unsigned gpus, face::run_context& context,
                  face::growing_file* record)
        : study_base(context, record),
          settings_(settings),
          gpus_(gpus) {}

    // An exit code.
    int run() {
        for (const auto& w : workloads_of(settings_, gpus_)) {
            if (!goes_on()) break;
            all_.push_back({w.name(), w.parameters_text(), {}});
            for (const Kind kind : kinds()) {
                run_one(w, kind);
                if (!goes_on()) break;
            }
        }
        finish();
        return code();
    }

protected:
    // --- implemented by the platform
    // Builds a machine of that kind, and runs the workload on it.
    virtual Result run_on(Kind kind, const run_request& asked) = 0;
    // The problem of the configuration if that machine is too small for the workload; none if the error is another one.
    virtual std::optional<config::problem> capacity_problem(const std::exception& e, Kind kind,
                                                            const workloads::selection& w) const = 0;
    // "dynamic links"
    virtual std::string kind_text(Kind kind) const { return std::string(name_of(kind)); }
    virtual std::vector<Kind> kinds() const { return settings_.compare; }
    // The variant that trace and waves show.
    virtual Kind watched_kind() const { return kinds().back(); }
    // Further notes on a run, after its errors.
    virtual void tell(const run_type&, const std::string& /*what*/) {}
    // Title and levels; then the headlines and sections of each workload; then the parts about all of them.
    virtual void begin_report() = 0;
    virtual void add_comparison(const comparison_type& c) = 0;
    virtual void end_report() {}
    virtual nlohmann::ordered_json results_of_run(const comparison_type& c, const run_type& r) const = 0;

    const std::vector<comparison_type>& comparisons() const { return all_; }

private:
    void run_one(const workloads::selection& w, Kind kind) {
        run_request asked{w,
                          fmt::format("{}, {}", w.name(), kind_text(kind)),
                          runner::limits_of(context(), settings_.watchdog, "requests"),
                          {}};
        asked.seen.series_window = settings_.series_window;
        face::growing_file* const record = take_record();
        if (record != nullptr) asked.seen.record = &record->stream();
        const bool watched = kind == watched_kind() && !std::exchange(watched_, true);
        if (watched) watch(asked, settings_.window);
        auto& runs = all_.back().runs;
        try {
            runs.push_back({kind, run_on(kind, asked)});
        } catch (const std::bad_alloc&) {
            throw face::configuration_error(too_large_for_the_host(w));
        } catch (const std::exception& e) {
            if (const auto p = capacity_problem(e, kind, w)) throw face::configuration_error(*p);
            throw;
        }
        run_type& r = runs.back();
        if (record != nullptr) keep_record(*record, r.result, asked.what);
        raise(runner::judge(r.result, asked.what, context()));
        if (!r.result.difference.empty()) stop();
        runner::add_statistics(r.result, fmt::format("{}.{}", w.name(), name_of(kind)), report());
        tell(r, asked.what);
        if (watched) tell_what_is_not_shown(asked, r.result);
    }

    void finish() {
        begin_report();
        report().results["workloads"] = nlohmann::ordered_json::array();
        for (const auto& c : all_) {
            if (!c.runs.empty()) add_comparison(c);
            nlohmann::ordered_json out{{"workload", c.workload}, {"parameters", c.parameters}};
            for (const auto& r : c.runs) out[std::string(name_of(r.kind))] = results_of_run(c, r);
            report().results["workloads"].push_back(std::move(out));
        }
        end_report();
    }

    const study_spec<Kind>& settings_;
    const unsigned gpus_;
    std::vector<comparison_type> all_;
    bool watched_ = false;
};

// `results` as program_study leaves them, of runs that all ended. `results_of_run` writes one run's.
template <class Comparison, class Kind, class ResultsOfRun>
nlohmann::ordered_json results_form(const std::vector<workloads::selection>& workloads, const std::vector<Kind>& kinds,
                                    const typename decltype(Comparison::runs)::value_type& ended,
                                    ResultsOfRun results_of_run) {
    nlohmann::ordered_json out{{"workloads", nlohmann::ordered_json::array()}};
    for (const auto& w : workloads) {
        Comparison c{w.name(), w.parameters_text(), {}};
        nlohmann::ordered_json one{{"workload", c.workload}, {"parameters", c.parameters}};
        for (const Kind kind : kinds) {
            c.runs.push_back(ended);
            c.runs.back().kind = kind;
        }
        for (const auto& run : c.runs) one[std::string(name_of(run.kind))] = results_of_run(c, run);
        out["workloads"].push_back(std::move(one));
    }
    return out;
}

void add_record_option(CLI::App& app, std::optional<std::string>& record);

// A platform whose run is a study: it has --record. Platforms derive from it and make their study.
template <class Experiment> class study_platform : public face::platform<Experiment> {
public:
    std::string_view arguments_for_defaults() const override { return "--set workload.name=triad"; }
    void options(CLI::App& app) override { add_record_option(app, record_); }
    int run(const config::loaded<Experiment>& loaded, face::run_context& context) override {
        std::unique_ptr<face::growing_file> record;
        if (record_) record = context.grow("--record", *record_);
        const int code = run_study(loaded.value, context, record.get());
        // Another thread may still write to it.
        if (record && context.left_work_behind()) record.release()->discard();
        return code;
    }

private:
    virtual int run_study(const Experiment& settings, face::run_context& context, face::growing_file* record) = 0;

    std::optional<std::string> record_;  // the file that takes a trace
};

}  // namespace contraflow::study
