// SPDX-License-Identifier: Apache-2.0
// The best alignment of two sequences: a matrix of scores, each of which depends on those above, to the left, and above
// to the left. Each launch does the tiles of one antidiagonal. In a tile a wavefront's threads go down its columns,
// each one row behind the previous thread.
#include <algorithm>

#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/input.h"

namespace contraflow::workloads {
namespace {

using namespace gpu;

class needleman_wunsch_workload final : public workload_if {
public:
    struct spec {
        std::uint32_t n = 256;
        std::int32_t match = 5;
        std::int32_t mismatch = -3;
        std::int32_t gap = -4;
        std::uint64_t seed = 1;

        static void describe(config::fields<spec>& f) {
            f("n", &spec::n)
                .in(side, 1 << 15)
                .check([](std::uint32_t n) { return n % side == 0; }, "a multiple of 32")
                .text("letters of either sequence");
            f("match", &spec::match).in(-1000, 1000).text("score of two equal letters");
            f("mismatch", &spec::mismatch).in(-1000, 1000).text("score of two others");
            f("gap", &spec::gap).in(-1000, 1000).text("score of a letter without a partner");
            f("seed", &spec::seed).text("seed of the sequences");
        }
    };
    static spec sized(workload_size size) {
        spec s;
        if (size == workload_size::paper) s.n = 2048;
        return s;
    }
    explicit needleman_wunsch_workload(const spec& s) : spec_(s), pitch_(s.n + 1) {}

    void prepare(device_memory& memory) override {
        across_ = memory.allocate<std::uint8_t>(spec_.n);
        down_ = memory.allocate<std::uint8_t>(spec_.n);
        score_ = memory.allocate<std::int32_t>(std::size_t{pitch_} * pitch_);
    }
    host_task run(gpu_system_if& gpu) override;
    std::string verify(device_memory& memory) override;

private:
    static constexpr std::uint32_t side = 32;  // of a tile, a thread each

    static std::uint8_t letter(std::uint64_t seed, std::uint64_t i) {
        return static_cast<std::uint8_t>("ACGT"[input_word(seed, i) >> 62]);
    }
    kernel initialise(wave w);
    kernel fill(wave w, std::uint32_t diagonal);

    const spec spec_;
    const std::uint32_t pitch_;
    array<std::uint8_t> across_, down_;
    array<std::int32_t> score_;  // row by row; row and column 0 belong to the empty sequence
};

host_task needleman_wunsch_workload::run(gpu_system_if& gpu) {
    constexpr std::uint32_t block = 256;
    const std::uint32_t tiles = spec_.n / side;
    co_await gpu.launch(
        {"initialise", blocks_for(score_.size(), block), block, this, &needleman_wunsch_workload::initialise});
    for (std::uint32_t d = 0; d + 1 < 2 * tiles; ++d)
        co_await gpu.launch({"diagonal", std::min(d + 1, 2 * tiles - 1 - d), side,
                             [this, d](wave w) { return fill(w, d); },
                             core::bytes{side * side * sizeof(std::int32_t)}});
}

kernel needleman_wunsch_workload::initialise(wave w) {
    for (auto i : w.own(spec_.n))
        co_await w.all(w.store(across_, i, map([this](std::uint64_t k) { return letter(spec_.seed, k); }, i)),
                       w.store(down_, i, map([this](std::uint64_t k) { return letter(~spec_.seed, k); }, i)));
    for (auto i : w.own(score_.size())) {
        const auto border = [this](std::uint64_t k) {
            const std::uint64_t x = k % pitch_, y = k / pitch_;
            return x == 0 || y == 0 ? static_cast<std::int32_t>(x + y) * spec_.gap : 0;
        };
        co_await w.store(score_, i, map(border, i));
    }
}

kernel needleman_wunsch_workload::fill(wave w, std::uint32_t diagonal) {
    const std::uint32_t tiles = spec_.n / side;
    const std::uint64_t down = (diagonal < tiles ? 0 : diagonal - tiles + 1) + w.cta(), right = diagonal - down;
    const std::uint64_t corner = down * side * pitch_ + right * side;  // above and to the left of the tile
    const per_thread<std::uint64_t> thread(w.thread_ids());
    const auto tile = w.shared<std::int32_t>(side * side);
    const auto [above, left, beside, a, b] = co_await w.all(
        w.load(score_, corner + 1 + thread), w.load(score_, corner + (thread + 1) * pitch_), w.load(score_, corner),
        w.load(across_, right * side + thread), w.load(down_, down * side + thread));
    auto up = above;  // the thread's score of the row above, then of its own row
    auto up_left = shuffle_up(above, 1);
    up_left[0] = beside[0];
    for (std::uint32_t step = 0; step < 2 * side - 1; ++step) {
        const auto row = step - w.thread_ids();  // each thread's row; may be outside of the tile
        auto to_left = shuffle_up(up, 1);        // the thread before is one row ahead
        to_left[0] = left[std::min(step, side - 1)];
        const auto same = shuffle(b, row) == a;
        const auto score = max(up_left + select(same, per_thread<std::int32_t>(spec_.match), spec_.mismatch),
                               max(up, to_left) + spec_.gap);
        w.work(8);
        const auto in = w.only(row < side);
        w.write(tile, row * side + w.thread_ids(), score);
        up.assign(w.active(), score);
        up_left.assign(w.active(), to_left);
    }
    for (std::uint32_t row = 0; row < side; ++row)
        co_await w.store(score_, corner + (row + 1) * std::uint64_t{pitch_} + 1 + thread,
                         w.read(tile, row * side + w.thread_ids()));
}

std::string needleman_wunsch_workload::verify(device_memory& memory) {
    std::vector<std::int32_t> score(score_.size());
    for (std::uint64_t y = 0; y < pitch_; ++y) {
        for (std::uint64_t x = 0; x < pitch_; ++x) {
            const auto at = [&](std::uint64_t back_x, std::uint64_t back_y) {
                return score[(y - back_y) * pitch_ + x - back_x];
            };
            auto& s = score[y * pitch_ + x];
            if (x == 0 || y == 0) {
                s = x != 0 ? at(1, 0) + spec_.gap : y != 0 ? at(0, 1) + spec_.gap : 0;
                continue;
            }
            const bool same = letter(spec_.seed, x - 1) == letter(~spec_.seed, y - 1);
            s = std::max(
                {at(1, 1) + (same ? spec_.match : spec_.mismatch), at(0, 1) + spec_.gap, at(1, 0) + spec_.gap});
        }
    }
    return difference("score", memory.read(score_), score);
}

}  // namespace

workload_entry needleman_wunsch() {
    return entry_of<needleman_wunsch_workload>("needleman_wunsch",
                                               "alignment of two sequences along the diagonals of a matrix of scores",
                                               "NW of Rodinia, dynamic programming", suite::gpus);
}

}  // namespace contraflow::workloads
