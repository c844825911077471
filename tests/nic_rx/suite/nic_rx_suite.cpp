// SPDX-License-Identifier: Apache-2.0
// The receive datapath's worked cases and random packets, for the program of tb/lib. Every case runs on a block of its
// own; what it did is compared with the rules when all packets have ended, and what the ports must keep to in every
// cycle.
#include <fstream>
#include <ostream>
#include <sstream>
#include <stdexcept>

#include <fmt/format.h>

#include "core/random.h"
#include "lib/cover_counts.h"
#include "lib/suite_if.h"
#include "nic/receive_reference.h"
#include "nic_rx/rx_bench.h"
#include "nic_rx/suite/build.h"

namespace contraflow::testing {
namespace {

using behaviour = rx_bench::behaviour;

// Every reason for which a packet is dropped, and what the other side does.
constexpr unsigned sides = 5;
constexpr std::array<const char*, sides> side_names{
    {"load.none", "load.dma", "load.table", "load.events", "load.words"}};
static_assert(nic::drop_reasons == 9);
constexpr std::array<const char*, nic::drop_reasons + sides + 2> cover_names{
    {"drop.framing", "drop.crc", "drop.header", "drop.length", "drop.misrouted", "drop.no_buffer", "drop.bounds",
     "drop.access", "drop.translation", "load.none", "load.dma", "load.table", "load.events", "load.words",
     "ring.of_one", "ring.of_many"}};

class nic_rx_suite final : public lib::suite_if {
public:
    explicit nic_rx_suite(std::uint32_t variant) : cover_(cover_names) { choose_variant(variant); }

    bool reset() override { return true; }  // a case begins with one
    void begin_test() override { found_ = {}; }
    const lib::findings& found() const override { return found_; }

    void vectors(const std::string& file, const lib::test_list& list) override {
        std::ostringstream text;
        text << std::ifstream(file).rdbuf();
        const auto cases = nic::parse_receive_cases(text.str());
        if (!cases.problems.empty()) throw std::runtime_error(file + " is no file of cases");
        for (const nic::receive_case& c : cases.cases) {
            if (!list.wanted(c.name)) continue;
            begin_test();
            if (!list.ended(c.name, play(c, {}, *c.expected))) return;
        }
    }

    // The traffic of a few seeds, while one side after the other is slow.
    void directed(bool, const lib::test_list& list) override {
        bool going = true;
        for (unsigned side = 0; side < sides; ++side)
            for (const unsigned entries : {1u, 64u}) {
                const std::string name = fmt::format("{}, rings of {}", side_names[side], entries);
                if (!going || !list.wanted(name)) continue;
                begin_test();
                const auto c = random_receive_case(1000 + side, 40);
                going = list.ended(name, play(c, slow(side, 1000 + side, entries), expected_of(c)));
            }
    }

    bool random(std::uint64_t seed, std::uint64_t cycles) override {
        core::random_source r(core::mix64(seed));
        const auto side = static_cast<unsigned>(seed % sides);
        auto how = slow(side, seed, r.below(3) == 0 ? 1 : 64);
        how.table_latency = 2 + static_cast<unsigned>(r.below(12));
        how.acknowledge_latency = 2 + static_cast<unsigned>(r.below(60));
        const auto c = random_receive_case(seed, static_cast<unsigned>(cycles / 50));
        return play(c, how, expected_of(c));
    }

    std::vector<lib::counted> compared() const override {
        return {{"cycles", cycles_}, {"packets", packets_}, {"actions", actions_}};
    }
    void write_cover(std::ostream& to) const override { cover_.write(to); }
    void clear_coverage() override { testing::clear_coverage(); }
    void write_coverage(const std::string& file) override { testing::write_coverage(file); }

private:
    behaviour slow(unsigned side, std::uint64_t seed, std::uint32_t entries) {
        cover_.hit(nic::drop_reasons + side);
        cover_.hit(nic::drop_reasons + sides + (entries == 1 ? 0 : 1));
        behaviour how;
        how.ring_entries = entries;
        how.seed = side == 0 ? 0 : seed;
        how.refuse_dma = side == 1 ? 4 : 0;
        how.refuse_table = side == 2 ? 3 : 0;
        how.refuse_message = how.refuse_error = side == 3 ? 3 : 0;
        how.refuse_word = side == 4 ? 5 : 0;
        return how;
    }

    bool play(const nic::receive_case& c, const behaviour& how, const nic::receive_result& expected) {
        lib::assertions_go_to(&found_);
        rx_bench b(c, how);
        b.set_up();
        const bool ended = b.run();
        found_.begin_cycle(b.cycle);
        cycles_ += b.cycle;
        if (!ended) {
            found_.add("end.unfinished", fmt::format("packet {} does not end", b.next));
            return false;
        }
        const auto result = b.result();
        const std::string difference = nic::first_difference(result, expected);
        if (!difference.empty()) found_.add("actions", difference);
        if (!b.broken.empty()) found_.add("ports", b.broken);
        packets_ += c.packets.size();
        actions_ += result.actions.size();
        for (unsigned i = 0; i < nic::drop_reasons; ++i)
            for (std::uint64_t n = result.counters.drops[i]; n > 0; --n) cover_.hit(i);
        return found_.empty();
    }

    lib::cover_counts cover_;
    lib::findings found_;
    std::uint64_t cycles_ = 0, packets_ = 0, actions_ = 0;
};

}  // namespace
}  // namespace contraflow::testing

namespace contraflow::lib {

std::unique_ptr<suite_if> make_suite(std::uint32_t variant, bool) {
    return std::make_unique<testing::nic_rx_suite>(variant);
}

}  // namespace contraflow::lib
