// SPDX-License-Identifier: Apache-2.0
// Sparse matrix times vector, again and again on its own result: x' = A x / s, where s is the greatest row sum of |A|,
// so that values do not grow. A wavefront takes 32 rows and reads their entries in parallel.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "workloads/sparse/matrix_source.h"
#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/input.h"
#include "workloads/support/segment_walk.h"

namespace contraflow::workloads {
namespace {

using namespace gpu;

constexpr std::uint32_t row_block = 256;

class spmv_workload final : public workload_if {
public:
    struct spec {
        matrix_choice matrix;
        unsigned iterations = 2;

        static void describe(config::fields<spec>& f) {
            f("matrix", &spec::matrix).text("the matrix, which must be square");
            f("iterations", &spec::iterations).in(1, 1000).text("products, each of the result before");
        }
        std::vector<config::problem> problems() const { return config::below("matrix", problems_of(matrix.values)); }
    };
    static spec sized(workload_size size) {
        spec s;
        if (size == workload_size::paper) {
            s.matrix.values.rows = 1 << 17;
            s.matrix.values.row_entries = 24;
        }
        return s;
    }
    explicit spmv_workload(const spec& s) : spec_(s) {}

    void prepare(device_memory& memory) override;
    host_task run(gpu_system_if& gpu) override;
    std::string verify(device_memory& memory) override;

private:
    kernel begin(wave w);
    kernel multiply(wave w);

    const spec spec_;
    csr_matrix host_;
    double scale_ = 1;  // 1 / s
    array<std::uint32_t> row_begin_, column_;
    array<double> value_;
    array<double> x_, product_;
};

void spmv_workload::prepare(device_memory& memory) {
    host_ = make_matrix(spec_.matrix.values);
    if (host_.rows != host_.columns)
        throw std::invalid_argument(fmt::format("the matrix has {} rows and {} columns: spmv multiplies its own result "
                                                "again and needs a square one",
                                                host_.rows, host_.columns));
    double greatest = 0;
    for (std::uint32_t r = 0; r < host_.rows; ++r) {
        double row = 0;
        for (std::uint32_t i = host_.row_begin[r]; i < host_.row_begin[r + 1]; ++i) row += std::abs(host_.value[i]);
        greatest = std::max(greatest, row);
    }
    scale_ = greatest > 0 ? 1 / greatest : 1;
    row_begin_ = memory.upload(host_.row_begin);
    column_ = memory.upload(host_.column);
    value_ = memory.upload(host_.value);
    x_ = memory.allocate<double>(host_.rows);
    product_ = memory.allocate<double>(host_.rows);
}

host_task spmv_workload::run(gpu_system_if& gpu) {
    const std::uint32_t grid = blocks_for(host_.rows, row_block);
    co_await gpu.launch({"begin", grid, row_block, this, &spmv_workload::begin});
    for (unsigned i = 0; i < spec_.iterations; ++i) {
        co_await gpu.launch({"multiply", grid, row_block, this, &spmv_workload::multiply});
        std::swap(x_, product_);
    }
}

kernel spmv_workload::begin(wave w) {
    const auto row = w.global_ids();
    co_await w.store(x_, row, input_real(spec_.matrix.values.seed, row), row < host_.rows);
}

kernel spmv_workload::multiply(wave w) {
    const auto row = w.global_ids();
    const mask in = row < host_.rows;
    const auto [begin, end] = co_await w.all(w.load(row_begin_, row, in), w.load(row_begin_, row + 1, in));
    per_thread<double> sum;
    segment_walk walk(w, begin, end, in);
    while (walk.next()) {
        const auto [column, value] =
            co_await w.all(w.load(column_, walk.item(), walk.here()), w.load(value_, walk.item(), walk.here()));
        walk.add_to_owners(value * co_await w.load(x_, column, walk.here()), sum);
    }
    co_await w.store(product_, row, sum * scale_, in);
}

std::string spmv_workload::verify(device_memory& memory) {
    std::vector<double> x(host_.rows), product(host_.rows);
    std::uint32_t longest = 0;
    for (std::uint32_t r = 0; r < host_.rows; ++r) {
        x[r] = input_real(spec_.matrix.values.seed, r);
        longest = std::max(longest, host_.row_begin[r + 1] - host_.row_begin[r]);
    }
    for (unsigned k = 0; k < spec_.iterations; ++k, std::swap(x, product))
        for (std::uint32_t r = 0; r < host_.rows; ++r) {
            product[r] = 0;
            for (std::uint32_t i = host_.row_begin[r + 1]; i-- > host_.row_begin[r];)
                product[r] += host_.value[i] * scale_ * x[host_.column[i]];
        }
    // Each product of at most 1 a term rounds a row's terms, their sum and the scale.
    const double tolerance = spec_.iterations * (longest + 3.0) * 0x1p-52;
    return difference("x", memory.read(x_), x, tolerance, 1);
}

}  // namespace

workload_entry spmv() {
    return entry_of<spmv_workload>("spmv", "sparse matrix times vector, repeated on its own result",
                                   "CSR SpMV of Parboil, SHOC and iterative solvers");
}

}  // namespace contraflow::workloads
