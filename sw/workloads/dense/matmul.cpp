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
        const dim3 grid(spec_.n / tile, spec_.n / tile), block(tile, tile_lines);
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
    per_thread<std::uint64_t> element(const tile_threads& me, std::uint64_t row, std::uint64_t column,
                                      std::uint32_t k) const {
        return me.element(spec_.n, row, column, k);
    }
    kernel initialise(wave w) {
        const tile_threads me(w);
        for (std::uint32_t k = 0; k < rows_a_thread; ++k) {
            const auto i = element(me, w.cta_place().y * tile, w.cta_place().x * tile, k);
            co_await w.all(w.store(a_, i, input_real(spec_.seed, i)), w.store(b_, i, input_real(~spec_.seed, i)));
        }
    }

    kernel multiply(wave w) {
        static_assert(rows_a_thread == 4);
        const tile_threads me(w);
        const auto a = w.shared<double>(tile * tile), b = w.shared<double>(tile * tile);
        const std::uint64_t y = w.cta_place().y * tile, x = w.cta_place().x * tile;
        std::array<per_thread<double>, rows_a_thread> sums;
        for (std::uint64_t t = 0; t < spec_.n; t += tile) {
            const auto [a0, a1, a2, a3, b0, b1, b2, b3] = co_await w.all(
                w.load(a_, element(me, y, t, 0)), w.load(a_, element(me, y, t, 1)), w.load(a_, element(me, y, t, 2)),
                w.load(a_, element(me, y, t, 3)), w.load(b_, element(me, t, x, 0)), w.load(b_, element(me, t, x, 1)),
                w.load(b_, element(me, t, x, 2)), w.load(b_, element(me, t, x, 3)));
            const std::array<per_thread<double>, rows_a_thread> rows_of_a{a0, a1, a2, a3}, rows_of_b{b0, b1, b2, b3};
            for (std::uint32_t k = 0; k < rows_a_thread; ++k) {
                w.write(a, me.row(k) * tile + me.x, rows_of_a[k]);
                w.write(b, me.row(k) * tile + me.x, rows_of_b[k]);
            }
            co_await w.barrier();
            add_products(w, a, b, sums);
            co_await w.barrier();
        }
        for (std::uint32_t k = 0; k < rows_a_thread; ++k) co_await w.store(c_, element(me, y, x, k), sums[k]);
    }

    // One row of b is read for all rows of a thread; an element of a is the same for all threads of a line.
    static void add_products(wave w, std::span<const double> a, std::span<const double> b,
                             std::array<per_thread<double>, rows_a_thread>& sums) {
        for (std::uint32_t k = 0; k < tile; ++k) {
            for_wave_blocks(w.width(), [&](unsigned first) {
                const std::uint32_t y = (w.wave_in_cta() * w.width() + first) / tile;
                for (std::uint32_t r = 0; r < rows_a_thread; ++r) {
                    const double factor = a[(y + r * tile_lines) * tile + k];
                    for (unsigned x = 0; x < tile; ++x) sums[r][first + x] += factor * b[k * tile + x];
                }
            });
        }
        w.work(tile * (1 + 2 * rows_a_thread));
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
