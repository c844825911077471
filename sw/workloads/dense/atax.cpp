// SPDX-License-Identifier: Apache-2.0
// y = A^T (A x): the product by rows, then the product by columns on its result.
#include "workloads/dense/dense_matrix.h"
#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/input.h"

namespace contraflow::workloads {
namespace {

using namespace gpu;

class atax_workload final : public workload_if {
public:
    struct spec : dense_matrix_spec {
        static void describe(config::fields<spec>& f) { describe_matrix(f); }
    };
    static spec sized(workload_size size) { return spec::sized_matrix<spec>(size); }
    explicit atax_workload(const spec& s) : spec_(s) {}

    void prepare(device_memory& memory) override {
        a_ = dense_matrix(memory, spec_);
        product_ = memory.allocate<double>(spec_.rows);
        y_ = memory.allocate<double>(spec_.columns);
        x_ = memory.upload(input());
    }

    host_task run(gpu_system_if& gpu) override {
        co_await gpu.launch({"initialise", spec_.ctas, spec_.block, this, &atax_workload::initialise});
        co_await gpu.launch({"times", spec_.ctas, spec_.block, this, &atax_workload::by_rows});
        co_await gpu.launch(
            {"transposed", blocks_for(spec_.columns, spec_.block), spec_.block, this, &atax_workload::by_columns});
    }

    std::string verify(device_memory& memory) override {
        // A sum of `rows` terms, each of them one of `columns`, in two orders; an element is at most 1.
        const double rows = spec_.rows, columns = spec_.columns;
        return difference("y", memory.read(y_), transposed_times_on_host(spec_, times_on_host(spec_, input())),
                          (rows + columns) * 0x1p-52, rows * columns);
    }

private:
    std::vector<double> input() const {
        std::vector<double> x(spec_.columns);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = input_real(~spec_.seed, i);
        return x;
    }
    kernel initialise(wave w) { co_await a_.initialise(w, spec_.seed); }
    kernel by_rows(wave w) { co_await a_.times(w, x_, product_); }
    kernel by_columns(wave w) { co_await a_.transposed_times(w, product_, y_); }

    const spec spec_;
    dense_matrix a_;
    array<double> x_, product_, y_;
};

}  // namespace

workload_entry atax() {
    return entry_of<atax_workload>("atax", "A^T (A x): every row's result is read by all columns",
                                   "ATAX of PolyBench, normal equations", suite::gpus);
}

}  // namespace contraflow::workloads
