// SPDX-License-Identifier: Apache-2.0
#include "workloads/dense/dense_matrix.h"

#include "workloads/support/input.h"
#include "workloads/support/placement.h"

namespace contraflow::workloads {

using gpu::array;
using gpu::per_thread;
using gpu::task;
using gpu::wave;

task<> dense_matrix::initialise(wave w, std::uint64_t seed) const {
    const auto mine = part_of(rows_, w, w.cta_count());
    for (std::uint64_t row = mine.begin + w.wave_in_cta(); row < mine.end; row += w.waves_in_cta()) {
        for (std::uint64_t first = 0; first < columns_; first += w.width()) {
            const auto column = first + per_thread<std::uint64_t>(w.thread_ids());
            const auto i = row * columns_ + column;
            co_await w.store(elements_, i, input_real(seed, i), column < columns_);
        }
    }
}

task<> dense_matrix::times(wave w, array<double> x, array<double> y) const {
    const auto mine = part_of(rows_, w, w.cta_count());
    for (std::uint64_t row = mine.begin + w.wave_in_cta(); row < mine.end; row += w.waves_in_cta()) {
        per_thread<double> sums;
        for (std::uint64_t first = 0; first < columns_; first += w.width()) {
            const auto column = first + per_thread<std::uint64_t>(w.thread_ids());
            const auto in = column < columns_;
            const auto [a, b] = co_await w.all(w.load(elements_, row * columns_ + column, in), w.load(x, column, in));
            sums += a * b;  // threads that load nothing have zeros
            w.work(1);
        }
        w.work(2 * w.tree_steps());  // a sum by shuffles
        co_await w.store(y, row, sum(sums), gpu::mask::thread(0));
    }
}

task<> dense_matrix::transposed_times(wave w, array<double> x, array<double> y) const {
    for (auto column : w.own(columns_)) {
        per_thread<double> sums;
        for (std::uint64_t row = 0; row < rows_; ++row) {
            const auto [a, b] = co_await w.all(w.load(elements_, row * columns_ + column), w.load(x, row));
            sums += a * b;
            w.work(1);
        }
        co_await w.store(y, column, sums);
    }
}

std::vector<double> times_on_host(const dense_matrix_spec& s, const std::vector<double>& x) {
    std::vector<double> y(s.rows);
    for (std::uint64_t i = 0; i < s.rows; ++i)
        for (std::uint64_t j = 0; j < s.columns; ++j) y[i] += input_real(s.seed, i * s.columns + j) * x[j];
    return y;
}

// Row by row, in a different order from the device's.
std::vector<double> transposed_times_on_host(const dense_matrix_spec& s, const std::vector<double>& x) {
    std::vector<double> y(s.columns);
    for (std::uint64_t i = 0; i < s.rows; ++i)
        for (std::uint64_t j = 0; j < s.columns; ++j) y[j] += input_real(s.seed, i * s.columns + j) * x[i];
    return y;
}

}  // namespace contraflow::workloads
