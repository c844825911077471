// SPDX-License-Identifier: Apache-2.0
// A dense matrix in device memory, row by row, and its products with a vector, for bicg and atax. By rows, a wavefront
// takes a row and its threads go along it; by columns, every thread goes down a column. In both, neighbouring threads
// read neighbouring elements.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/kernel/task.h"
#include "gpu/kernel/wave.h"
#include "workloads/support/entry.h"
#include "workloads/support/grid_spec.h"

namespace contraflow::workloads {

// The parameters of a program on one such matrix.
struct dense_matrix_spec : grid_spec {
    std::uint32_t rows = 256;
    std::uint32_t columns = 256;
    std::uint64_t seed = 1;

    template <class S> static void describe_matrix(config::fields<S>& f) {
        f("rows", &dense_matrix_spec::rows).in(1, 1 << 16).text("rows of the matrix");
        f("columns", &dense_matrix_spec::columns).in(1, 1 << 16).text("columns of the matrix");
        f("seed", &dense_matrix_spec::seed).text("seed of matrix and vectors");
        describe_grid(f);
    }
    template <class S> static S sized_matrix(workload_size size) {
        S s;
        s.ctas = 32;
        if (size == workload_size::paper) {
            s.rows = s.columns = 1024;
            s.ctas = 128;
        }
        return s;
    }
};

class dense_matrix {
public:
    dense_matrix() = default;
    dense_matrix(gpu::device_memory& memory, const dense_matrix_spec& s)
        : elements_(memory.allocate<double>(std::size_t{s.rows} * s.columns)),
          rows_(s.rows),
          columns_(s.columns) {}

    // Places the rows on the CTAs that use them in times().
    gpu::task<> initialise(gpu::wave w, std::uint64_t seed) const;
    // y = A x.
    gpu::task<> times(gpu::wave w, gpu::array<double> x, gpu::array<double> y) const;
    // y = A^T x.
    gpu::task<> transposed_times(gpu::wave w, gpu::array<double> x, gpu::array<double> y) const;

private:
    gpu::array<double> elements_;
    std::uint64_t rows_ = 0;
    std::uint64_t columns_ = 0;
};

// The same matrix on the host: element (i, j) is input_real(seed, i * columns + j).
std::vector<double> times_on_host(const dense_matrix_spec& s, const std::vector<double>& x);
std::vector<double> transposed_times_on_host(const dense_matrix_spec& s, const std::vector<double>& x);

}  // namespace contraflow::workloads
