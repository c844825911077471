// SPDX-License-Identifier: Apache-2.0
// Directed tests of sides that do not go on, and of rest.
#include "nic_rx/suite/subjects.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "core/random.h"
#include "nic/packet.h"
#include "nic_rx/simple_case.h"
#include "nic_rx/suite/build.h"
#include "nic_rx/suite/packets.h"
#include "nic_rx/suite/play.h"

namespace contraflow::testing {
namespace {

using namespace nic;

directed_result no_acknowledgements(cover& cover) {
    auto c = one_buffer();
    for (unsigned i = 0; i < 40; ++i) c.packets.push_back(put(4096 * (i % 15), 4096, true));
    play p(cover, c);
    p.b.hold_acknowledgements = true;
    p.expect(!p.b.run(12000), "packets end without acknowledgements");
    const unsigned in_flight = std::min({built().packets_in_flight, built().packets, 40u});
    p.equal(p.b.log.size(), std::min(built().writes, in_flight * (4096 / c.max_payload)), "writes");
    if (built().packets < 32 || built().buffer_words < 32 * 4096 / 16)
        p.expect(!p.b.out().in_ready, "it takes words without room for them");
    p.b.hold_acknowledgements = false;
    return p.end();
}

// As many packets are in flight as the block is built for, while tags last.
directed_result packets_in_flight(cover& cover) {
    auto c = one_buffer();
    for (unsigned i = 0; i < 300; ++i) c.packets.push_back(put(32 * i, 16));
    play p(cover, c);
    p.b.hold_acknowledgements = true;
    p.expect(!p.b.run(12000), "packets end without acknowledgements");
    p.equal(p.b.log.size(), std::min({built().packets_in_flight, built().packets, built().writes}), "writes");
    p.b.hold_acknowledgements = false;
    return p.end();
}

// Packets of as many writes as there are tags, one after the other in each slot of the datapath: none ends before all
// of its writes are acknowledged. A packet has 64 writes at most.
directed_result all_tags_of_a_packet(cover& cover) {
    constexpr unsigned most_writes = 64, payload = 64;
    if (built().writes > most_writes) return {};
    auto c = one_buffer();
    c.max_payload = payload;
    const unsigned bytes = built().writes * payload, packets = built().packets + 1;
    for (unsigned i = 0; i < packets; ++i) c.packets.push_back(put(4096 * (i % 15), bytes, true));
    play p(cover, c);
    p.b.hold_acknowledgements = p.b.feeding = true;
    for (unsigned i = 0; i < packets; ++i) {
        for (unsigned wait = 0; wait < 3000 && p.b.writes_of(i) < built().writes; ++wait) p.b.step();
        p.equal(p.b.writes_of(i), built().writes, fmt::format("writes of packet {} that are not acknowledged", i));
        p.b.steps(8);
        // The completion is no write of payload: it comes when all of these are acknowledged, and is acknowledged
        // itself.
        for (const std::uint8_t tag : p.b.tags_out()) {
            p.equal(p.b.completions(0), i, "completions");
            p.b.acknowledge(tag);
            p.b.steps(8);
        }
        for (unsigned wait = 0; wait < 100 && p.b.completions(0) == i; ++wait) p.b.step();
        p.equal(p.b.completions(0), i + 1, "completions");
        if (const auto tag = p.b.tag_of_completion()) p.b.acknowledge(*tag);
    }
    p.b.hold_acknowledgements = false;
    return p.end();
}

// A completion that is offered and not taken stays, and the block is quiet.
directed_result rests_with_a_completion(cover& cover) {
    auto c = one_buffer();
    c.packets = {put(0, 16, true)};
    play p(cover, c, {.edges_when_quiet = true});
    p.b.feeding = true;
    for (unsigned i = 0; i < 200 && p.b.log.empty(); ++i) p.b.step();
    p.expect(!p.b.log.empty(), "the packet is not written");
    p.b.hold_dma = true;
    p.b.steps(60);
    for (unsigned i = 0; i < 20; ++i) {
        p.b.step();
        p.expect(p.b.out().dma_valid && p.b.out().dma_kind == static_cast<unsigned>(dma_kind::completion),
                 "the completion is not offered");
        p.expect(p.b.out().quiet, "it is not quiet while the completion waits");
    }
    p.b.hold_dma = false;
    return p.end();
}

// Each tag is used again when it alone comes back.
directed_result each_tag_alone(cover& cover) {
    auto c = one_buffer();
    c.max_payload = 64;
    const unsigned writes = built().writes, in_a_packet = 4096 / c.max_payload;
    for (unsigned i = 0; i < 2 * writes / in_a_packet + 2; ++i) c.packets.push_back(put(4096 * (i % 15), 4096));
    play p(cover, c);
    p.b.hold_acknowledgements = p.b.feeding = true;
    p.b.steps(3000);
    const std::size_t most = std::size_t{built().packets_in_flight} * in_a_packet;  // of packets of which no one ends
    if (p.b.log.size() == writes)                                                   // else fewer are in flight
        for (unsigned i = 0; i < writes && p.b.log.size() < most; ++i) {
            const std::size_t before = p.b.log.size();
            p.b.acknowledge(static_cast<std::uint8_t>((i * 7 + 3) % writes));
            p.b.steps(12);
            p.equal(p.b.log.size(), before + 1, fmt::format("writes when tag {} is back", (i * 7 + 3) % writes));
        }
    p.b.hold_acknowledgements = false;
    return p.end();
}

// Packets come in for so long before the first write is taken.
directed_result behind_a_held_channel(cover& cover, const receive_case& c, unsigned cycles) {
    play p(cover, c);
    p.b.hold_dma = p.b.feeding = true;
    p.b.steps(cycles);
    p.b.hold_dma = false;
    return p.end();
}

// The packet buffer is full of packets of any lengths, and keeps them.
directed_result full_packet_buffer(cover& cover) {
    directed_result all;
    core::random_source r(core::mix64(31));
    for (unsigned turn = 0; turn < 6; ++turn) {
        auto c = one_buffer();
        for (unsigned i = 0; i < 30; ++i)
            c.packets.push_back(put(16 * r.below(3500), static_cast<std::uint32_t>(4096 - r.below(turn * 600 + 1))));
        all.add(behind_a_held_channel(cover, c, 3000));
    }
    return all;
}

// A packet of the longest kind overwrites nothing where a short one has taken some of the room that it needs, of each
// power of two of words. Where fewer packets than words are inside, the packet waits for these.
directed_result longest_behind_a_short_one(cover& cover) {
    directed_result all;
    const unsigned longest = built().buffer_words / 256 - 1;
    std::vector<std::uint32_t> lengths{80, 1000, 4000};
    for (unsigned words = 1; longest < 8 && words <= 256; words *= 2) lengths.push_back(16 * words);
    for (const std::uint32_t length : lengths) {
        auto c = one_buffer();
        for (unsigned i = 0; i < longest; ++i) c.packets.push_back(put(4096 * (i % 14), 4096));
        c.packets.push_back(put(0, length));
        for (unsigned i = 0; i < 2; ++i) c.packets.push_back(put(4096 * i, 4096));
        all.add(behind_a_held_channel(cover, c, 300 * (longest + 3)));
    }
    return all;
}

// A completion that alone is not acknowledged, of each tag, or of 32 or so of many: its packet has ended, and the
// datapath is not idle.
directed_result any_tag_out(cover& cover) {
    play p(cover, one_buffer());
    const unsigned writes = built().writes;
    const auto write_comes = [&] {
        const std::size_t before = p.b.log.size();
        for (unsigned i = 0; i < 300 && p.b.log.size() == before; ++i) p.b.step();
        p.equal(p.b.log.size(), before + 1, "writes");
        return !p.b.tags_out().empty();
    };
    // Its data are acknowledged, its completion is not.
    const auto send = [&](bool notify) {
        p.b.given.packets.push_back(put(0, 16, notify));
        if (!write_comes()) return false;
        p.b.acknowledge(p.b.tags_out().back());
        if (notify) return write_comes();
        p.b.steps(10);
        return true;
    };
    const unsigned stride = (writes + 31) / 32;
    p.b.feeding = true;
    for (unsigned wanted = 0, tries = 0; wanted < writes; ++tries) {
        p.b.hold_acknowledgements = true;
        // The tag of a write is chosen before, so one is left out: behind a packet without a completion another one.
        for (unsigned i = 0; i < tries; ++i)
            if (!send(false)) return p.so_far();
        for (unsigned i = 0; i + 1 < writes; ++i)
            if (!send(true)) return p.so_far();
        const auto tags = p.b.tags_out();
        p.equal(tags.size(), writes - 1, "completions that are not acknowledged");
        if (std::find(tags.begin(), tags.end(), wanted) != tags.end()) {
            for (const std::uint8_t tag : tags)
                if (tag != wanted) {
                    p.b.acknowledge(tag);
                    p.b.step();
                }
            p.b.steps(10);
            p.equal(p.b.tags_out().size(), 1, "completions that are not acknowledged");
            p.expect(!p.b.out().idle, fmt::format("it is idle while the write of tag {} is out", wanted));
            wanted += stride;
            tries = 0;
        } else if (tries == 3) {
            p.expect(false, fmt::format("no completion has tag {}", wanted));
            return p.so_far();
        }
        p.b.hold_acknowledgements = false;
        if (!p.b.run()) {
            p.expect(false, "packets do not end");
            return p.so_far();
        }
    }
    return p.so_far(p.b.log.size());
}

directed_result full_mailbox(cover& cover) {
    auto c = one_buffer();
    c.packets = get_requests(40);
    play p(cover, c);
    p.b.hold_messages = true;
    p.expect(!p.b.run(500), "messages end that nobody takes");
    p.expect(p.b.log.empty(), "a message is taken");
    p.b.hold_messages = false;
    return p.end();
}

directed_result errors_are_lost(cover& cover) {
    auto c = one_buffer();
    constexpr unsigned drops = 50, places = 16;
    for (unsigned i = 0; i < drops; ++i) c.packets.push_back(dropped_for(drop_reason::no_buffer));
    play p(cover, c);
    p.b.hold_errors = p.b.errors_may_be_lost = true;
    p.b.feeding = true;
    while (p.b.next < drops && p.b.cycle < 20'000) p.b.step();
    p.b.steps(20 + built().packets * (built().buffers / built().search_rate + 2));
    p.equal(p.b.out().errors_lost, drops - places, "drops that had no room");
    p.equal(p.b.counters().drops[static_cast<unsigned>(drop_reason::no_buffer)], drops, "drops that are counted");
    p.b.hold_errors = false;
    p.expect(p.b.run(), "the drops are not shown");
    p.equal(p.b.log.size(), places, "drops that are shown");
    return p.so_far();
}

// quiet_o and calm_o are high while nothing happens, and low while a packet comes in.
directed_result quiet_and_calm(cover& cover) {
    auto c = one_buffer();
    for (unsigned i = 0; i < 6; ++i) c.packets.push_back(put(4096 * (i % 3), 200, i % 2 == 0));
    play p(cover, c, {.edges_when_quiet = true});
    const auto rests = [&](const char* when) {
        p.b.steps(20);
        p.expect(p.b.out().quiet && p.b.out().calm && p.b.out().idle, fmt::format("it does not rest {}", when));
    };
    rests("before the packets");
    p.b.feeding = true;
    bool awake = false;
    for (unsigned i = 0; i < 20; ++i) {
        p.b.step();
        awake = awake || (!p.b.out().quiet && !p.b.out().calm);
    }
    p.expect(awake, "it rests while a packet is looked up");
    p.expect(p.b.run(), "the packets do not end");
    rests("after the packets");
    p.b.soft_reset();
    rests("after a reset");
    p.b.set_up();
    return p.end();
}

// Each side that does not go on stops the datapath, and it rests until that side does: its clock may stop.
directed_result rests_while_it_waits(cover& cover) {
    enum : unsigned { dma, acknowledgements, tables, messages, a_ring, sides };
    directed_result all;
    for (unsigned side = 0; side < sides; ++side) {
        auto c = one_buffer();
        c.max_payload = 64;
        for (unsigned i = 0; i < 40; ++i) c.packets.push_back(put(4096 * (i % 3) + 8 * i, 2000, i % 2 == 1));
        if (side == messages) c.packets = get_requests(40);
        play p(cover, c, {.ring_entries = side == a_ring ? 1u : 4096u, .empty_rings = side != a_ring});
        p.b.hold_dma = side == dma;
        p.b.hold_acknowledgements = side == acknowledgements;
        p.b.hold_tables = side == tables;
        p.b.hold_messages = side == messages;
        p.expect(!p.b.run(1000), fmt::format("packets end although side {} does not go on", side));
        p.expect(p.b.out().quiet && p.b.out().calm, fmt::format("it does not rest while it waits for side {}", side));
        p.b.hold_dma = p.b.hold_acknowledgements = p.b.hold_tables = p.b.hold_messages = false;
        p.b.core = [&] {
            if (side == a_ring && p.b.ring_full(0)) p.b.consume_all(0);
        };
        const auto r = p.end();
        all.add({p.so_far().wrong, r.cycles, r.packets, r.actions});
    }
    return all;
}

}  // namespace

const std::vector<directed_test>& waiting_tests() {
    static const std::vector<directed_test> tests{
        {"no acknowledgements", false, no_acknowledgements},
        {"packets in flight", false, packets_in_flight},
        {"each tag alone", false, each_tag_alone},
        {"all tags of a packet", false, all_tags_of_a_packet},
        {"rest with a completion", false, rests_with_a_completion},
        {"any tag is out", false, any_tag_out},
        {"a full packet buffer", false, full_packet_buffer},
        {"the longest packet behind a short one", false, longest_behind_a_short_one},
        {"a full mailbox", false, full_mailbox},
        {"errors are lost, and counted", false, errors_are_lost},
        {"quiet and calm", false, quiet_and_calm},
        {"quiet while it waits", false, rests_while_it_waits},
    };
    return tests;
}

}  // namespace contraflow::testing
