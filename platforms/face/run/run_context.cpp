// SPDX-License-Identifier: Apache-2.0
#include "face/run/run_context.h"

#include <cmath>
#include <future>
#include <ostream>
#include <thread>
#include <utility>

namespace contraflow::face {

run_context::run_context(run_settings settings, std::ostream& text, observe::trace* trace,
                         observe::wave_recording* waves, const interrupt* signals)
    : settings_(std::move(settings)),
      text_(text),
      trace_(trace),
      waves_(waves),
      signals_(signals),
      start_(std::chrono::steady_clock::now()),
      progress_(progress_line::for_terminal(settings_.show_progress && !settings_.quiet)) {}

std::unique_ptr<growing_file> run_context::grow(const std::string& option, const std::filesystem::path& wanted) const {
    const auto& results = settings_.results;
    return std::make_unique<growing_file>(option, wanted, results ? std::optional(results->wanted) : std::nullopt);
}

bool run_context::keep_going() {
    if (stopped() != stop_reason::none) return false;
    if (signals_ != nullptr && signals_->signal() != 0) {
        stopped_.store(stop_reason::signal, std::memory_order_relaxed);
        return false;
    }
    if (std::isinf(settings_.limit_wall_s)) return true;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    if (elapsed.count() < settings_.limit_wall_s) return true;
    stopped_.store(stop_reason::wall_limit, std::memory_order_relaxed);
    return false;
}

bool run_context::carry_out(std::function<void()> work) {
    constexpr std::chrono::milliseconds between_looks{10};
    std::packaged_task<void()> task(std::move(work));
    std::future<void> end = task.get_future();
    std::thread thread(std::move(task));
    while (end.wait_for(between_looks) != std::future_status::ready) {
        if (keep_going()) continue;
        thread.detach();
        left_work_behind_ = true;
        return false;
    }
    thread.join();
    end.get();
    return true;
}

void run_context::progress(core::sim_time now, std::uint64_t done, std::uint64_t total, std::string_view unit) {
    if (progress_.enabled()) progress_.update(progress_line::clock::now(), now, done, total, unit);
}

std::ostream& run_context::out_stream() {
    progress_.erase();
    return text_;
}

}  // namespace contraflow::face
