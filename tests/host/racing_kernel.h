// SPDX-License-Identifier: Apache-2.0
// A kernel whose wavefronts load, store and modify the same few words in every possible way, and record what
// they did and saw.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "core/random.h"
#include "host/driver/command_queue.h"
#include "host/memory_model/watched_words.h"
#include "machine.h"

namespace contraflow::host::testing {

// The data that all racing kernels of a machine share: numbers that are used once, and the identities of wavefronts.
struct race {
    race(machine& on, bool units_share_copies) : m(on), one_unit(units_share_copies) {}

    core::sim_time now() const { return m.sim.events().now(); }
    std::uint32_t next_number() { return ++numbers; }
    std::uint32_t numbers_for(std::uint32_t many) { return (numbers += many) - many + 1; }  // the first of them
    std::uint32_t unit_of(const gpu::wave& w) {
        return one_unit ? 0 : units.try_emplace(&w.context().executor(), units.size() + 1).first->second;
    }

    machine& m;
    const bool one_unit;  // second levels have copies for all units of a GPU
    std::uint32_t numbers = 0;
    std::map<const gpu::wave_executor_if*, std::uint32_t> units;
};

class racing_kernel {
public:
    racing_kernel(race& r, std::vector<watched_words*> on, std::uint64_t seed)
        : race_(r),
          on_(std::move(on)),
          seed_(seed) {}

    gpu::host_task run(command_queue& q, std::uint32_t ctas, std::uint32_t threads) {
        first_cta_ = race_.numbers_for(ctas);
        first_wave_ = race_.numbers_for(ctas * most_waves);
        const event e = q.launch({"race", ctas, threads, this, &racing_kernel::body});
        command_ = &e.of();
        co_await e;
        stores_.happened(race_.now());
    }

private:
    using words = gpu::per_thread<std::uint32_t>;
    static constexpr std::uint32_t most_waves = 4;  // wavefronts of a CTA

    struct wavefront {
        core::random_source draw;
        place_access like{};  // identity of the wavefront
        pending_stores stores{};
    };
    // Some threads, each with a word of an allocation that no other thread has.
    struct instruction {
        watched_words* in = nullptr;
        gpu::mask active{};
        words at{};
        place_access like{};
        template <class Each> void each(Each what) const {
            for (gpu::mask left = active; left.any(); left = left.without_lowest())
                what(left.lowest(), in->of_word(at[left.lowest()]));
        }
    };

    instruction choose(const gpu::wave& w, wavefront& f) {
        instruction i;
        i.in = on_[f.draw.below(on_.size())];
        const unsigned threads = f.draw.below(2) == 0 ? 1 : 1 + static_cast<unsigned>(f.draw.below(8));
        const auto begin = static_cast<unsigned>(f.draw.below(watched_words::count));
        const auto stride = static_cast<unsigned>(1 + f.draw.below(watched_words::count - 1));
        const auto first = static_cast<unsigned>(f.draw.below(gpu::default_wave_width));
        for (unsigned n = 0; n < threads; ++n) {
            const unsigned thread = (first + n * 5) % gpu::default_wave_width;
            if (!w.active()[thread]) continue;
            i.active |= gpu::mask::thread(thread);
            i.at[thread] = i.in->word_of(begin + n * stride);
        }
        begin_step(i, f);
        return i;
    }
    void begin_step(instruction& i, wavefront& f) const {
        ++f.like.step;
        i.like = f.like;
        i.like.from = race_.now();
        i.like.copied_from = command_->begun();
    }
    words fresh(const instruction& i) {
        return words::from([&](unsigned thread) { return i.active[thread] ? race_.next_number() : 0; });
    }

    void saw(const instruction& i, place_access_kind kind, const words& values) const {
        place_access a = i.like;
        a.kind = kind;
        a.to = race_.now();
        i.each([&](unsigned thread, place_history& h) {
            a.saw = values[thread];
            h.add(a);
        });
    }
    // wrote(thread): whether the operation wrote, given the value that it saw.
    template <class Wrote> void modified(const instruction& i, const words& old, const words& to, Wrote wrote) const {
        place_access a = i.like;
        a.to = race_.now();
        i.each([&](unsigned thread, place_history& h) {
            a.kind = wrote(thread) ? place_access_kind::modify : place_access_kind::read;
            a.saw = old[thread];
            a.wrote = to[thread];
            h.add(a);
        });
    }

