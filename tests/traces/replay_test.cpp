// SPDX-License-Identifier: Apache-2.0
// A replay does the same as the recorded run, at the same times.
#include <sstream>

#include <gtest/gtest.h>

#include "gpu/kernel/ideal_machine.h"
#include "gpu/whole_gpu.h"
#include "traces/recorder.h"
#include "traces/replay.h"
#include "traces/text_form.h"
#include "workloads/selection.h"

namespace contraflow::traces {
namespace replay_test {

using namespace gpu;
using gpu::testing::small_gpu;
using gpu::testing::whole_gpu;

// The observable behaviour of a machine: begin and end of every launch, every statistic.
struct outcome {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> launches;
    std::vector<std::string> statistics;
    std::uint64_t callbacks = 0;

    bool operator==(const outcome&) const = default;
};

// The first difference between them.
std::string difference(const outcome& a, const outcome& b) {
    if (a.launches.size() != b.launches.size()) return "another number of launches";
    for (std::size_t i = 0; i < a.launches.size(); ++i)
        if (a.launches[i] != b.launches[i])
            return fmt::format("launch {} from {} to {} ps, not {} to {}", i, a.launches[i].first, a.launches[i].second,
                               b.launches[i].first, b.launches[i].second);
    for (std::size_t i = 0; i < std::min(a.statistics.size(), b.statistics.size()); ++i)
        if (a.statistics[i] != b.statistics[i]) return fmt::format("{}, not {}", a.statistics[i], b.statistics[i]);
    return a == b ? "" : fmt::format("{} callbacks, not {}", a.callbacks, b.callbacks);
}

outcome outcome_of(whole_gpu& g) {
    g.expect_clean();
    outcome o;
    for (const auto& l : g.gpu.host().launches()) o.launches.emplace_back(l.begun.ps, l.ended_at.ps);
    for (const auto& row : g.statistics.rows(g.sim.events().now()))
        o.statistics.push_back(fmt::format("{}.{} {}", row.path, row.metric, row.value));
    o.callbacks = g.sim.events().executed();
    return o;
}

workloads::selection program(const std::string& name, std::initializer_list<std::pair<const char*, const char*>> set) {
    workloads::selection s(name);
    for (const auto& [key, value] : set) EXPECT_TRUE(s.set(key, value)) << name << "." << key;
    return s;
}

// What a replay repeats: a trace has accesses to the scratchpad as work only.
outcome of_replay(outcome o) {
    std::erase_if(o.statistics, [](const std::string& s) {
        return s.find(".scratchpad.") != std::string::npos || s.find(".bank_conflicts.") != std::string::npos;
    });
    return o;
}

outcome plain(const gpu_spec& s, const workloads::selection& what) {
    whole_gpu g(s);
    const auto w = what.create();
    w->prepare(g.gpu.memory());
    g.run(w->run(g.gpu.host()));
    return outcome_of(g);
}

outcome recorded(const gpu_spec& s, const workloads::selection& what, bytes& contents) {
    whole_gpu g(s);
    std::ostringstream out;
    recorder r(g.gpu.host(), out);
    const auto w = what.create();
    w->prepare(r.memory());
    g.run(w->run(r));
    r.finish();
    EXPECT_EQ(w->verify(g.gpu.memory()), "");
    const auto text = out.str();
    contents.assign(text.begin(), text.end());
    return outcome_of(g);
}

outcome replayed(const gpu_spec& s, const bytes& contents, bytes* again = nullptr) {
    whole_gpu g(s);
    replay p{trace(contents)};
    std::ostringstream out;
    recorder r(g.gpu.host(), out);
    gpu_system_if& on = again != nullptr ? static_cast<gpu_system_if&>(r) : g.gpu.host();
    p.prepare(on.memory());
    EXPECT_NE(p.verify(), "");
    g.run(p.run(on));
    EXPECT_EQ(p.verify(), "");
    if (again != nullptr) {
        r.finish();
        const auto text = out.str();
        again->assign(text.begin(), text.end());
    }
    return outcome_of(g);
}

// Barriers, scratchpads, atomics, joint accesses, data-dependent addresses, launches that depend on results.
std::vector<workloads::selection> programs() {
    return {program("bfs", {{"graph.scale", "8"}}),
            program("radix_sort", {{"n", "1000"}, {"ctas", "4"}, {"block", "64"}}),
            program("kmeans", {{"points", "500"}, {"block", "64"}}), program("needleman_wunsch", {{"n", "64"}}),
            program("all_reduce", {{"n", "2000"}, {"ctas", "4"}})};
}

TEST(replay, takes_the_same_time_to_the_cycle) {
    for (const unsigned wave_width : {32u, 64u}) {
        gpu_spec s = small_gpu();
        s.coherence = wave_width == 32 ? coherence::memory_side : coherence::remote_caching;
        s.unit.wave_width = wave_width;
        for (const auto& what : programs()) {
            SCOPED_TRACE(what.name());
            bytes contents;
            const auto wanted = plain(s, what);
            EXPECT_EQ(difference(recorded(s, what, contents), wanted), "") << "recording has an effect";
            EXPECT_EQ(difference(of_replay(replayed(s, contents)), of_replay(wanted)), "");
        }
    }
}

TEST(replay, on_wavefronts_of_another_width_is_refused) {
    for (const unsigned wave_width : {32u, 64u}) {
        gpu_spec s = small_gpu();
        s.unit.wave_width = wave_width;
        bytes contents;
        recorded(s, programs()[0], contents);
        EXPECT_EQ(trace(contents).wave_width(), wave_width);
        s.unit.wave_width = 96 - wave_width;
        whole_gpu g(s);
        replay p{trace(contents)};
        p.prepare(g.gpu.memory());
        try {
            g.run(p.run(g.gpu.host()));
            FAIL();
        } catch (const other_wave_width& e) {
            EXPECT_EQ(std::string(e.what()), fmt::format("the trace is of wavefronts of {} threads, and this machine's "
                                                         "have {}",
                                                         wave_width, 96 - wave_width));
        }
    }
}

using short_program = host_task (*)(gpu_system_if& on, device_memory& memory);

void takes_the_same_time_when_replayed(short_program run) {
    const auto plain_outcome = [&] {
        whole_gpu g(small_gpu());
        g.run(run(g.gpu.host(), g.gpu.memory()));
        return outcome_of(g);
    };
    std::ostringstream out;
    const auto recorded_outcome = [&] {
        whole_gpu g(small_gpu());
        recorder r(g.gpu.host(), out);
        g.run(run(r, r.memory()));
        r.finish();
        return outcome_of(g);
    };
    const auto wanted = plain_outcome();
    EXPECT_EQ(difference(recorded_outcome(), wanted), "");
    const auto text = out.str();
    const bytes contents(text.begin(), text.end());
    bytes again;
    EXPECT_EQ(difference(replayed(small_gpu(), contents), wanted), "");
    replayed(small_gpu(), contents, &again);
    EXPECT_EQ(again, contents);
}

// Loads begin ahead of their use, some in the same instruction, and are used one by one, together, and never.
TEST(replay, of_loads_ahead_of_their_use_takes_the_same_time) {
    takes_the_same_time_when_replayed([](gpu_system_if& on, device_memory& memory) -> host_task {
        const auto a = memory.allocate<double>(4096), b = memory.allocate<double>(4096);
        co_await on.launch({"ahead", 4, 64, [a, b](wave w) -> kernel {
                                auto next = w.load(a, w.global_ids());
                                for (auto i : w.share(4096)) {
                                    const auto now = next, other = w.load(a, i ^ 64);
                                    w.work(7);
                                    next = w.load(a, i + 256, i < 3840u);
                                    co_await w.compute(5);
                                    const auto x = co_await now;
                                    const auto [y, z] = co_await w.all(other, w.load(b, i));
                                    co_await w.store(b, i, x + y + z);
                                    static_cast<void>(w.load(b, 0));
                                }
                            }});
    });
}

// Loads that no copy may answer: in the trace they are that as well.
TEST(replay, of_uncached_loads_takes_the_same_time) {
    takes_the_same_time_when_replayed([](gpu_system_if& on, device_memory& memory) -> host_task {
        const auto a = memory.allocate<double>(1024);
        co_await on.launch({"uncached", 4, 64, [a](wave w) -> kernel {
                                for (unsigned round = 0; round < 4; ++round) {
                                    co_await w.load(a, w.global_ids());
                                    co_await w.load_uncached(a, w.global_ids());
                                }
                            }});
    });
}

// The program uploads nothing: a replay allocates everything before its first write.
TEST(replay, recorded_again_is_the_same_trace) {
    bytes contents, again;
    recorded(small_gpu(), programs()[1], contents);
    replayed(small_gpu(), contents, &again);
    EXPECT_EQ(again, contents);
}

// Offsets are in arrays: a trace from a machine without time, or with other pages, does the same accesses elsewhere.
TEST(replay, runs_on_another_machine_than_it_was_recorded_on) {
    ideal_machine machine;
    std::ostringstream out;
    recorder r(machine, out);
    const auto w = program("radix_sort", {{"n", "1000"}, {"ctas", "4"}, {"block", "64"}}).create();
    w->prepare(r.memory());
    machine.run(w->run(r));
    r.finish();
    EXPECT_EQ(w->verify(machine.memory()), "");
    const auto text = out.str();
    const bytes contents(text.begin(), text.end());
    gpu_spec s = small_gpu();
    s.pages.page_size = {65536};
    EXPECT_EQ(replayed(s, contents).launches.size(), trace(contents).launches().size());
}

TEST(replay, by_way_of_the_text_form_takes_the_same_time) {
    bytes contents;
    const auto wanted = recorded(small_gpu(), programs()[1], contents);
    std::stringstream text;
    to_text(trace(contents), text);
    std::ostringstream out;
    to_bytes(text, "t", out);
    const auto form = out.str();
    EXPECT_EQ(difference(of_replay(replayed(small_gpu(), bytes(form.begin(), form.end()))), of_replay(wanted)), "");
}

TEST(recorder, passes_on_what_a_kernel_throws) {
    whole_gpu g(small_gpu());
    std::ostringstream out;
    recorder r(g.gpu.host(), out);
    const auto a = r.memory().allocate<std::uint32_t>(4);
    const auto faulty = [&](gpu_system_if& on) -> host_task {
        co_await on.launch({"faulty", 1, 32, [a](wave w) -> kernel { co_await w.store(a, w.thread_ids(), 1u); }});
    };
    EXPECT_THROW(g.run(faulty(r)), std::out_of_range);
}

// Launches that the program makes without waiting for each other remain so.
TEST(recorder, notes_what_the_program_waited_for) {
    ideal_machine machine;
    std::ostringstream out;
    recorder r(machine, out);
    const auto a = r.memory().allocate<std::uint32_t>(32);
    const kernel_launch::entry body = [a](wave w) -> kernel { co_await w.store(a, w.thread_ids(), 1u); };
    const auto two_then_one = [&](gpu_system_if& on) -> host_task {
        auto first = on.launch({"first", 1, 32, body});
        auto second = on.launch({"second", 1, 32, body});
        co_await first;
        co_await second;
        co_await on.launch({"third", 1, 32, body});
    };
    machine.run(two_then_one(r));
    r.finish();
    const auto text = out.str();
    const trace t(bytes(text.begin(), text.end()));
    ASSERT_EQ(t.launches().size(), 3u);
    EXPECT_EQ(t.launches()[1].ended, 0u);
    EXPECT_EQ(t.launches()[2].ended, 2u);
}

}  // namespace replay_test
}  // namespace contraflow::traces
