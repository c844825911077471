// SPDX-License-Identifier: Apache-2.0
#include "node_programs/ring_all_reduce.h"

#include <stdexcept>

#include <fmt/format.h>

#include "core/little_endian.h"
#include "core/random.h"
#include "node_programs/messages.h"

namespace contraflow::node_programs {

namespace {

class ring_all_reduce final : public node_program_if {
public:
    ring_all_reduce(const all_reduce_spec& s, unsigned ranks) : spec_(s), ranks_(ranks), windows_(ranks) {
        if (ranks < 2) throw std::invalid_argument("an all-reduce needs two nodes at least");
        if (s.vector.count % (std::uint64_t{ranks} * sizeof(element)) != 0)
            throw std::invalid_argument(fmt::format("a vector of {} bytes cannot be cut into {} shares of whole 32-bit "
                                                    "integers",
                                                    s.vector.count, ranks));
        share_ = static_cast<std::uint32_t>(s.vector.count / ranks);
    }

    // The vector, and room for the partial sums that arrive: a share from each step, because a sender may be ahead.
    core::bytes window() const override { return {2 * spec_.vector.count}; }
    void prepare(unsigned rank, std::span<std::uint8_t> window) override {
        windows_.at(rank) = window;
        core::random_source draw(core::mix64(spec_.seed) ^ rank);
        for (std::uint64_t i = 0; i < elements(); ++i) set(window, i, static_cast<element>(draw.next()));
        expected_.resize(elements());
        for (std::uint64_t i = 0; i < elements(); ++i) expected_[i] += get(window, i);
    }
    gpu::host_task run(const node_view& node) override;
    std::string verify() const override;
    std::string operation() const override { return "additions"; }
    program_counts counts() const override { return counts_; }

private:
    using element = std::uint32_t;  // sums wrap around
    std::uint64_t elements() const { return spec_.vector.count / sizeof(element); }
    static element get(std::span<const std::uint8_t> window, std::uint64_t i) {
        return core::load_le<element>(window.data() + i * sizeof(element));
    }
    static void set(std::span<std::uint8_t> window, std::uint64_t i, element e) {
        core::store_le<element>(window.data() + i * sizeof e, e);
    }

    const all_reduce_spec spec_;
    const unsigned ranks_;
    std::uint32_t share_ = 0;  // bytes
    std::vector<std::span<std::uint8_t>> windows_;
    std::vector<element> expected_;  // after one round
    program_counts counts_;
};

gpu::host_task ring_all_reduce::run(const node_view& node) {
    messages m(node, counts_);
    const unsigned next = (node.rank + 1) % ranks_, last = (node.rank + ranks_ - 1) % ranks_;
    const std::uint64_t partial = spec_.vector.count;  // the offset of partial sums
    const auto share_at = [&](unsigned number) { return std::uint64_t{(number + 2 * ranks_) % ranks_} * share_; };
    const std::uint64_t each = share_ / sizeof(element);
    for (unsigned round = 0; round < spec_.rounds; ++round) {
        // A bit distinguishes rounds, because no rank is a whole round ahead.
        const auto tag = [round](unsigned step) { return static_cast<std::uint16_t>(round % 2 * 0x800 + step); };
        for (unsigned step = 0; step + 1 < ranks_; ++step) {
            co_await m.put(next, share_at(node.rank + ranks_ - step), partial + std::uint64_t{step} * share_, share_,
                           tag(step));
            co_await m.arrived(last, tag(step), partial + std::uint64_t{step} * share_, share_);
            co_await node.process.work(spec_.add_rate.time_of({share_}));
            const std::uint64_t sum = share_at(node.rank + ranks_ - step - 1) / sizeof(element);
            const std::uint64_t from = (partial + std::uint64_t{step} * share_) / sizeof(element);
            for (std::uint64_t i = 0; i < each; ++i)
                set(node.window, sum + i, get(node.window, sum + i) + get(node.window, from + i));
            counts_.operations += each;
        }
        // Sums arrive in their final place: the old value there has been passed on before its sum can arrive.
        for (unsigned step = 0; step + 1 < ranks_; ++step) {
            const std::uint64_t at = share_at(node.rank + 1 + ranks_ - step);
            co_await m.put(next, at, at, share_, tag(0x400 + step));
            co_await m.arrived(last, tag(0x400 + step), share_at(node.rank + ranks_ - step), share_);
        }
        co_await m.all_sent();
    }
}

std::string ring_all_reduce::verify() const {
    // Each further round adds up as many equal vectors as there are ranks.
    element factor = 1;
    for (unsigned round = 1; round < spec_.rounds; ++round) factor *= ranks_;
    for (unsigned rank = 0; rank < ranks_; ++rank)
        for (std::uint64_t i = 0; i < elements(); ++i) {
            const element got = get(windows_[rank], i), wanted = expected_[i] * factor;
            if (got != wanted) return fmt::format("element {} of rank {} is {}, not {}", i, rank, got, wanted);
        }
    return {};
}

}  // namespace

void all_reduce_spec::describe(config::fields<all_reduce_spec>& f) {
    f("vector", &all_reduce_spec::vector).in({8}, {64u << 20}).text("vector of each node, of 32-bit integers");
    f("rounds", &all_reduce_spec::rounds).in(1, 1000).text("all-reduces, one after the other");
    f("add_rate", &all_reduce_spec::add_rate)
        .in(core::bandwidth::from_gb_per_s(0.1), core::bandwidth::from_gb_per_s(10000))
        .text("rate at which a GPU adds received data; assumed");
    f("seed", &all_reduce_spec::seed).text("seed of the vectors");
}

std::unique_ptr<node_program_if> make_all_reduce(const all_reduce_spec& s, unsigned ranks) {
    return std::make_unique<ring_all_reduce>(s, ranks);
}

}  // namespace contraflow::node_programs
