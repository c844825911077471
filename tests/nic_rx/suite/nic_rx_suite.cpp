// SPDX-License-Identifier: Apache-2.0
// The tests of the receive datapath for the program of tb/lib. Every case runs from a reset of its own; what it did is
// compared with the rules when all packets have ended, and what the ports must keep to in every cycle.
#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <variant>

#include <fmt/format.h>

#include "core/random.h"
#include "lib/run_options.h"
#include "lib/suite_if.h"
#include "nic/receive/nic_rx_registers.h"
#include "nic/receive/random_case.h"
#include "nic/receive_reference.h"
#include "nic_rx/core_program.h"
#include "nic_rx/rx_bench.h"
#include "nic_rx/suite/build.h"
#include "nic_rx/suite/cover.h"
#include "nic_rx/suite/directed.h"
#include "nic_rx/suite/disturbance.h"

namespace contraflow::testing {
namespace {

using behaviour = rx_bench::behaviour;

class nic_rx_suite final : public lib::suite_if {
public:
    explicit nic_rx_suite(std::uint32_t variant) { choose_variant(variant); }

    // Each bench resets the block; this one does it before anything is counted.
    bool reset() override {
        begin_test();
        lib::assertions_go_to(&found_);
        const rx_bench first({}, {});
        if (!first.broken.empty()) found_.add("ports", first.broken);
        return found_.empty();
    }
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
            behaviour how;
            how.rings = most_rings();
            nic::receive_result expected = *c.expected;
            for (nic::action& a : expected.actions)
                if (auto* e = std::get_if<nic::completion_event>(&a)) e->ring %= most_rings();
            if (!list.ended(c.name, play(fitting(c), how, {}, expected))) return;
        }
    }

    void directed(bool long_tests, const lib::test_list& list) override {
        for (const directed_test& t : directed_tests()) {
            if ((t.is_long && !long_tests) || !list.wanted(t.name)) continue;
            begin_test();
            lib::assertions_go_to(&found_);
            const directed_result r = t.run(cover_);
            if (!r.wrong.empty()) found_.add("directed", r.wrong);
            cycles_ += r.cycles;
            packets_ += r.packets;
            actions_ += r.actions;
            if (!list.ended(t.name, found_.empty())) return;
        }
    }

    bool random(std::uint64_t seed, std::uint64_t cycles) override {
        core::random_source r(core::mix64(seed));
        behaviour how;
        how.seed = seed;
        how.ring_entries = r.below(3) == 0 ? 1 : 64;
        how.table_latency = 2 + static_cast<unsigned>(r.below(12));
        how.acknowledge_latency = 2 + static_cast<unsigned>(r.below(60));
        how.by_core = r.below(5) == 0;
        how.rings = most_rings();
        how.wide_rings = true;
        how.edges_when_quiet = seed % 4 == 3;
        how.any_rest = seed % 2 == 1;
        how.patterns.emplace();
        for (lib::pattern& p : *how.patterns)
            p = static_cast<lib::pattern>(r.below(3) == 0 ? 0 : r.below(lib::patterns));
        how.bus_rests = static_cast<lib::pattern>(seed / 2 % lib::patterns);
        // Packets of one NIC, over all values of their fields, or close together.
        const auto c = fitting(nic::random_receive_case(seed, static_cast<unsigned>(cycles / 50), r.below(3) != 0));
        const bool faulty = r.below(2) == 0 && !lib::options_of_run().by_pins;
        return play(c, how, faulty ? faults_for(c, r) : faults{}, {}, &r);
    }

