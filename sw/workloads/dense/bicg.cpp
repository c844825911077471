// SPDX-License-Identifier: Apache-2.0
// The two products of a step of the biconjugate gradients: q = A p and s = A^T r.
#include "workloads/dense/dense_matrix.h"
#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/input.h"

namespace contraflow::workloads {
namespace {

using namespace gpu;

class bicg_workload final : public workload_if {
public:
    struct spec : dense_matrix_spec {
        static void describe(config::fields<spec>& f) { describe_matrix(f); }
    };
    static spec sized(workload_size size) { return spec::sized_matrix<spec>(size); }
    explicit bicg_workload(const spec& s) : spec_(s) {}

    void prepare(device_memory& memory) override {
        a_ = dense_matrix(memory, spec_);
        q_ = memory.allocate<double>(spec_.rows);
        s_ = memory.allocate<double>(spec_.columns);
        p_ = memory.upload(vector(1, spec_.columns));
        r_ = memory.upload(vector(2, spec_.rows));
    }

    host_task run(gpu_system_if& gpu) override {
        co_await gpu.launch({"initialise", spec_.ctas, spec_.block, this, &bicg_workload::initialise});
        co_await gpu.launch({"q", spec_.ctas, spec_.block, this, &bicg_workload::by_rows});
        co_await gpu.launch(
            {"s", blocks_for(spec_.columns, spec_.block), spec_.block, this, &bicg_workload::by_columns});
    }

    std::string verify(device_memory& memory) override {
        // Sums of `rows` or `columns` terms of at most 1, in two orders.
        const double rows = spec_.rows, columns = spec_.columns;
        auto wrong = difference("q", memory.read(q_), times_on_host(spec_, vector(1, spec_.columns)), columns * 0x1p-52,
                                columns);
        if (!wrong.empty()) return wrong;
        return difference("s", memory.read(s_), transposed_times_on_host(spec_, vector(2, spec_.rows)), rows * 0x1p-52,
                          rows);
    }

private:
    std::vector<double> vector(std::uint64_t which, std::size_t n) const {
        std::vector<double> v(n);
        for (std::size_t i = 0; i < n; ++i) v[i] = input_real(~spec_.seed, which << 32 | i);
        return v;
    }
    kernel initialise(wave w) { co_await a_.initialise(w, spec_.seed); }
    kernel by_rows(wave w) { co_await a_.times(w, p_, q_); }
    kernel by_columns(wave w) { co_await a_.transposed_times(w, r_, s_); }

    const spec spec_;
    dense_matrix a_;
    array<double> p_, q_, r_, s_;
};

}  // namespace

workload_entry bicg() {
    return entry_of<bicg_workload>("bicg", "A p by rows, A^T r by columns: the second reads all sockets' rows",
                                   "BiCG of PolyBench, iterative solvers", suite::gpus);
}

}  // namespace contraflow::workloads
