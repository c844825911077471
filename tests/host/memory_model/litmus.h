// SPDX-License-Identifier: Apache-2.0
// Litmus tests: a few instructions of two to four wavefronts on two words, and an outcome that the memory model
// forbids, or allows. Each is tried many times in one kernel that runs on all GPUs: on words that lie anywhere, by
// wavefronts of the same CTA, of the same GPU or of different ones, which begin nearly at the same time. Other tries on
// the same pages run at the same time, so that these move in the middle where pages move.
#pragma once

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "core/random.h"
#include "host/migration/migrating_machine.h"

namespace contraflow::host::testing {

enum class litmus_op : std::uint8_t {
    store,
    load,       // reads any copy there is
    uncached,   // reads the home
    until_set,  // the same, repeated until it is not 0 or the number of tries is used up
    exchange,   // an atomic operation: it reads as well
    fence,
    load_and_store,  // an uncached load of the word and a store to the other one, at the same time
};
struct litmus_step {
    litmus_op op = litmus_op::fence;
    unsigned word = 0;  // 0: x, 1: y
    std::uint32_t value = 0;
};

// The values of the loads, in program order, thread after thread; and the contents of memory at the end.
struct litmus_outcome {
    std::array<std::uint32_t, 6> saw{};
    std::array<std::uint32_t, 2> end{};
};

struct litmus_test {
    std::string name;
    std::vector<std::vector<litmus_step>> threads;
    bool (*weak)(const litmus_outcome&) = nullptr;
    // Forbidden; or allowed, and required to occur where pages stay, or also where they move.
    enum { forbidden, seen, seen_in_moves } is = forbidden;
    bool begins_with_copies = false;  // the loading thread has older copies of both words
    unsigned times = 1;               // factor for the number of tries
};

enum class litmus_distance { same_cta, same_gpu, other_gpu };
inline constexpr unsigned litmus_distances = 3;

class litmus_run {
public:
    static constexpr unsigned ctas_a_gpu = 2, waves = 2;

    litmus_run(migrating_machine& m, const std::vector<litmus_test>& tests, unsigned times, std::uint64_t seed)
        : m_(m),
          tests_(tests),
          actors_(m.gpus.gpus() * ctas_a_gpu * waves),
          draw_(seed),
          q_(m.c.create_queue()) {
        for (unsigned n = 0; n < times; ++n)
            for (unsigned t = 0; t < tests.size(); ++t)
                for (unsigned k = 0; k < tests[t].times; ++k) tries_.push_back(draw(t));
        meetings_ = m.c.allocate<std::uint32_t>(tries_.size());
        words_ = m.c.allocate<std::uint32_t>(2 * tries_.size() * line_words);
        // Each word is in a line of its own, anywhere.
        std::vector<std::uint32_t> lines(2 * tries_.size());
        std::iota(lines.begin(), lines.end(), 0u);
        core::shuffle(lines, draw_);
        for (std::size_t i = 0; i < tries_.size(); ++i)
            tries_[i].word = {lines[2 * i] * line_words, lines[2 * i + 1] * line_words};
    }

    gpu::host_task run() {
        co_await q_.launch(
            {"litmus", m_.gpus.gpus() * ctas_a_gpu, waves * gpu::default_wave_width, this, &litmus_run::body});
        std::vector<std::uint32_t> end(words_.size());
        co_await q_.copy_from_device(end, words_);
        for (attempt& a : tries_)
            for (unsigned v = 0; v < 2; ++v) a.outcome.end[v] = end[a.word[v]];
    }
    // How often the test had its outcome.
    std::uint64_t weak(unsigned test, litmus_distance d) const {
        std::uint64_t n = 0;
        for (const attempt& a : tries_) n += a.test == test && a.distance == d && tests_[test].weak(a.outcome) ? 1 : 0;
        return n;
    }

private:
    static constexpr std::uint32_t line_words = 32;
    struct attempt {
        unsigned test = 0;
        litmus_distance distance = litmus_distance::other_gpu;
        std::array<unsigned, 4> actor{};  // the actor of each thread
        std::array<unsigned, 4> delay{};
        std::array<unsigned, 4> known{};  // pages that the thread has used before: a bit for each word
        std::array<std::uint32_t, 2> word{};
        litmus_outcome outcome;
    };