    std::vector<lib::counted> compared() const override {
        return {{"cycles", cycles_}, {"packets", packets_}, {"actions", actions_}};
    }
    void write_cover(std::ostream& to) const override { cover_.write(to); }
    void clear_coverage() override { testing::clear_coverage(); }
    void write_coverage(const std::string& file) override { testing::write_coverage(file); }

private:
    // Bits that change while a case runs: in the payload of packets, and one in BUF_LIST while nothing is inside, for
    // the packets from `from` to before `to`; then the driver sets that buffer again.
    struct faults {
        bad_memories bad;
        std::optional<unsigned> entry = std::nullopt;
        unsigned bit = 0;
        std::size_t from = 0, to = 0;
        bool any() const { return entry || !bad.payloads.empty(); }
    };
    static faults faults_for(const nic::receive_case& c, core::random_source& r) {
        faults f;
        const std::uint64_t one_in = 2 + r.below(8);
        for (std::size_t i = 0; i < c.packets.size(); ++i) {
            const std::size_t words = c.packets[i].size() / nic_rx::word_bytes;
            if (words < 3 || r.below(one_in) != 0) continue;
            for (std::uint64_t left = r.below(4) == 0 ? 1 + r.below(4) : 1; left > 0; --left)
                f.bad.payloads[i].push_back({static_cast<unsigned>(r.below(std::min<std::size_t>(words - 2, 256))),
                                             static_cast<unsigned>(r.below(nic_rx::packet_buffer_bits))});
        }
        if (c.buffers.empty() || r.below(2) == 0) return f;
        f.entry = c.buffers[r.below(c.buffers.size())].first;
        f.bit = static_cast<unsigned>(r.below(nic_rx::buf_list_bits));
        f.from = r.below(c.packets.size());
        f.to = f.from + 1 + r.below(c.packets.size() - f.from);
        for (std::size_t i = f.from; i < f.to; ++i) f.bad.entries[i] = {*f.entry};
        return f;
    }

    // The packets up to those that meet a bad entry, these, and the rest.
    static bool run(rx_bench& b, const faults& f, disturbance* other) {
        if (!f.entry) return b.run();
        b.packets_to_come = f.from;
        if (!b.run()) return false;
        b.flip_in_list(*f.entry, f.bit);
        b.packets_to_come = f.to;
        if (!b.run()) return false;
        if (other != nullptr) other->hold_commands(true);
        for (const auto& [index, entry] : b.given.buffers)
            if (index == *f.entry) b.set_buffer(index, entry);
        if (other != nullptr) other->hold_commands(false);
        b.packets_to_come = b.given.packets.size();
        return b.run();
    }

    // With `disturb`: resets in the middle, after which the case is played from its beginning, and what may come at any
    // time.
    bool play(const nic::receive_case& c, const behaviour& how, const faults& faulty,
              const std::optional<nic::receive_result>& given, core::random_source* disturb = nullptr) {
        lib::assertions_go_to(&found_);
        nic::receive_result expected = given ? *given : expected_of(c, faulty.bad);
        cover_.pressure(how);
        const bool disturbed = disturb != nullptr && disturb->below(4) != 0;
        behaviour used = how;
        used.empty_rings = !disturbed || disturb->below(3) != 0;
        used.pages_move = disturbed && !how.by_core;
        rx_bench b(c, used);
        std::optional<core_program> core;
        if (how.by_core) core.emplace(b);
        std::optional<disturbance> other;
        if (disturbed) {
            other.emplace(b, core ? &*core : nullptr, cover_, disturb->next());
            other->keeps_list = faulty.any();
            other->reads_rings = !used.empty_rings;
        }
        b.bad_payloads = faulty.bad.payloads;
        if (disturb != nullptr) resets(b, *disturb, other ? &*other : nullptr, faulty);
        b.set_up();
        if (other) other->hold_commands(false);
        b.packets_to_come = c.packets.size();
        bool ended = run(b, faulty, other ? &*other : nullptr);
        if (other) other->end();
        b.core = {};
        found_.begin_cycle(b.cycle);
        cycles_ += b.cycle;
        if (!ended) {
            found_.add("end.unfinished", fmt::format("packet {} does not end", b.next));
            return false;
        }
        auto result = b.result();
        if (used.pages_move)
            for (auto* const r : {&result, &expected}) {
                forget_moves(*r);
                leave_out_equal_moves(*r);
            }
        if (other && other->windows_closed) leave_out_equal_moves(result);
        const std::string difference = nic::first_difference(result, expected);
        if (!difference.empty()) found_.add("actions", difference);
        if (!b.broken.empty()) found_.add("ports", b.broken);
        if (expected.counters.drops[static_cast<unsigned>(nic::drop_reason::memory)] != 0 &&
            (b.bus(false, nic::nic_rx_registers::memory_error.offset) & 3) == 0)
            found_.add("ports", "MEMORY_ERROR does not tell of a drop for memory");
        packets_ += c.packets.size();
        actions_ += result.actions.size();
        if (difference.empty()) cover_.played(c, result);
        return found_.empty();
    }

