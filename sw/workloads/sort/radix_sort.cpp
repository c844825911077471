// SPDX-License-Identifier: Apache-2.0
// Sorts keys with their values by digits, the lowest first. A pass counts the digits of every CTA's run, one CTA turns
// the counts into positions, and all keys are scattered to their positions, which keeps the order of equal digits.
// Source of the kernels' form: Satish, Harris, Garland: Designing Efficient Sorting Algorithms for Manycore GPUs,
// IPDPS 2009.
#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/grid_spec.h"
#include "workloads/support/input.h"
#include "workloads/support/placement.h"

namespace contraflow::workloads {
namespace {

using namespace gpu;

constexpr unsigned key_bits = 32;
constexpr std::uint32_t scan_block = 1024;

std::uint32_t key_of(std::uint64_t seed, std::uint64_t i) {
    return static_cast<std::uint32_t>(input_word(seed, i) >> key_bits);
}

class radix_sort_workload final : public workload_if {
public:
    struct spec : grid_spec {
        std::uint32_t n = 16 << 10;
        unsigned digit_bits = 8;
        std::uint64_t seed = 1;

        static void describe(config::fields<spec>& f) {
            f("n", &spec::n).in(1, 1u << 28).text("keys, each with a value of 32 bits");
            f("digit_bits", &spec::digit_bits).in(1, 8).text("bits of a key sorted in a pass");
            f("seed", &spec::seed).text("seed of the keys");
            describe_grid(f);
        }
    };
    static spec sized(workload_size size) {
        spec s;
        s.ctas = 32;
        if (size == workload_size::paper) {
            s.n = 1 << 20;
            s.ctas = 256;
        }
        return s;
    }
    explicit radix_sort_workload(const spec& s) : spec_(s), digits_(1u << s.digit_bits) {}

    void prepare(device_memory& memory) override;
    host_task run(gpu_system_if& gpu) override;
    std::string verify(device_memory& memory) override;

private:
    kernel begin(wave w);
    kernel count(wave w);
    kernel scan(wave w);
    kernel scatter(wave w);
    per_thread<std::uint32_t> digit_of(const per_thread<std::uint32_t>& key) const {
        return (key >> shift_) & (digits_ - 1);
    }

