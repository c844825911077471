// SPDX-License-Identifier: Apache-2.0
// Column sums of a tall matrix: every socket streams the partial sums of its own rows into a table that lies in the
// first socket's memory, then that socket adds them up.
#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/input.h"
#include "workloads/support/placement.h"
#include "workloads/support/thread_spec.h"

namespace contraflow::workloads {
namespace {

using namespace gpu;

class many_to_one_workload final : public workload_if {
public:
    struct spec : thread_spec {
        std::uint64_t columns = 16 << 10;
        std::uint32_t slots = 16;
        std::uint32_t rows = 2;
        std::uint32_t rounds = 1;
        std::uint32_t sockets = 4;
        std::uint64_t seed = 1;

        static void describe(config::fields<spec>& f) {
            f("columns", &spec::columns).in(1, 1 << 30).text("elements of a row, and of the result");
            f("slots", &spec::slots).in(1, 1 << 16).text("rows of the table of partial sums");
            f("rows", &spec::rows).in(1, 1 << 16).text("rows of the matrix that are added up for one slot");
            f("rounds", &spec::rounds).at_least(1).text("how often the sums are taken, with another factor each time");
            f("sockets", &spec::sockets)
                .in(1, 64)
                .text("sockets of the machine: 1/sockets of the CTAs do the final sums");
            f("seed", &spec::seed).text("seed of the matrix");
            describe_threads(f);
        }
    };
    static spec sized(workload_size size) {
        spec s;
        if (size == workload_size::paper) {
            s.columns = 192 << 10;
            s.rounds = 2;
        }
        return s;
    }
    explicit many_to_one_workload(const spec& s) : spec_(s), partials_(s.columns * s.slots) {}

    void prepare(device_memory& memory) override {
        matrix_ = memory.allocate<std::uint64_t>(partials_ * spec_.rows);
        table_ = memory.allocate<std::uint64_t>(partials_);
        sums_ = memory.allocate<std::uint64_t>(spec_.columns);
    }

    host_task run(gpu_system_if& gpu) override {
        co_await place_at_first_socket(gpu, table_);
        co_await place_at_first_socket(gpu, sums_);
        co_await gpu.launch(
            {"initialise", spec_.ctas_for(partials_), spec_.block, this, &many_to_one_workload::initialise});
        for (factor_ = 1; factor_ <= spec_.rounds; ++factor_) {
            co_await gpu.launch({"push", spec_.ctas_for(partials_), spec_.block, this, &many_to_one_workload::push});
            co_await gpu.launch({"combine", spec_.ctas_for(spec_.columns) * spec_.sockets, spec_.block, this,
                                 &many_to_one_workload::combine});
        }
    }

    std::string verify(device_memory& memory) override {
        const std::uint64_t factors = std::uint64_t{spec_.rounds} * (spec_.rounds + 1) / 2;
        std::vector<std::uint64_t> sums(spec_.columns);
        for (std::uint64_t i = 0; i < partials_ * spec_.rows; ++i)
            sums[i % spec_.columns] += factors * input_word(spec_.seed, i);
        return difference("sums", memory.read(sums_), sums);
    }

private:
    // The matrix element in row `r` of the rows that form partial sum i.
    per_thread<std::uint64_t> element(const per_thread<std::uint64_t>& i, std::uint32_t r) const {
        return (i / spec_.columns * spec_.rows + r) * spec_.columns + i % spec_.columns;
    }
    kernel initialise(wave w) {
        for (auto i : w.own(partials_)) {
            for (std::uint32_t r = 0; r < spec_.rows; ++r) {
                const auto e = element(i, r);
                co_await w.store(matrix_, e, input_word(spec_.seed, e));
            }
        }
    }
    // Loads four elements at a time. address(k) is the address of each thread's k-th of `count` elements.
    template <class Address>
    static task<per_thread<std::uint64_t>> sum_of(wave w, array<std::uint64_t> a, std::uint32_t count,
                                                  Address address) {
        per_thread<std::uint64_t> sum;
        for (std::uint32_t k = 0; k < count; k += 4) {
            const auto there = [&](std::uint32_t more) { return k + more < count ? mask::everything() : mask(); };
            const auto i0 = address(k), i1 = address(k + 1), i2 = address(k + 2), i3 = address(k + 3);
            const auto [v0, v1, v2, v3] = co_await w.all(w.load(a, i0), w.load(a, i1, there(1)),
                                                         w.load(a, i2, there(2)), w.load(a, i3, there(3)));
            sum += v0 + v1 + v2 + v3;
        }
        co_return sum;
    }
    kernel push(wave w) {
        for (auto i : w.own(partials_)) {
            const auto in_row = [this, &i](std::uint32_t r) { return element(i, r); };
            co_await w.store(table_, i, factor_ * co_await sum_of(w, matrix_, spec_.rows, in_row));
        }
    }
    // Only the CTAs of the socket that has the table do this.
    kernel combine(wave w) {
        const auto mine = part_of(spec_.columns, w, spec_.ctas_for(spec_.columns));
        for (std::uint64_t first = mine.begin; first < mine.end; first += spec_.block) {
            const auto k = first + w.local_ids();
            const auto in = w.only(k < mine.end);
            if (!in) break;
            const auto in_slot = [this, &k](std::uint32_t s) { return s * spec_.columns + k; };
            const auto sum = co_await sum_of(w, table_, spec_.slots, in_slot);
            co_await w.store(sums_, k, sum + co_await w.load(sums_, k));
        }
    }

    const spec spec_;
    const std::uint64_t partials_;
    array<std::uint64_t> matrix_, table_, sums_;
    std::uint64_t factor_ = 0;
};

}  // namespace

workload_entry many_to_one() {
    return entry_of<many_to_one_workload>("many_to_one", "partial sums of all sockets stream into one socket's memory",
                                          "reductions, gathers of gradients and results, one-sided producers");
}

}  // namespace contraflow::workloads