    // Which move of its page a write has found.
    static void forget_moves(nic::receive_result& r) {
        constexpr std::uint64_t page = ~std::uint64_t{0} >> rx_bench::page_bits_moved;
        for (nic::action& a : r.actions) {
            if (auto* const w = std::get_if<nic::data_write>(&a)) w->address &= page;
            if (auto* const m = std::get_if<nic::window_move>(&a)) m->page.page &= page;
        }
    }

    // A window that was closed moves to the page that it showed, and so does one whose page has moved. That it moves,
    // B15_written_through_an_open_window tells.
    static void leave_out_equal_moves(nic::receive_result& r) {
        std::map<nic::memory_space, nic::page_entry> shown;
        std::erase_if(r.actions, [&](const nic::action& a) {
            const auto* m = std::get_if<nic::window_move>(&a);
            if (m == nullptr) return false;
            const auto [at, is_new] = shown.try_emplace(m->space, m->page);
            if (is_new) return false;
            if (at->second == m->page) return true;
            at->second = m->page;
            return false;
        });
    }

    // What packets did before a reset is a part of what they do without one: each action that came, in that order.
    void check_so_far(const rx_bench& b, const bad_memories& bad) {
        found_.begin_cycle(b.cycle);
        nic::receive_result seen = b.actions_so_far(), expected = expected_of(b.given, bad);
        for (auto* const r : {&seen, &expected}) {
            forget_moves(*r);
            std::erase_if(r->actions, [](const nic::action& a) { return std::holds_alternative<nic::window_move>(a); });
        }
        auto next = expected.actions.begin();
        for (const nic::action& a : seen.actions) {
            next = std::find(next, expected.actions.end(), a);
            if (next == expected.actions.end())
                return found_.add("actions", "before a reset comes what no packet does there: " + nic::to_json(a));
            ++next;
        }
    }

    // None, one or two.
    void resets(rx_bench& b, core::random_source& r, disturbance* other, const faults& faulty) {
        for (std::uint64_t left = r.below(3); left > 0; --left) {
            b.set_up();
            if (other != nullptr) other->hold_commands(false);
            b.feeding = true;
            b.steps(static_cast<unsigned>(1 + r.below(800)));
            const bool hard = r.below(2) == 0;
            if (other != nullptr && !hard) other->hold_commands(true);
            check_so_far(b, {faulty.bad.payloads, {}});
            cover_.state(hard ? group::hard_reset : group::soft_reset, b);
            if (!hard) {
                b.soft_reset();
                continue;
            }
            const auto edges = static_cast<unsigned>(r.below(3));
            b.hard_reset(lib::options_of_run().by_pins ? std::max(1u, edges) : edges);
            if (other != nullptr) other->cut_off();
            if (b.in().by_core) b.bus(true, nic::nic_rx_registers::irq_enable.offset, 7);
        }
    }

    cover cover_;
    lib::findings found_;
    std::uint64_t cycles_ = 0, packets_ = 0, actions_ = 0;
};

}  // namespace

nic::receive_case fitting(nic::receive_case c) {
    std::map<unsigned, nic::buffer_entry> buffers;
    for (auto& [index, entry] : c.buffers) {
        entry.ring = static_cast<std::uint8_t>(entry.ring % most_rings());
        buffers[index % built().buffers] = entry;
    }
    c.buffers.assign(buffers.begin(), buffers.end());
    return c;
}

}  // namespace contraflow::testing

namespace contraflow::lib {

std::unique_ptr<suite_if> make_suite(std::uint32_t variant, bool) {
    return std::make_unique<testing::nic_rx_suite>(variant);
}

}  // namespace contraflow::lib