    attempt draw(unsigned test) {
        attempt a;
        a.test = test;
        const auto threads = static_cast<unsigned>(tests_[test].threads.size());
        a.distance = threads > 2 ? litmus_distance::other_gpu : static_cast<litmus_distance>(draw_.below(4) % 3);
        const unsigned step = a.distance == litmus_distance::same_cta   ? 1
                              : a.distance == litmus_distance::same_gpu ? waves
                                                                        : ctas_a_gpu * waves;
        const auto first = static_cast<unsigned>(draw_.below(actors_) / (2 * step) * (2 * step));
        const auto turn = static_cast<unsigned>(draw_.below(2));
        const std::uint64_t most = draw_.below(2) == 0 ? 60 : 1500;
        for (unsigned t = 0; t < threads; ++t) {
            a.actor[t] = threads > 2 ? (first + t * step) % actors_ : first + (t ^ turn) * step;
            a.delay[t] = static_cast<unsigned>(draw_.below(most));
            // The first access of several waits for its translation, and the last does not.
            a.known[t] =
                draw_.below(2) == 0 ? 1u << tests_[test].threads[t].back().word : static_cast<unsigned>(draw_.below(4));
        }
        return a;
    }

    gpu::kernel body(gpu::wave w) {
        const auto me = static_cast<unsigned>(w.cta() * waves + w.wave_in_cta());
        const auto one = w.only(gpu::mask::thread(0));
        for (std::size_t i = 0; i < tries_.size(); ++i) {
            attempt& a = tries_[i];
            const litmus_test& test = tests_[a.test];
            const auto actors = a.actor.begin() + static_cast<std::ptrdiff_t>(test.threads.size());
            const auto at = std::find(a.actor.begin(), actors, me);
            if (at == actors) continue;
            const auto thread = static_cast<unsigned>(at - a.actor.begin());
            for (unsigned v = 0; v < 2; ++v)
                if (test.begins_with_copies)
                    co_await w.load(words_, a.word[v]);
                else if ((a.known[thread] >> v & 1) != 0)  // another line of the page
                    co_await w.load_uncached(words_, a.word[v] ^ line_words);
            co_await meet(w, i);
            if (a.delay[thread] != 0) co_await w.compute(a.delay[thread]);
            co_await act(w, a, thread);
        }
    }
    // The wavefronts of a try begin together.
    gpu::kernel meet(gpu::wave w, std::size_t number) {
        const std::size_t all = tests_[tries_[number].test].threads.size();
        const auto before = co_await w.atomic_add(meetings_, number, 1u);
        if (before[0] + 1 == all) co_return;
        for (;;) {
            const auto here = co_await w.load_uncached(meetings_, number);
            if (here[0] == all) break;
            co_await w.compute(200);
        }
    }
    gpu::kernel act(gpu::wave w, attempt& a, unsigned thread) {
        const litmus_test& test = tests_[a.test];
        std::size_t out = 0;
        for (unsigned t = 0; t < thread; ++t) out += loads(test.threads[t]);
        for (const litmus_step& s : test.threads[thread]) {
            const std::uint32_t at = a.word[s.word], other = a.word[1 - s.word];
            switch (s.op) {
            case litmus_op::store: co_await w.store(words_, at, s.value); break;
            case litmus_op::load: {
                const auto v = co_await w.load(words_, at);
                a.outcome.saw[out++] = v[0];
                break;
            }
            case litmus_op::uncached: {
                const auto v = co_await w.load_uncached(words_, at);
                a.outcome.saw[out++] = v[0];
                break;
            }
            case litmus_op::until_set:
                for (unsigned n = 0; n < 20; ++n) {
                    const auto v = co_await w.load_uncached(words_, at);
                    a.outcome.saw[out] = v[0];
                    if (v[0] != 0) break;
                }
                ++out;
                break;
            case litmus_op::exchange: {
                const auto v = co_await w.atomic_exchange(words_, at, s.value);
                a.outcome.saw[out++] = v[0];
                break;
            }
            case litmus_op::fence: co_await w.fence(); break;
            case litmus_op::load_and_store: {
                auto [v, nothing] = co_await w.all(w.load_uncached(words_, at), w.store(words_, other, s.value));
                (void)nothing;
                a.outcome.saw[out++] = v[0];
                break;
            }
            }
        }
    }
    static std::size_t loads(const std::vector<litmus_step>& steps) {
        return static_cast<std::size_t>(std::count_if(steps.begin(), steps.end(), [](const litmus_step& s) {
            return s.op != litmus_op::store && s.op != litmus_op::fence;
        }));
    }

    migrating_machine& m_;
    const std::vector<litmus_test>& tests_;
    const unsigned actors_;
    core::random_source draw_;
    command_queue& q_;
    gpu::array<std::uint32_t> meetings_, words_;
    std::vector<attempt> tries_;
};

}  // namespace contraflow::host::testing