    gpu::kernel body(gpu::wave w) {
        wavefront f{core::random_source(seed_ * 7919 + w.cta() * most_waves + w.wave_in_cta())};
        f.like.cta = first_cta_ + static_cast<std::uint32_t>(w.cta());
        f.like.wave = first_wave_ + static_cast<std::uint32_t>(w.cta() * most_waves + w.wave_in_cta());
        f.like.unit = race_.unit_of(w);
        const auto phases = static_cast<std::uint32_t>(1 + seed_ % 3);  // the same for all wavefronts
        for (;; ++f.like.phase) {
            for (auto steps = f.draw.below(16); steps > 0; --steps) co_await step(w, f);
            if (f.like.phase + 1 == phases) break;
            co_await w.barrier();
            f.stores.happened(race_.now());
        }
        f.stores.hand_to(stores_);
    }
    gpu::kernel step(gpu::wave w, wavefront& f) {
        const auto what = f.draw.below(16);
        if (what == 0) {
            co_await w.fence();
            f.stores.happened(race_.now());
        } else if (what == 1) {
            w.work(f.draw.below(40));
        } else if (what < 5) {
            const instruction i = choose(w, f);
            const words x = co_await w.load(i.in->words(), i.at, i.active);
            saw(i, place_access_kind::cached_read, x);
        } else if (what == 5) {  // used after a later instruction
            const instruction i = choose(w, f);
            const auto ahead = w.load(i.in->words(), i.at, i.active);
            co_await write(w, f, 9 + f.draw.below(7));
            const words x = co_await ahead;
            saw(i, place_access_kind::cached_read, x);
        } else if (what < 8) {
            const instruction i = choose(w, f);
            const words x = co_await w.load_uncached(i.in->words(), i.at, i.active);
            saw(i, place_access_kind::read, x);
        } else if (what == 8) {
            const instruction i = choose(w, f);
            instruction k = choose(w, f);
            k.like.step = i.like.step;  // the two are not ordered
            auto [x, y] =
                co_await w.all(w.load_uncached(i.in->words(), i.at, i.active), w.load(k.in->words(), k.at, k.active));
            saw(i, place_access_kind::read, x);
            saw(k, place_access_kind::cached_read, y);
        } else {
            co_await write(w, f, what);
        }
    }
    gpu::kernel write(gpu::wave w, wavefront& f, std::uint64_t what) {
        instruction i = choose(w, f);
        const auto a = i.in->words();
        if (i.in->only_added_to()) {
            const words by = words::from([&](unsigned) { return static_cast<std::uint32_t>(1 + f.draw.below(9)); });
            const words old = co_await w.atomic_add(a, i.at, by, i.active);
            modified(i, old, words(old + by), [](unsigned) { return true; });
            co_return;
        }
        const words to = fresh(i);
        if (what < 13) {
            place_access s = i.like;
            s.kind = place_access_kind::write;
            s.to = core::sim_time::never();
            i.each([&](unsigned thread, place_history& h) {
                s.wrote = to[thread];
                f.stores.add(h, s);
            });
            co_await w.store(a, i.at, to, i.active);
        } else if (what == 13) {
            const words old = co_await w.atomic_exchange(a, i.at, to, i.active);
            modified(i, old, to, [](unsigned) { return true; });
        } else if (what == 14) {
            const words old = co_await w.atomic_max(a, i.at, to, i.active);
            modified(i, old, to, [&](unsigned thread) { return old[thread] < to[thread]; });
        } else {  // if the word has kept its value
            const words was = co_await w.load_uncached(a, i.at, i.active);
            saw(i, place_access_kind::read, was);
            begin_step(i, f);
            const words old = co_await w.atomic_cas(a, i.at, was, to, i.active);
            modified(i, old, to, [&](unsigned thread) { return old[thread] == was[thread]; });
        }
    }

    race& race_;
    const std::vector<watched_words*> on_;
    const std::uint64_t seed_;
    std::uint32_t first_cta_ = 0, first_wave_ = 0;
    const command* command_ = nullptr;
    pending_stores stores_;  // stores of wavefronts that have ended
};

}  // namespace contraflow::host::testing
