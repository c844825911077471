// SPDX-License-Identifier: Apache-2.0
// The argument of a platform's run(): the place of results, the requests of the command line, and when to stop.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/units.h"
#include "face/command_line/wave_request.h"
#include "face/results/report_data.h"
#include "face/run/growing_file.h"
#include "face/run/interrupt.h"
#include "face/terminal/progress.h"
#include "observe/trace.h"
#include "observe/waves/wave_recording.h"

namespace contraflow::face {

// Where the results of --out go.
struct results_place {
    std::filesystem::path wanted;  // --out
    std::filesystem::path filled;  // the directory that takes that name after the run
};

struct run_settings {
    std::uint64_t seed = 1;
    unsigned jobs = 1;
    bool quiet = false;
    bool show_progress = false;
    std::optional<results_place> results{};  // with --out
    core::sim_time limit_time = core::sim_time::never();
    double limit_wall_s = std::numeric_limits<double>::infinity();
    std::optional<wave_request> waves{};
};

enum class stop_reason { none, signal, wall_limit };

class run_context {
public:
    // The pointers may be null; their objects must outlive the context.
    run_context(run_settings settings, std::ostream& text, observe::trace* trace = nullptr,
                observe::wave_recording* waves = nullptr, const interrupt* signals = nullptr);

    // The platform fills it; the face writes it, prints it and renders the page.
    report_data& report() { return report_; }
    // A warning about the inputs: of the report, and of config.yaml, which the next run reads.
    void warn_of_input(const std::string& warning) {
        report_.warnings.push_back(warning);
        input_warnings_.push_back(warning);
    }
    const std::vector<std::string>& input_warnings() const { return input_warnings_; }
    std::uint64_t seed() const { return settings_.seed; }
    bool quiet() const { return settings_.quiet; }
    unsigned jobs() const { return settings_.jobs; }
    // The directory being filled, if --out was given; extra files such as cases.json go there.
    std::optional<std::filesystem::path> out() const {
        return settings_.results ? std::optional(settings_.results->filled) : std::nullopt;
    }
    // The file that an option asks for beside the results. Throws usage_error if it can't be written there.
    std::unique_ptr<growing_file> grow(const std::string& option, const std::filesystem::path& wanted) const;
    observe::trace* trace() { return trace_; }  // null unless --trace
    // Records the waves of --wave; null without. If the command line does not say which time to show, the
    // platform may.
    observe::wave_recording* waves() { return waves_; }
    bool waves_are_bounded() const {
        return settings_.waves && (settings_.waves->window || !settings_.waves->event.empty());
    }
    // The event around which waves are shown; empty if none was asked for. The platform sets the time around it.
    std::string wave_event() const { return settings_.waves ? settings_.waves->event : std::string(); }
    // Further signals that are shown with the recorded ones after the run.
    void add_wave_source(std::unique_ptr<wave::wave_source_if> source) { wave_sources_.push_back(std::move(source)); }
    const std::vector<std::unique_ptr<wave::wave_source_if>>& wave_sources() const { return wave_sources_; }
    core::sim_time limit_time() const { return settings_.limit_time; }

    // False after SIGINT or --limit-wall: end with partial results. Cheap; any thread may ask.
    bool keep_going();
    // The reason for which keep_going() was false.
    stop_reason stopped() const { return stopped_.load(std::memory_order_relaxed); }

    // Runs long work that does not check signals and limits in another thread, and waits for its end while
    // keep_going(). Rethrows its exception. False: the wait was given up and the work goes on, so the objects it uses
    // must never be destroyed; the process exits without it when the results are written.
    bool carry_out(std::function<void()> work);
    bool left_work_behind() const { return left_work_behind_; }

    // Cheap; one thread at a time. `now` 0: no simulated time to show. `total` 0: unknown.
    void progress(core::sim_time now, std::uint64_t done, std::uint64_t total, std::string_view unit);
    void erase_progress() { progress_.erase(); }

    // Text for standard output, before the report's own.
    std::ostream& out_stream();
    // Scheduler callbacks executed, for the speed in the manifest; adds up.
    void count_callbacks(std::uint64_t executed) { callbacks_ += executed; }
    std::uint64_t callbacks() const { return callbacks_; }

private:
    run_settings settings_;
    std::ostream& text_;
    observe::trace* trace_;
    observe::wave_recording* waves_;
    std::vector<std::unique_ptr<wave::wave_source_if>> wave_sources_;
    const interrupt* signals_;
    report_data report_;
    std::vector<std::string> input_warnings_;
    std::chrono::steady_clock::time_point start_;
    std::atomic<stop_reason> stopped_{stop_reason::none};
    progress_line progress_;
    std::uint64_t callbacks_ = 0;
    bool left_work_behind_ = false;
};

}  // namespace contraflow::face
