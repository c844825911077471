// SPDX-License-Identifier: Apache-2.0
// Directed tests of the completion rings.
#include "nic_rx/suite/subjects.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/random.h"
#include "nic/receive/nic_rx_registers.h"
#include "nic/receive/table_memory.h"
#include "nic_rx/core_program.h"
#include "nic_rx/rx_bench.h"
#include "nic_rx/simple_case.h"
#include "nic_rx/suite/build.h"
#include "nic_rx/suite/play.h"

namespace contraflow::testing {
namespace {

using namespace nic;
namespace regs = nic_rx_registers;
using behaviour = rx_bench::behaviour;

// Each bit of a number tells.
std::vector<unsigned> rings_that_do_not_exist() {
    std::vector<unsigned> rings{built().rings, 0x1, 0x2, 0x4, 0x8, 0x10, 0x20, 0x40, 0x80, 0xff};
    std::erase_if(rings, [](unsigned ring) { return ring < built().rings || ring > 0xff; });
    return rings;
}

// An entry whose ring does not exist is not valid, and reads so; what the host says of such a ring is ignored.
directed_result no_such_ring(cover& cover) {
    auto c = one_buffer();
    c.packets = {put(0, 16, true), put(16, 16, true)};
    play p(cover, c);
    unsigned played = 0;
    for (const unsigned ring : rings_that_do_not_exist()) {
        auto words = encode(c.buffers[0].second);
        words[0] |= ring << 8;
        p.b.write_entry(0, words);
        p.equal(p.read(p.b.list_word(0)) & 1, 0u, "the valid bit of an entry whose ring does not exist");
        for (std::uint32_t count = 1; count != 0; count <<= 1) {
            p.b.consume(static_cast<std::uint8_t>(ring), count);
            p.b.steps(2);
        }
        p.b.next = 0;
        p.expect(p.b.run(), "a packet for a ring that does not exist waits");
        played += 2;
        p.equal(p.b.counters().drops[static_cast<unsigned>(drop_reason::no_buffer)], played, "drops");
        cover.hit(group::ring, 3);
    }
    p.b.soft_reset();
    p.b.set_up();
    return p.end();
}

// A count for a ring that does not exist does not reach the full ring whose number has the same low bits.
directed_result full_ring_of_another_number(cover& cover) {
    auto c = one_buffer();
    for (unsigned i = 0; i < 6; ++i) c.packets.push_back(put(4096 * i, 16, true));
    play p(cover, c, {.ring_entries = 2, .empty_rings = false});
    p.expect(!p.b.run(400) && p.b.ring_full(0), "the ring does not fill");
    for (const unsigned ring : rings_that_do_not_exist()) {
        p.b.consume(static_cast<std::uint8_t>(ring), 1);
        p.b.steps(60);
        p.equal(p.b.completions(0), 2u, "completions in a full ring");
        cover.hit(group::ring, 3);
    }
    p.b.core = [&] {
        if (p.b.ring_full(0)) p.b.consume_all(0);
    };
    return p.end();
}

// One place in the ring, and a host that reads late; meanwhile packets come, or nothing does.
directed_result full_ring(cover& cover) {
    auto c = one_buffer();
    for (unsigned i = 0; i < 12; ++i) c.packets.push_back(put(4096 * i, i % 3 == 0 ? 2000 : 16, true));
    play p(cover, c, {.ring_entries = 2, .empty_rings = false});
    p.b.core = [&] {
        if (p.b.ring_full(0)) cover.full_ring(p.b);
    };
    for (std::uint32_t read = 1; read <= 10; ++read) {
        p.expect(!p.b.run(read % 3 == 0 ? 30 : 900), "a completion is written into a full ring");
        const auto events = std::count_if(p.b.log.begin(), p.b.log.end(), [](const auto& n) {
            return std::holds_alternative<completion_event>(n.what);
        });
        if (read % 3 != 0) p.equal(events, read + 1, "completions");
        cover.hit(group::ring, 2);
        p.b.consume(0, read);
    }
    return p.end();
}

// Rings of any size, at which one entry is free or none, as the host tells by counts that wrap. With a core, it sets
// them up.
directed_result sizes_of_rings(cover& cover, bool by_core) {
    auto c = one_buffer();
    behaviour how;
    how.by_core = by_core;
    how.empty_rings = false;
    how.rings = most_rings();
    how.acknowledge_latency = 3;
    rx_bench b(c, how);
    std::optional<core_program> core;
    if (by_core) core.emplace(b);
    b.set_up();
    std::string wrong;
    const auto put_one = [&](bool ends, const char* text) {
        b.given.packets.push_back(put(16 * (b.given.packets.size() % 200), 16, true));
        if (b.run(by_core ? 300 : 80) != ends && wrong.empty()) wrong = text;
    };
    const auto read = [&](unsigned ring, std::uint32_t count, const char* text) {
        b.consume(static_cast<std::uint8_t>(ring), count);
        if (!b.run() && wrong.empty()) wrong = text;
    };
    for (unsigned ring = 0; ring < (by_core ? 1 : most_rings()); ++ring) {
        auto entry = c.buffers[0].second;
        entry.ring = static_cast<std::uint8_t>(ring);
        b.set_buffer(0, entry);
        for (unsigned bit = 0; bit < 32 && wrong.empty(); ++bit) {
            const std::uint32_t entries = (std::uint32_t{1} << bit) + 1;
            b.set_ring(ring, entries);
            b.consume(static_cast<std::uint8_t>(ring), 0 - entries);
            b.steps(2);
            put_one(false, "a completion is written into a full ring");
            read(ring, 1 - entries, "no completion is written although an entry is free");
            put_one(false, "a second completion is written although one entry was free");
            read(ring, 1, "no completion is written into an empty ring");
            put_one(true, "no completion is written after others");
            if (b.completions(ring) != 3 && wrong.empty()) wrong = "completions are missing";
        }
    }
    cover.pressure(how);
    cover.hit(group::ring, 2);
    return {wrong.empty() ? b.broken : wrong, b.cycle, b.given.packets.size(), 2 * b.given.packets.size()};
}

// What must wait for a full ring, or must not.
directed_result full_ring_and(cover& cover) {
    enum : unsigned { invalidation_waits, soft, hard, set_anew };
    directed_result all;
    for (const unsigned what : {invalidation_waits, soft, hard, set_anew}) {
        auto c = one_buffer();
        for (unsigned i = 0; i < 6; ++i) c.packets.push_back(put(4096 * i, 16, true));
        play p(cover, c, {.ring_entries = 2, .empty_rings = false});
        p.expect(!p.b.run(400) && p.b.ring_full(0), "the ring does not fill");
        cover.hit(group::ring_full_and, what);
        if (what == invalidation_waits) {
            p.b.begin_command(regs::command_opcode_invalidate, 0, {0x10000});
            p.b.steps(100);
            p.expect(!p.b.command_ended(), "an invalidation is answered before the packets that wait for a ring");
        } else if (what == set_anew) {
            p.b.set_ring(0);
        } else {
            if (what == soft) {
                p.b.soft_reset();
            } else {
                p.b.hard_reset();
            }
            p.b.set_up();
        }
        p.b.core = [&] {
            if (p.b.ring_full(0)) p.b.consume_all(0);
        };
        const auto r = p.end();
        p.expect(p.b.command_ended(), "an invalidation is not answered");
        all.add({p.so_far().wrong, r.cycles, r.packets, r.actions});
    }
    return all;
}

// The host says at any time how much it has read of a ring, the same again or more, also in the cycle in which a
// completion is written.
directed_result late_readers(cover& cover) {
    directed_result all;
    for (const std::uint32_t entries : {1u, 2u, 3u, 8u}) {
        auto c = one_buffer();
        for (unsigned i = 0; i < 150; ++i) c.packets.push_back(put(16 * i, 16, true));
        play p(cover, c, {.acknowledge_latency = 3, .ring_entries = entries, .empty_rings = false});
        core::random_source r(core::mix64(entries));
        std::uint32_t read = 0;
        p.b.core = [&] {
            if (r.below(3) == 0) return;
            read += static_cast<std::uint32_t>(r.below(p.b.completions(0) - read + 1));
            p.b.consume(0, read);
        };
        const auto one = p.end();
        p.equal(p.b.completions(0), 150u, "completions");
        if (p.b.read_and_written) cover.hit(group::ring, 4);
        all.add({p.so_far().wrong, one.cycles, one.packets, one.actions});
    }
    return all;
}

}  // namespace

const std::vector<directed_test>& ring_tests() {
    static const std::vector<directed_test> tests{
        {"a ring that does not exist", false, no_such_ring},
        {"a full ring", false, full_ring},
        {"a full ring, and a ring that does not exist", false, full_ring_of_another_number},
        {"rings of any size", false, [](cover& c) { return sizes_of_rings(c, false); }},
        {"rings of any size, by the core", false, [](cover& c) { return sizes_of_rings(c, true); }},
        {"what comes while a ring is full", false, full_ring_and},
        {"a host that reads at any time", false, late_readers},
    };
    return tests;
}

}  // namespace contraflow::testing
