// SPDX-License-Identifier: Apache-2.0
// Kernels of random loads, stores and atomics whose result does not depend on the order of wavefronts: each thread
// owns elements scattered over an array and knows its last store to each; all add to shared counters.
#pragma once

#include <optional>
#include <random>
#include <vector>

#include "gpu/kernel/gpu_system_if.h"

namespace contraflow::gpu::testing {

class random_kernel {
public:
    // Memory: any class that allocates arrays.
    template <class Memory>
    random_kernel(Memory& memory, std::uint64_t seed)
        : seed_(seed),
          threads_(ctas * block),
          words_(memory.template allocate<std::uint32_t>(threads_ * each)),
          bytes_(memory.template allocate<std::uint8_t>(threads_ * each)),
          counters_(memory.template allocate<std::uint64_t>(97)) {}

    // Gpu: any class that launches kernels.
    template <class Gpu> host_task run(Gpu& gpu) {
        for (kernel_number_ = 0; kernel_number_ < 3; ++kernel_number_)
            co_await gpu.launch({"random", ctas, block, this, &random_kernel::body, core::bytes{block * 4}});
    }
    struct contents_of_memory {
        std::vector<std::uint32_t> words;
        std::vector<std::uint8_t> bytes;
        std::vector<std::uint64_t> counters;
        friend bool operator==(const contents_of_memory&, const contents_of_memory&) = default;
    };
    contents_of_memory contents(const device_memory& memory) const {
        return {memory.read(words_), memory.read(bytes_), memory.read(counters_)};
    }
    array<std::uint32_t> words() const { return words_; }
    array<std::uint8_t> bytes() const { return bytes_; }
    array<std::uint64_t> counters() const { return counters_; }
    std::uint64_t wrong_loads() const { return wrong_; }

private:
    // The k-th element of each thread: a permutation of all elements that scatters or joins threads by k.
    per_thread<std::uint64_t> place(const wave& w, std::uint64_t k) const {
        const auto id = w.global_ids();
        return k % 2 == 0 ? k * threads_ + id : per_thread<std::uint64_t>(k * threads_ + (id * 37 + seed_) % threads_);
    }

    kernel body(wave w) {
        std::mt19937_64 draw(seed_ * 1000 + kernel_number_ * 100 + w.cta() * 8 + w.wave_in_cta());
        per_thread<std::uint32_t> words[each];
        per_thread<std::uint8_t> bytes[each];
        for (std::uint64_t k = 0; k < each; ++k) {  // the values left by the previous kernel
            auto [x, y] = co_await w.all(w.load(words_, place(w, k)), w.load(bytes_, place(w, k)));
            words[k] = x;
            bytes[k] = y;
        }
        auto shared = w.shared<std::uint32_t>(block);
        std::optional<late_load> late;
        for (unsigned step = 0; step < 24; ++step) {
            const std::uint64_t k = draw() % each;
            const auto i = place(w, k);
            auto some = w.only(mask(static_cast<mask::bits_type>(draw() | draw())));
            const auto v = per_thread<std::uint32_t>(i * (draw() % 1000));
            switch (draw() % 8) {
            case 0:
            case 1:
                words[k].assign(w.active(), v);
                co_await w.store(words_, i, v);
                break;
            case 2:
                bytes[k].assign(w.active(), per_thread<std::uint8_t>(v));
                co_await w.store(bytes_, i, per_thread<std::uint8_t>(v));
                break;
            case 3: {  // used after the next step, which may be a store to the same words
                if (late) expect(late->in, late->expected, co_await late->load);
                late.emplace(late_load{w.load(words_, i), words[k], w.active(), step});
                break;
            }
            case 4: {
                auto [x, y] = co_await w.all(w.load(bytes_, i), w.load_uncached(words_, i));
                expect(w, bytes[k], x);
                expect(w, words[k], y);
                break;
            }
            case 5: co_await w.atomic_add(counters_, i % 97, i); break;
            case 6:
                expect(w, words[k], co_await w.atomic_add(words_, i, v));
                words[k].assign(w.active(), words[k] + v);
                break;
            default:
                expect(w, words[k], co_await w.atomic_cas(words_, i, words[k], v));
                words[k].assign(w.active(), v);
                break;
            }
            if (late && step != late->step) {
                expect(late->in, late->expected, co_await late->load);
                late.reset();
            }
            if (step % 8 == 7) {
                co_await w.barrier();
                w.write(shared, w.local_ids(), step);
                w.work(draw() % 5);
            }
        }
    }
    struct late_load {
        load_operation<std::uint32_t> load;
        per_thread<std::uint32_t> expected;
        mask in;
        unsigned step;
    };
    template <class T> void expect(mask in, const per_thread<T>& expected, const per_thread<T>& got) {
        wrong_ += (in && expected != got).count();
    }
    template <class T> void expect(const wave& w, const per_thread<T>& expected, const per_thread<T>& got) {
        expect(w.active(), expected, got);
    }

    static constexpr std::uint32_t ctas = 6;
    static constexpr std::uint32_t block = 96;
    static constexpr std::uint64_t each = 4;  // elements a thread owns
    const std::uint64_t seed_;
    const std::uint64_t threads_;
    array<std::uint32_t> words_;
    array<std::uint8_t> bytes_;
    array<std::uint64_t> counters_;
    std::uint64_t kernel_number_ = 0;
    std::uint64_t wrong_ = 0;
};

}  // namespace contraflow::gpu::testing
