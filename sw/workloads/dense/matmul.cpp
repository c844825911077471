// SPDX-License-Identifier: Apache-2.0
// C = A B with tiles of A and B in the scratchpad.
#include <array>

#include "workloads/dense/matrix_tile.h"
#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/input.h"

namespace contraflow::workloads {
namespace {

using namespace gpu;

class matmul_workload final : public workload_if {
public:
    struct spec {
        std::uint32_t n = 256;
        std::uint64_t seed = 1;

        static void describe(config::fields<spec>& f) {
            f("n", &spec::n)
                .in(tile, 1 << 15)
                .check([](std::uint32_t n) { return n % tile == 0; }, "a multiple of 32")
                .text("rows and columns");
            f("seed", &spec::seed).text("seed of the elements");
        }
    };
    static spec sized(workload_size size) { return size == workload_size::paper ? spec{1024, 1} : spec{}; }
    explicit matmul_workload(const spec& s) : spec_(s) {}

    void prepare(device_memory& memory) override {
        const std::size_t elements = std::size_t{spec_.n} * spec_.n;
        a_ = memory.allocate<double>(elements);
        b_ = memory.allocate<double>(elements);
        c_ = memory.allocate<double>(elements);
    }

    host_task run(gpu_system_if& gpu) override {
        const dim3 grid(spec_.n / tile, spec_.n / tile), block(tile, tile_waves);
        co_await gpu.launch({"initialise", grid, block, this, &matmul_workload::initialise});
        co_await gpu.launch(
            {"multiply", grid, block, this, &matmul_workload::multiply, core::bytes{2 * tile * tile * sizeof(double)}});
    }

    std::string verify(device_memory& memory) override {
        const std::size_t n = spec_.n;
        std::vector<double> b(n * n), c(n * n);
        for (std::size_t i = 0; i < n * n; ++i) b[i] = input_real(~spec_.seed, i);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < n; ++k) {
                const double a = input_real(spec_.seed, i * n + k);
                for (std::size_t j = 0; j < n; ++j) c[i * n + j] += a * b[k * n + j];
            }
        }
        // n additions with a sum of at most n, each rounded; a term is at most 1.
        const auto most = static_cast<double>(n);
        return difference("c", memory.read(c_), c, most * 0x1p-53, most);
    }

private:
    per_thread<std::uint64_t> element(wave w, std::uint64_t row, std::uint64_t column) const {
        return row * spec_.n + column + per_thread<std::uint64_t>(w.thread_ids());
    }
    kernel initialise(wave w) {
        for (std::uint32_t r = w.wave_in_cta(); r < tile; r += tile_waves) {
            const auto i = element(w, w.cta_place().y * tile + r, w.cta_place().x * tile);
            co_await w.all(w.store(a_, i, input_real(spec_.seed, i)), w.store(b_, i, input_real(~spec_.seed, i)));
        }
    }

    kernel multiply(wave w) {
        static_assert(rows_a_wave == 4);
        const auto a = w.shared<double>(tile * tile), b = w.shared<double>(tile * tile);
        const std::uint64_t y = w.cta_place().y * tile, x = w.cta_place().x * tile;
        const auto row = [r = w.wave_in_cta()](std::uint32_t k) { return r + k * tile_waves; };
        std::array<per_thread<double>, rows_a_wave> sums;
        for (std::uint64_t t = 0; t < spec_.n; t += tile) {
            const auto [a0, a1, a2, a3, b0, b1, b2, b3] =
                co_await w.all(w.load(a_, element(w, y + row(0), t)), w.load(a_, element(w, y + row(1), t)),
                               w.load(a_, element(w, y + row(2), t)), w.load(a_, element(w, y + row(3), t)),
                               w.load(b_, element(w, t + row(0), x)), w.load(b_, element(w, t + row(1), x)),
                               w.load(b_, element(w, t + row(2), x)), w.load(b_, element(w, t + row(3), x)));
            const std::array<per_thread<double>, rows_a_wave> rows_of_a{a0, a1, a2, a3}, rows_of_b{b0, b1, b2, b3};
            for (std::uint32_t k = 0; k < rows_a_wave; ++k) {
                w.write(a, row(k) * tile + w.thread_ids(), rows_of_a[k]);
                w.write(b, row(k) * tile + w.thread_ids(), rows_of_b[k]);
            }
            co_await w.barrier();
            add_products(w, a, b, sums);
            co_await w.barrier();
        }
        for (std::uint32_t k = 0; k < rows_a_wave; ++k) co_await w.store(c_, element(w, y + row(k), x), sums[k]);
    }

    // One row of b is read for all rows of the wavefront; an element of a is the same for all threads.
    static void add_products(wave w, std::span<const double> a, std::span<const double> b,
                             std::array<per_thread<double>, rows_a_wave>& sums) {
        for (std::uint32_t k = 0; k < tile; ++k) {
            const auto line = per_thread<double>::from([&](unsigned thread) { return b[k * tile + thread]; });
            for (std::uint32_t r = 0; r < rows_a_wave; ++r)
                sums[r] += a[(w.wave_in_cta() + r * tile_waves) * tile + k] * line;
        }
        w.work(tile * (1 + 2 * rows_a_wave));
    }

    const spec spec_;
    array<double> a_, b_, c_;
};

}  // namespace

workload_entry matmul() {
    return entry_of<matmul_workload>("matmul", "C = A B by tiles in the scratchpad; all sockets read all of B",
                                     "dense linear algebra, layers of neural networks");
}

}  // namespace contraflow::workloads
