// SPDX-License-Identifier: Apache-2.0
#include "face/terminal/progress.h"

#include <array>
#include <utility>

#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "face/terminal/text_layout.h"

namespace contraflow::face {
namespace {

// Three digits: core::to_text prints every picosecond, which is unreadable while it changes.
std::string short_time(core::sim_time t) {
    constexpr std::array units{"ps", "ns", "us", "ms", "s"};
    double value = static_cast<double>(t.ps);
    std::size_t unit = 0;
    while (value >= 999.5 && unit + 1 < units.size()) {
        value /= 1000;
        ++unit;
    }
    return fmt::format("{:.{}f}{}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, units[unit]);
}

void write_to_terminal(std::string_view text) {
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

progress_line::progress_line(std::function<void(std::string_view)> write, std::size_t columns, clock::time_point start)
    : write_(std::move(write)),
      columns_(columns),
      next_(start + first_after),
      phase_start_(start) {}

progress_line progress_line::for_terminal(bool wanted) {
    if (!wanted || ::isatty(STDERR_FILENO) == 0) return {nullptr, 0, clock::now()};
    struct winsize size {};
    const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return {write_to_terminal, known ? size.ws_col : std::size_t{80}, clock::now()};
}

void progress_line::update(clock::time_point wall, core::sim_time now, std::uint64_t done, std::uint64_t total,
                           std::string_view unit) {
    if (!enabled()) return;
    if (unit != unit_ || total != total_ || done < done_) {
        const bool first = unit_.empty();
        unit_ = unit;
        total_ = total;
        phase_first_ = first ? 0 : done;
        if (!first) phase_start_ = wall;
    }
    done_ = done;
    if (wall < next_) return;
    next_ = wall + interval;
    std::string line = text(std::chrono::duration<double>(wall - phase_start_).count(), now);
    // A line that wraps could not be erased any more.
    while (display_width(line) >= columns_ && !line.empty()) line.pop_back();
    write_("\r" + line + "\x1b[K");
    shown_ = true;
}

std::string progress_line::text(double seconds, core::sim_time now) const {
    const double rate = seconds > 0 ? static_cast<double>(done_ - phase_first_) / seconds : 0;
    std::string out = now.ps > 0 ? fmt::format("sim {}  ", short_time(now)) : "";
    out += fmt::format("{} {}/s  {}", with_prefix(rate), printable(unit_), with_separators(done_));
    if (total_ > 0) out += fmt::format(" of {}", with_separators(total_));
    if (total_ > done_ && rate > 0) out += "  est " + duration_text(static_cast<double>(total_ - done_) / rate);
    return out;
}

void progress_line::erase() {
    if (shown_) write_("\r\x1b[K");
    shown_ = false;
}

}  // namespace contraflow::face