    const spec spec_;
    const std::uint32_t digits_;
    unsigned shift_ = 0;
    array<std::uint32_t> key_, value_;
    array<std::uint32_t> sorted_key_, sorted_value_;  // the output of a pass
    array<std::uint32_t> place_;  // digit by digit, CTA by CTA: the count, then the position of the first
};

void radix_sort_workload::prepare(device_memory& memory) {
    key_ = memory.allocate<std::uint32_t>(spec_.n);
    value_ = memory.allocate<std::uint32_t>(spec_.n);
    sorted_key_ = memory.allocate<std::uint32_t>(spec_.n);
    sorted_value_ = memory.allocate<std::uint32_t>(spec_.n);
    place_ = memory.allocate<std::uint32_t>(std::size_t{digits_} * spec_.ctas);
}

host_task radix_sort_workload::run(gpu_system_if& gpu) {
    const core::bytes counts{digits_ * sizeof(std::uint32_t)};
    const core::bytes wave_counts{(waves_of(spec_.block, gpu.wave_width()) + 1) *
                                  (digits_ * sizeof(std::uint32_t) + 16)};
    const core::bytes sums{2 * scan_block / gpu.wave_width() * sizeof(std::uint32_t)};
    co_await gpu.launch({"begin", spec_.ctas, spec_.block, this, &radix_sort_workload::begin});
    for (shift_ = 0; shift_ < key_bits; shift_ += spec_.digit_bits) {
        co_await gpu.launch({"count", spec_.ctas, spec_.block, this, &radix_sort_workload::count, counts});
        co_await gpu.launch({"scan", 1, scan_block, this, &radix_sort_workload::scan, sums});
        co_await gpu.launch({"scatter", spec_.ctas, spec_.block, this, &radix_sort_workload::scatter, wave_counts});
        std::swap(key_, sorted_key_);
        std::swap(value_, sorted_value_);
    }
}

kernel radix_sort_workload::begin(wave w) {
    for (auto i : w.own(spec_.n)) {
        const auto key = map([this](std::uint64_t k) { return key_of(spec_.seed, k); }, i);
        co_await w.all(w.store(key_, i, key), w.store(value_, i, i), w.store(sorted_key_, i, 0u),
                       w.store(sorted_value_, i, 0u));
    }
}

kernel radix_sort_workload::count(wave w) {
    auto counts = w.shared<std::uint32_t>(digits_);
    for (auto i : w.own(spec_.n)) {
        const auto digit = digit_of(co_await w.load(key_, i));
        w.work(4);  // an atomic addition to the scratchpad
        for (mask m = w.active(); m.any(); m = m.without_lowest()) ++counts[digit[m.lowest()]];
    }
    co_await w.barrier();
    const auto d = w.local_ids();
    for (std::uint64_t first = 0; first < digits_; first += w.block().count()) {
        if (auto in = w.only(d + first < digits_))
            co_await w.store(place_, (d + first) * spec_.ctas + w.cta(), w.read(counts, d + first));
    }
}

// Replaces every entry by the sum of the entries before it.
kernel radix_sort_workload::scan(wave w) {
    auto sums = w.shared<std::uint32_t>(w.waves_in_cta());
    std::uint32_t before = 0;
    for (std::uint64_t first = 0; first < place_.size(); first += w.block().count()) {
        const auto i = w.local_ids() + first;
        const mask in = i < place_.size();
        const auto count = co_await w.load(place_, i, in);
        w.work(2 * w.tree_steps());  // a sum by shuffles
        sums[w.wave_in_cta()] = sum(count, in);
        co_await w.barrier();
        w.work(2 * w.tree_steps());
        const std::uint32_t below = std::accumulate(sums.begin(), sums.begin() + w.wave_in_cta(), before);
        before = std::accumulate(sums.begin(), sums.end(), before);
        co_await w.store(place_, i, exclusive_sum(count, in) + below, in);
        co_await w.barrier();
    }
}

kernel radix_sort_workload::scatter(wave w) {
    auto next = w.shared<std::uint32_t>(digits_);                       // place of the CTA's next key, by digit
    auto counts = w.shared<std::uint32_t>(w.waves_in_cta() * digits_);  // for each wavefront's keys
    const auto mine = counts.subspan(w.wave_in_cta() * digits_, digits_);
    for (std::uint64_t first = 0; first < digits_; first += w.block().count()) {
        const auto d = w.local_ids() + first;
        if (auto in = w.only(d < digits_)) w.write(next, d, co_await w.load(place_, d * spec_.ctas + w.cta()));
    }
    const auto run = part_of(spec_.n, w, spec_.ctas);
    for (std::uint64_t first = run.begin; first < run.end; first += w.block().count()) {
        const auto i = w.local_ids() + first;
        const mask in = i < run.end;
        const auto [key, value] = co_await w.all(w.load(key_, i, in), w.load(value_, i, in));
        const auto digit = digit_of(key);
        std::fill(mine.begin(), mine.end(), 0);
        w.work(digits_ / w.width() + 2 * spec_.digit_bits);  // clear; find equal digits by a ballot a bit
        per_thread<std::uint32_t> rank;
        for (mask m = w.active() & in; m.any(); m = m.without_lowest()) rank[m.lowest()] = mine[digit[m.lowest()]]++;
        co_await w.barrier();
        auto place = w.read(next, digit) + rank;
        for (unsigned u = 0; u < w.wave_in_cta(); ++u) place += w.read(counts, digit + u * digits_);
        co_await w.all(w.store(sorted_key_, place, key, in), w.store(sorted_value_, place, value, in));
        co_await w.barrier();
        for (std::uint64_t k = w.wave_in_cta(); k < digits_; k += w.waves_in_cta())
            for (unsigned u = 0; u < w.waves_in_cta(); ++u) next[k] += counts[u * digits_ + k];
        w.work(digits_ / w.width() + 1);
        co_await w.barrier();
    }
}

std::string radix_sort_workload::verify(device_memory& memory) {
    std::vector<std::uint32_t> value(spec_.n), key(spec_.n);
    std::iota(value.begin(), value.end(), 0u);
    std::stable_sort(value.begin(), value.end(), [this](std::uint32_t a, std::uint32_t b) {
        return key_of(spec_.seed, a) < key_of(spec_.seed, b);
    });
    std::transform(value.begin(), value.end(), key.begin(), [this](std::uint32_t i) { return key_of(spec_.seed, i); });
    const auto wrong = difference("key", memory.read(key_), key);
    return wrong.empty() ? difference("value", memory.read(value_), value) : wrong;
}

}  // namespace

workload_entry radix_sort() {
    return entry_of<radix_sort_workload>("radix_sort", "keys with values sorted digit by digit: count, scan, scatter",
                                         "radix sort of CUB, Thrust and SHOC");
}

}  // namespace contraflow::workloads
