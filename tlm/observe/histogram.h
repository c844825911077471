// SPDX-License-Identifier: Apache-2.0
// The distribution of whole numbers (latencies, sizes, lengths): values below 64 exactly, larger ones in 32 buckets an
// octave, so that a percentile is off by less than 1/32 of itself. It allocates its memory (15 KiB) with the first
// sample.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "observe/registry.h"

namespace contraflow::observe {

class histogram final : public statistic {
public:
    histogram(statistics& group, std::string path, std::string unit, std::string text);

    void add(std::uint64_t value) {
        if (counts_ == nullptr) counts_ = std::make_unique<counts>();
        ++(*counts_)[bucket_of(value)];
        ++count_;
        sum_ += value;
        sum_high_ += sum_ < value ? 1 : 0;
        if (value > max_) max_ = value;
    }

    std::uint64_t count() const { return count_; }
    double mean() const;
    // The smallest value that is not below this share of the samples; 0 without samples.
    double percentile(double share) const;
    std::uint64_t max() const { return max_; }

    void append_rows(core::sim_time end, std::vector<stat_row>& rows) const override;
    void reset(core::sim_time now) override;

private:
    static constexpr unsigned steps_log2 = 5;  // 32 buckets per octave
    static constexpr unsigned exact_bits = steps_log2 + 1;
    static constexpr std::size_t bucket_count = ((64 - exact_bits) << steps_log2) + (1u << exact_bits);

    static std::size_t bucket_of(std::uint64_t value) {
        const auto shift = static_cast<unsigned>(std::bit_width(value | (1u << steps_log2))) - exact_bits;
        return (static_cast<std::size_t>(shift) << steps_log2) + static_cast<std::size_t>(value >> shift);
    }
    static double middle_of(std::size_t bucket);

    using counts = std::array<std::uint64_t, bucket_count>;
    std::unique_ptr<counts> counts_;
    std::uint64_t count_ = 0;
    std::uint64_t sum_ = 0;
    std::uint64_t sum_high_ = 0;  // carries out of sum_: many samples in picoseconds overflow 64 bits
    std::uint64_t max_ = 0;
};

}  // namespace contraflow::observe
