// SPDX-License-Identifier: Apache-2.0
// The transpose of a matrix through tiles in the scratchpad, so that both sides are read and written in whole lines.
#include "workloads/dense/matrix_tile.h"
#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/input.h"

namespace contraflow::workloads {
namespace {

using namespace gpu;

class transpose_workload final : public workload_if {
public:
    struct spec {
        std::uint32_t n = 512;
        unsigned passes = 1;
        std::uint64_t seed = 1;

        static void describe(config::fields<spec>& f) {
            f("n", &spec::n).in(1, 1 << 16).text("rows and columns");
            f("passes", &spec::passes).at_least(1).text("transpositions; each reads what the one before it wrote");
            f("seed", &spec::seed).text("seed of the elements");
        }
    };
    static spec sized(workload_size size) { return size == workload_size::paper ? spec{2048, 4, 1} : spec{}; }
    explicit transpose_workload(const spec& s) : spec_(s) {}

    void prepare(device_memory& memory) override {
        const std::size_t elements = std::size_t{spec_.n} * spec_.n;
        a_ = memory.allocate<std::uint64_t>(elements);
        b_ = memory.allocate<std::uint64_t>(elements);
    }

    host_task run(gpu_system_if& gpu) override {
        const std::uint32_t tiles = blocks_for(spec_.n, tile);
        const dim3 grid(tiles, tiles), block(tile, tile_lines);
        co_await gpu.launch({"initialise", grid, block, this, &transpose_workload::initialise});
        for (unsigned p = 0; p < spec_.passes; ++p) {
            const auto from = p % 2 == 0 ? a_ : b_, to = p % 2 == 0 ? b_ : a_;
            co_await gpu.launch({"transpose", grid, block, [this, from, to](wave w) { return turn(w, from, to); },
                                 core::bytes{tile * tile * sizeof(std::uint64_t)}});
        }
    }

    std::string verify(device_memory& memory) override {
        const std::uint64_t n = spec_.n;
        std::vector<std::uint64_t> a(n * n), b(n * n);
        for (std::uint64_t i = 0; i < n * n; ++i) a[i] = b[i % n * n + i / n] = input_word(spec_.seed, i);
        if (auto wrong = difference("a", memory.read(a_), a); !wrong.empty()) return wrong;
        return difference("b", memory.read(b_), b);
    }

private:
    kernel initialise(wave w) {
        const tile_threads me(w);
        const per_thread<std::uint64_t> x(w.global_x());
        for (std::uint32_t k = 0; k < rows_a_thread; ++k) {
            const auto i = per_thread<std::uint64_t>(w.cta_place().y * tile + me.row(k)) * std::uint64_t{spec_.n} + x;
            const auto in = x < spec_.n && i < std::uint64_t{spec_.n} * spec_.n;
            co_await w.all(w.store(a_, i, input_word(spec_.seed, i), in), w.store(b_, i, 0u, in));
        }
    }

    kernel turn(wave w, array<std::uint64_t> from, array<std::uint64_t> to) {
        const std::uint64_t n = spec_.n;
        const dim3 place = w.cta_place();
        const auto part = w.shared<std::uint64_t>(tile * tile);
        const tile_threads me(w);
        const auto index = [&](std::uint64_t row, std::uint64_t column, std::uint32_t k) {
            return me.element(n, row, column, k);
        };
        const auto within = [&](std::uint64_t row, std::uint64_t column, std::uint32_t k) {
            return row + me.row(k) < n && column + me.x < n;
        };
        const std::uint64_t y = place.y * tile, x = place.x * tile;
        static_assert(rows_a_thread == 4);
        const auto [v0, v1, v2, v3] = co_await w.all(
            w.load(from, index(y, x, 0), within(y, x, 0)), w.load(from, index(y, x, 1), within(y, x, 1)),
            w.load(from, index(y, x, 2), within(y, x, 2)), w.load(from, index(y, x, 3), within(y, x, 3)));
        w.write(part, me.row(0) * tile + me.x, v0);
        w.write(part, me.row(1) * tile + me.x, v1);
        w.write(part, me.row(2) * tile + me.x, v2);
        w.write(part, me.row(3) * tile + me.x, v3);
        co_await w.barrier();
        for (std::uint32_t k = 0; k < rows_a_thread; ++k) {
            const auto column = w.read(part, me.x * tile + me.row(k));
            co_await w.store(to, index(x, y, k), column, within(x, y, k));
        }
    }

    const spec spec_;
    array<std::uint64_t> a_, b_;
};

}  // namespace

workload_entry transpose() {
    return entry_of<transpose_workload>("transpose", "a matrix' rows become columns: every socket writes to all others",
                                        "all-to-all exchanges: transposed FFTs, changes of layout");
}

}  // namespace contraflow::workloads
