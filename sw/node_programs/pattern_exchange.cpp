// SPDX-License-Identifier: Apache-2.0
#include "node_programs/pattern_exchange.h"

#include <algorithm>
#include <stdexcept>

#include <fmt/format.h>

#include "node_programs/messages.h"

namespace contraflow::node_programs {

namespace {

// A block that a rank sends: its target, and the slot there, which distinguishes the receiver's blocks.
struct edge {
    unsigned to = 0;
    unsigned slot = 0;
};

class pattern_exchange final : public node_program_if {
public:
    pattern_exchange(const exchange_spec& s, const std::vector<nic::position>& positions);

    // Blocks to be sent, then those received in even rounds, then those of odd rounds.
    core::bytes window() const override { return {3 * slots_ * spec_.block.count}; }
    void prepare(unsigned, std::span<std::uint8_t> window) override {
        std::fill(window.begin(), window.end(), std::uint8_t{0});
    }
    gpu::host_task run(const node_view& node) override;
    std::string verify() const override;
    std::string operation() const override { return "blocks"; }
    program_counts counts() const override { return counts_; }

private:
    void all_to_all();
    void halo(const std::vector<nic::position>& positions);
    void connect(unsigned from, unsigned to, unsigned slot);
    std::span<std::uint8_t> block(const node_view& node, std::uint64_t number) const {
        return node.window.subspan(number * spec_.block.count, spec_.block.count);
    }
    static std::uint8_t byte_of(unsigned from, unsigned to, unsigned slot, unsigned round, std::uint64_t at) {
        return static_cast<std::uint8_t>((from * 31 + to * 17 + slot * 101 + round * 7 + at * 13) ^ (at >> 8));
    }
    void compare(const node_view& node, unsigned from, unsigned slot, unsigned round);

    const exchange_spec spec_;
    std::uint64_t slots_ = 0;  // the most blocks that a rank sends or receives in a round
    std::vector<std::vector<edge>> sends_;
    std::vector<std::vector<edge>> receives_;  // `to` is the sender
    std::uint64_t expected_ = 0;
    std::string wrong_;
    program_counts counts_;
};

pattern_exchange::pattern_exchange(const exchange_spec& s, const std::vector<nic::position>& positions)
    : spec_(s),
      sends_(positions.size()),
      receives_(positions.size()) {
    if (s.kind == exchange_kind::all_to_all)
        all_to_all();
    else
        halo(positions);
    std::uint64_t pairs = 0;
    for (const auto& to : sends_) pairs += to.size();
    if (pairs == 0) throw std::invalid_argument("an exchange needs two nodes at least");
    expected_ = pairs * s.rounds;
    for (auto* lists : {&sends_, &receives_})
        for (const auto& list : *lists) slots_ = std::max<std::uint64_t>(slots_, list.size());
}

void pattern_exchange::connect(unsigned from, unsigned to, unsigned slot) {
    sends_[from].push_back({to, slot});
    receives_[to].push_back({from, slot});
}

// The sender's number without the receiver's own is the slot. Each rank begins with the next one, so that not all send
// to the same rank at a time.
void pattern_exchange::all_to_all() {
    const auto ranks = static_cast<unsigned>(sends_.size());
    for (unsigned from = 0; from < ranks; ++from)
        for (unsigned n = 1; n < ranks; ++n) {
            const unsigned to = (from + n) % ranks;
            connect(from, to, from < to ? from : from - 1);
        }
}

void pattern_exchange::halo(const std::vector<nic::position>& positions) {
    const auto axes = [](const nic::position& p) { return std::array<unsigned, 3>{p.x, p.y, p.z}; };
    std::array<unsigned, 3> extent{1, 1, 1};
    for (const auto& p : positions)
        for (unsigned a = 0; a < 3; ++a) extent[a] = std::max(extent[a], axes(p)[a] + 1);
    const auto rank_at = [&](std::array<unsigned, 3> at) {
        return static_cast<unsigned>(
            std::find_if(positions.begin(), positions.end(), [&](const auto& p) { return axes(p) == at; }) -
            positions.begin());
    };
    for (unsigned from = 0; from < positions.size(); ++from) {
        unsigned slot = 0;
        for (unsigned a = 0; a < 3; ++a) {
            if (extent[a] == 1) continue;
            for (const unsigned step : {1u, extent[a] - 1}) {  // up, and down
                auto at = axes(positions[from]);
                at[a] = (at[a] + step) % extent[a];
                connect(from, rank_at(at), slot++);
            }
        }
    }
}

// A peer writes a slot again two rounds later, and before that it waits for this node's block of the round between.
gpu::host_task pattern_exchange::run(const node_view& node) {
    messages m(node, counts_);
    const auto length = static_cast<std::uint32_t>(spec_.block.count);
    for (unsigned round = 0; round < spec_.rounds; ++round) {
        const std::uint64_t received = slots_ * (1 + round % 2);
        const auto tag = [round](unsigned slot) { return static_cast<std::uint16_t>(round % 2 * 0x800 + slot); };
        for (std::size_t n = 0; n < sends_[node.rank].size(); ++n) {
            const edge e = sends_[node.rank][n];
            const auto bytes = block(node, n);
            for (std::uint64_t i = 0; i < bytes.size(); ++i) bytes[i] = byte_of(node.rank, e.to, e.slot, round, i);
            co_await m.put(e.to, n * spec_.block.count, (received + e.slot) * spec_.block.count, length, tag(e.slot));
        }
        co_await m.all_sent();
        for (const edge& e : receives_[node.rank]) {
            co_await m.arrived(e.to, tag(e.slot), (received + e.slot) * spec_.block.count, length);
            compare(node, e.to, e.slot, round);
        }
    }
}

void pattern_exchange::compare(const node_view& node, unsigned from, unsigned slot, unsigned round) {
    const auto bytes = block(node, slots_ * (1 + round % 2) + slot);
    for (std::uint64_t i = 0; i < bytes.size(); ++i) {
        const std::uint8_t wanted = byte_of(from, node.rank, slot, round, i);
        if (bytes[i] == wanted) continue;
        if (wrong_.empty())
            wrong_ = fmt::format("round {}: byte {} that rank {} sent to rank {} is {}, not {}", round, i, from,
                                 node.rank, bytes[i], wanted);
        return;
    }
    ++counts_.operations;
}

std::string pattern_exchange::verify() const {
    if (!wrong_.empty()) return wrong_;
    if (counts_.operations == expected_) return {};
    return fmt::format("{} blocks of {} arrived", counts_.operations, expected_);
}

}  // namespace

void exchange_spec::describe(config::fields<exchange_spec>& f) {
    f("kind", &exchange_spec::kind)
        .text("all_to_all: every node sends to every other; halo: to its neighbours on the torus");
    f("block", &exchange_spec::block).in({1}, {1u << 22}).text("bytes that a node sends to each peer in a round");
    f("rounds", &exchange_spec::rounds)
        .in(1, 10000)
        .text("rounds; each begins when the blocks of the last have arrived");
}

std::unique_ptr<node_program_if> make_exchange(const exchange_spec& s, const std::vector<nic::position>& positions) {
    return std::make_unique<pattern_exchange>(s, positions);
}

}  // namespace contraflow::node_programs
