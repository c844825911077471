// SPDX-License-Identifier: Apache-2.0
// Host programs that do at random, side by side, everything that a driver offers: kernels that race on shared memory
// on one GPU and on all, copies in every direction in the middle of them, memory that is allocated, used and freed.
#pragma once

#include <memory>

#include "gpu/kernel/ideal_machine.h"
#include "gpu/random_kernel.h"
#include "racing_kernel.h"

namespace contraflow::host::testing {

class random_host_program {
public:
    random_host_program(machine& m, std::uint64_t seed)
        : m_(m),
          race_(m, m.gpus.configuration().gpu.caches_remote()),
          seed_(seed) {
        for (unsigned g = 1; g <= m.gpus.gpus(); ++g) free_pages_ += m.driver.memory().free_pages(g);
    }

    // Runs the whole program; returns the first error, or nothing.
    std::string run() {
        core::random_source draw(seed_);
        std::vector<unsigned> all(m_.gpus.gpus());
        std::iota(all.begin(), all.end(), 1u);
        for (unsigned i = 0; i < 2; ++i) {
            context& c = m_.driver.create_context();
            processes_.push_back({c, c.create_unified_gpu(all), {}});
            for (unsigned n = 0; n < 2; ++n) processes_.back().shared.push_back(allocate(processes_.back(), draw));
        }
        // One GPU has hardly room for pages that move to it.
        context& c = m_.driver.create_context();
        const auto full = 1 + static_cast<unsigned>(draw.below(m_.gpus.gpus()));
        c.select_gpu(full);
        const std::uint64_t room = m_.driver.memory().free_pages(full);
        std::uint64_t held = 0;
        if (draw.below(2) == 0 && room > 24)
            held = c.allocate({(room - 12 - draw.below(12)) * m_.driver.memory().page_size()});
        for (unsigned i = 0; i < 4; ++i) m_.driver.start(work(processes_[i % 3 % 2], seed_ * 4 + i));
        m_.go_on();
        for (process& p : processes_) m_.driver.start(end(p));
        m_.go_on();
        if (held != 0) c.free(held);
        m_.sim.run_to(race_.now() + core::sim_time::from_us(10'000));
        for (unsigned g = 1; g <= m_.gpus.gpus(); ++g) free_pages_ -= m_.driver.memory().free_pages(g);
        if (wrong_.empty() && free_pages_ != 0) wrong_ = fmt::format("{} pages were not given back\n", free_pages_);
        return wrong_;
    }
    std::uint64_t outdated_loads() const { return outdated_; }
    std::uint64_t freed() const { return freed_; }

private:
    using words = std::unique_ptr<watched_words>;
    struct process {
        context& c;
        unsigned unified;
        std::vector<words> shared;
    };

    // The next allocation, at a random place.
    bool has_room() const {
        for (unsigned g = 1; g <= m_.gpus.gpus(); ++g)
            if (m_.driver.memory().free_pages(g) < 8) return false;
        return true;
    }
    // Runs on all GPUs or on one of them.
    void select(process& p, core::random_source& draw) {
        p.c.select_gpu(draw.below(3) == 0 ? 1 + static_cast<unsigned>(draw.below(m_.gpus.gpus())) : p.unified);
    }
    words allocate(process& p, core::random_source& draw) {
        select(p, draw);
        const auto order = draw.below(2) == 0 ? page_order::interleaved : page_order::runs;
        return std::make_unique<watched_words>(p.c, 1 + draw.below(4), order, draw.below(3) == 0, draw);
    }
    void free(process& p, words of) {
        note(*of);
        ++freed_;
        p.c.free(of->words().address());
    }
    void note(watched_words& of) {
        const std::string wrong = of.contradiction();
        if (wrong_.empty()) wrong_ = wrong;
        if (wrong.empty()) outdated_ += of.outdated_loads();
    }

    gpu::host_task work(process& p, std::uint64_t seed) {
        core::random_source draw(seed);
        std::vector<command_queue*> queues;
        for (unsigned i = 0; i < 3; ++i) {
            select(p, draw);
            queues.push_back(&p.c.create_queue());
        }
        for (unsigned round = 0; round < 8; ++round) {
            command_queue& q = *queues[draw.below(queues.size())];
            watched_words& shared = *p.shared[draw.below(p.shared.size())];
            switch (draw.below(8)) {
            case 0: co_await copy_in(p, q, shared, draw); break;
            case 1: co_await copy_out(p, q, shared, draw); break;
            case 2:
            case 3:
                if (has_room()) co_await use_once(p, q, shared, draw);
                break;
            case 4:
                if (draw.below(8) == 0 && has_room()) co_await use_alone(p, q, draw);
                break;
            default: co_await compete(q, *p.shared[0], *p.shared[1], draw); break;
            }
        }
    }
    gpu::host_task end(process& p) {
        command_queue& q = p.c.create_queue();
        for (words& w : p.shared) {
            co_await read_all(q, *w);
            free(p, std::move(w));
        }
    }

    gpu::host_task compete(command_queue& q, watched_words& x, watched_words& y, core::random_source& draw) {
        racing_kernel k(race_, {&x, &y}, draw.below(1'000'000));
        co_await k.run(q, static_cast<std::uint32_t>(1 + draw.below(2 * m_.gpus.gpus())),
                       static_cast<std::uint32_t>(8 + draw.below(100)));
    }
    // Memory that other programs have used before and will use again.
    gpu::host_task use_once(process& p, command_queue& q, watched_words& shared, core::random_source& draw) {
        words own = allocate(p, draw);
        co_await compete(q, *own, shared, draw);
        co_await copy_in(p, q, *own, draw);
        co_await compete(q, *own, *own, draw);
        if (draw.below(2) == 0) co_await read_all(q, *own);  // otherwise its pages may be moving
        free(p, std::move(own));
    }
    // Elements with one owner each, whose values are known.
    gpu::host_task use_alone(process& p, command_queue& q, core::random_source& draw) {
        const std::uint64_t seed = draw.below(1000);
        select(p, draw);
        gpu::testing::random_kernel k(p.c, seed);
        co_await k.run(q);
        gpu::testing::random_kernel::contents_of_memory got;
        got.words.resize(k.words().size());
        got.bytes.resize(k.bytes().size());
        got.counters.resize(k.counters().size());
        co_await q.copy_from_device(got.words, k.words());
        co_await q.copy_from_device(got.bytes, k.bytes());
        co_await q.copy_from_device(got.counters, k.counters());
        gpu::ideal_machine ideal;
        gpu::testing::random_kernel expected(ideal.memory(), seed);
        ideal.run(expected.run(ideal));
        if (wrong_.empty() && (k.wrong_loads() != 0 || got != expected.contents(ideal.memory())))
            wrong_ = fmt::format("what has one owner: {} wrong loads, or wrong contents in the end\n", k.wrong_loads());
        for (const std::uint64_t a : {k.words().address(), k.bytes().address(), k.counters().address()}) p.c.free(a);
    }

    // A run of words; may begin in another allocation, if allowed.
    struct part {
        gpu::array<std::uint32_t> at;
        std::uint32_t first = 0;
        place_access like{};
    };
    part choose(const watched_words& of, core::random_source& draw) {
        const auto size = static_cast<std::uint32_t>(of.words().size());
        const auto first = static_cast<std::uint32_t>(draw.below(size));
        const auto n = static_cast<std::uint32_t>(1 + draw.below(std::min<std::uint32_t>(size - first, 1500)));
        return {of.words().slice(first, n), first, one()};
    }
    place_access one() {
        place_access a;
        a.wave = a.cta = a.unit = race_.next_number();
        a.unit += 1u << 31;  // not a unit of any GPU
        a.from = race_.now();
        return a;
    }
    gpu::host_task copy_in(process& p, command_queue& q, watched_words& to, core::random_source& draw) {
        if (to.only_added_to()) co_return;
        part c = choose(to, draw);
        std::vector<std::uint32_t> values(c.at.size(), ~0u);
        for (std::uint32_t i = 0; i < values.size(); ++i)
            if (to.watches(c.first + i)) values[i] = race_.next_number();
        const bool by_way = draw.below(2) == 0 && has_room();
        std::uint64_t between = 0;
        if (by_way) {
            select(p, draw);
            between = p.c.allocate({values.size() * sizeof(values[0])});
            co_await q.copy_to_device(between, std::as_bytes(std::span(values)));
            c.like.from = race_.now();
        }
        pending_stores stores;
        c.like.kind = place_access_kind::write;
        c.like.to = core::sim_time::never();
        for (std::uint32_t i = 0; i < values.size(); ++i) {
            if (!to.watches(c.first + i)) continue;
            c.like.wrote = values[i];
            stores.add(to.of_word(c.first + i), c.like);
        }
        if (by_way)
            co_await q.copy(c.at.address(), between, values.size() * sizeof(values[0]));
        else
            co_await q.copy_to_device(c.at, values);
        stores.happened(race_.now());
        if (by_way) p.c.free(between);
    }
    gpu::host_task copy_out(process& p, command_queue& q, watched_words& from, core::random_source& draw) {
        part c = choose(from, draw);
        std::vector<std::uint32_t> values(c.at.size());
        const bool by_way = draw.below(2) == 0 && has_room();
        if (by_way) {
            select(p, draw);
            const std::uint64_t between = p.c.allocate({values.size() * sizeof(values[0])});
            co_await q.copy(between, c.at.address(), values.size() * sizeof(values[0]));
            c.like.to = race_.now();
            co_await q.copy_from_device(std::as_writable_bytes(std::span(values)), between);
            p.c.free(between);
        } else {
            co_await q.copy_from_device(values, c.at);
            c.like.to = race_.now();
        }
        saw(from, c, values);
    }
    gpu::host_task read_all(command_queue& q, watched_words& from) {
        part c{from.words(), 0, one()};
        std::vector<std::uint32_t> values(c.at.size());
        co_await q.copy_from_device(values, c.at);
        c.like.to = race_.now();
        saw(from, c, values);
    }
    static void saw(watched_words& from, part& c, const std::vector<std::uint32_t>& values) {
        for (std::uint32_t i = 0; i < values.size(); ++i) {
            if (!from.watches(c.first + i)) continue;
            c.like.saw = values[i];
            from.of_word(c.first + i).add(c.like);
        }
    }

    machine& m_;
    race race_;
    const std::uint64_t seed_;
    std::vector<process> processes_;
    std::uint64_t free_pages_ = 0, outdated_ = 0, freed_ = 0;
    std::string wrong_;
};

}  // namespace contraflow::host::testing
