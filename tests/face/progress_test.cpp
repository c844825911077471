// SPDX-License-Identifier: Apache-2.0
#include "face/terminal/progress.h"

#include <csignal>
#include <string>
#include <vector>

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command.h"

namespace face = contraflow::face;
namespace core = contraflow::core;
namespace test = contraflow::test;
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

namespace {

// A line on a terminal of that number of columns. The test moves the clock.
struct bench {
    explicit bench(std::size_t columns)
        : line([this](std::string_view text) { written.emplace_back(text); }, columns, start) {}
    void at(std::chrono::milliseconds when, core::sim_time now, std::uint64_t done, std::uint64_t total,
            const char* unit = "TLP") {
        line.update(start + when, now, done, total, unit);
    }
    face::progress_line::clock::time_point start{};
    std::vector<std::string> written;
    face::progress_line line;
};

}  // namespace

TEST(progress, says_nothing_for_two_seconds_then_five_times_a_second) {
    bench b(80);
    b.at(1000ms, {}, 1, 10);
    b.at(1999ms, {}, 2, 10);
    EXPECT_THAT(b.written, IsEmpty());
    for (int ms = 2000; ms < 3000; ms += 10) b.at(std::chrono::milliseconds(ms), {}, 3, 10);
    EXPECT_EQ(b.written.size(), 5u);
}

TEST(progress, shows_time_rate_done_total_and_what_is_left) {
    bench b(80);
    b.at(2000ms, core::sim_time::from_ns(12'345), 81'204, 200'000);
    b.line.erase();
    EXPECT_THAT(b.written, ElementsAre("\rsim 12.3us  40.6k TLP/s  81,204 of 200,000  est 2.9s\x1b[K", "\r\x1b[K"));
    b.line.erase();
    EXPECT_EQ(b.written.size(), 2u) << "nothing is left to erase";
}

TEST(progress, leaves_out_what_is_not_known) {
    bench b(80);
    b.at(2000ms, {}, 4000, 0, "orders");
    EXPECT_THAT(b.written, ElementsAre("\r2k orders/s  4,000\x1b[K"));
}

TEST(progress, a_new_phase_has_a_rate_of_its_own) {
    bench b(80);
    b.at(2000ms, {}, 1'000'000, 1'000'000, "orders");
    b.at(2200ms, {}, 0, 100, "runs");
    b.at(3200ms, {}, 50, 100, "runs");
    EXPECT_THAT(b.written.back(), HasSubstr("50 runs/s  50 of 100  est 1.0s"));
}

TEST(progress, never_fills_the_terminals_last_column) {
    bench b(20);
    b.at(2000ms, core::sim_time::from_ns(12'345), 81'204, 200'000);
    EXPECT_EQ(b.written[0], "\rsim 12.3us  40.6k T\x1b[K");
}

TEST(progress, is_drawn_and_erased_on_a_real_terminal_only) {
    int terminal = -1;
    const struct winsize size { 24, 100, 0, 0 };
    const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, &size);
    if (pid == 0) {
        ::execl(TINY_PLATFORM, TINY_PLATFORM, "--set", "end=run_on", nullptr);
        ::_exit(127);
    }
    const test::scratch dir;
    test::command piped({TINY_PLATFORM, "--set", "end=run_on", "--limit-wall", "2.5"}, dir.path());
    std::string seen;
    char buffer[4096];
    bool drawn = false;
    for (ssize_t got = 0; (got = ::read(terminal, buffer, sizeof buffer)) > 0;) {
        seen.append(buffer, static_cast<std::size_t>(got));
        if (drawn || seen.find(" of 10,000,000  est ") == std::string::npos) continue;
        drawn = true;
        ::kill(pid, SIGINT);
    }
    ::waitpid(pid, nullptr, 0);
    ::close(terminal);
    EXPECT_THAT(seen, HasSubstr(" packets/s  "));
    EXPECT_THAT(seen, HasSubstr(" of 10,000,000  est "));
    const std::size_t erased = seen.rfind("\r\x1b[K");
    ASSERT_NE(erased, std::string::npos);
    EXPECT_LT(seen.rfind("packets/s"), erased);
    EXPECT_LT(erased, seen.find("Partial results")) << "erased before the report is printed";

    const test::outcome quiet = piped.wait();
    EXPECT_EQ(quiet.code, 4);
    EXPECT_THAT(quiet.err, Not(HasSubstr("packets/s")));
}
