// SPDX-License-Identifier: Apache-2.0
// Functions that request and answer, across a switch and a root complex that cuts packets: every byte reaches its place
// and no other, completions are joined, errors are reported, and nothing is left over.
#include <algorithm>
#include <deque>
#include <random>

#include <gtest/gtest.h>

#include "core/little_endian.h"
#include "functions.h"
#include "pcie/device/msi.h"
#include "pcie/device/register_region.h"

using namespace contraflow;
using namespace contraflow::pcie;
using pcie::testing::functions;
using pcie::testing::two_functions;

namespace {

std::vector<std::uint8_t> noise(std::size_t size, std::uint64_t seed) {
    std::mt19937_64 draw(seed);
    std::vector<std::uint8_t> all(size);
    for (auto& b : all) b = static_cast<std::uint8_t>(draw());
    return all;
}

class transfer : public ::testing::TestWithParam<operation_kind> {};
INSTANTIATE_TEST_SUITE_P(kinds, transfer,
                         ::testing::Values(operation_kind::write, operation_kind::confirmed_write,
                                           operation_kind::read),
                         [](const auto& p) {
                             return std::string(p.param == operation_kind::write             ? "posted"
                                                : p.param == operation_kind::confirmed_write ? "confirmed"
                                                                                             : "read");
                         });

TEST_P(transfer, of_every_length_up_to_64_from_every_offset_moves_these_bytes_and_no_other) {
    functions f(two_functions());
    std::ranges::copy(noise(functions::memory_bytes, 1), f.memory[1].begin());
    const std::vector<std::uint8_t> before = f.memory[1];
    std::vector<std::uint8_t> expected = before;
    std::vector<std::uint8_t> mine = noise(8 * 65 * 128, 2);
    std::vector<std::uint8_t> wanted = mine;
    std::deque<operation> all;
    std::uint64_t at = 0;
    // Lines of 128 bytes, which cover all offsets; and the end of one 4 KiB page within.
    for (unsigned offset = 0; offset < 8; ++offset)
        for (unsigned length = 1; length <= 64; ++length, at += 128) {
            const std::uint64_t there = at % (functions::memory_bytes - 4096) + offset + (at % 4096 == 3968 ? 100 : 0);
            if (GetParam() == operation_kind::read)
                std::copy_n(before.begin() + static_cast<long>(there), length, wanted.begin() + static_cast<long>(at));
            else
                std::copy_n(mine.begin() + static_cast<long>(at), length, expected.begin() + static_cast<long>(there));
            all.push_back(f.make(GetParam(), f.address(1, there), length, mine.data() + at));
            f.all[0]->start(all.back());
        }
    f.sim.run();
    EXPECT_EQ(f.ended.size(), all.size());
    EXPECT_TRUE(f.memory[1] == expected);
    EXPECT_TRUE(mine == wanted);
    for (const auto& o : all) EXPECT_FALSE(o.failed());
    f.expect_clean();
}

TEST_P(transfer, of_many_pages_keeps_the_rules_whatever_the_sizes) {
    for (const std::uint64_t payload : {64u, 128u, 512u, 4096u})
        for (const std::uint64_t boundary : {64u, 128u}) {
            fabric_spec s;
            s.max_payload = {payload};
            s.max_read_request = {std::min<std::uint64_t>(4 * payload, 4096)};
            s.read_completion_boundary = {boundary};
            functions f(two_functions(), s, 3);
            std::ranges::copy(noise(functions::memory_bytes, 3), f.memory[1].begin());
            auto mine = noise(40000, 4);
            auto o = f.make(GetParam(), f.address(1, 4093), mine.size(), mine.data());
            f.carry_out(0, o);
            EXPECT_FALSE(o.failed());
            EXPECT_TRUE(std::equal(mine.begin(), mine.end(), f.memory[1].begin() + 4093));
            f.expect_clean();
        }
}

TEST(requester, single_bytes_are_chosen_by_enables_in_legal_packets_as_few_as_possible) {
    std::mt19937_64 draw(5);
    functions f(two_functions());
    std::vector<std::uint8_t> expected(functions::memory_bytes);
    std::deque<operation> all;
    std::deque<std::array<std::uint8_t, 128>> masks, data;
    for (unsigned n = 0; n < 400; ++n) {
        auto& mask = masks.emplace_back();
        auto& bytes = data.emplace_back();
        const unsigned dense = 1 + n % 15;
        for (unsigned i = 0; i < 128; ++i) {
            mask[i] = draw() % 16 < dense ? 0xff : 0;
            bytes[i] = static_cast<std::uint8_t>(draw());
        }
        const std::uint64_t there = n * 131, length = 1 + draw() % 128;
        for (unsigned i = 0; i < length; ++i)
            if (mask[i] != 0) expected[there + i] = bytes[i];
        all.push_back(f.make(n % 2 == 0 ? operation_kind::write : operation_kind::confirmed_write, f.address(1, there),
                             length, bytes.data()));
        all.back().enables = mask.data();
        f.all[0]->start(all.back());
    }
    f.sim.run();
    EXPECT_EQ(f.ended.size(), all.size());
    EXPECT_TRUE(f.memory[1] == expected);
    f.expect_clean();
}

TEST(requester, every_second_byte_of_a_line_takes_a_packet_a_quad_word) {
    functions f(two_functions());
    std::array<std::uint8_t, 128> mask, bytes{};
    for (unsigned i = 0; i < 128; ++i) mask[i] = i % 2 == 0 ? 0xff : 0;
    auto o = f.make(operation_kind::write, f.address(1, 0), 128, bytes.data());
    o.enables = mask.data();
    f.carry_out(0, o);
    EXPECT_EQ(f.all[0]->link().statistics().tlps.value(), 16u);
    f.expect_clean();
}

// A requester alone, whose completions the test makes.
struct alone : requester_user_if {
    core::simulation sim;
    tlp_pool pool{4096};
    requester asks;
    std::vector<operation*> ended;
    explicit alone(std::uint32_t tags, core::sim_time timeout = {})
        : asks(sim.events(), pool, {function_id::of(0, 7), 128, 512, tags, timeout}, *this,
               core::callback::to<&alone::timed_out>(*this)) {}
    unsigned timeouts = 0;
    void timed_out() { ++timeouts; }
    void finished(operation& o) override { ended.push_back(&o); }
    operation read(std::uint64_t from, std::uint64_t length, std::uint8_t* to) const {
        operation o;
        o.address = from;
        o.length = length;
        o.buffer = to;
        return o;
    }
    tlp* ask() {
        tlp* const p = asks.make();
        asks.settle();
        return p;
    }
    // `length` bytes from that place of the answer on; memory holds the low byte of each address.
    requester::verdict answer(const tlp& read, std::uint32_t from, std::uint32_t length,
                              completion_status status = completion_status::successful) {
        const byte_span span = span_of(read);
        tlp* const c = pool.take(tlp_kind::completion);
        c->status = status;
        c->requester = read.requester;
        c->tag = read.tag;
        c->lower_address = static_cast<std::uint8_t>((span.address + from) & 0x7f);
        c->byte_count = span.length - from;
        const std::uint32_t lead = c->lower_address % 4;
        c->length = status == completion_status::successful ? (lead + length + 3) / 4 * 4 : 0;
        for (std::uint32_t i = 0; i < length; ++i)
            c->data[lead + i] = static_cast<std::uint8_t>(span.address + from + i);
        return give(c);
    }
    requester::verdict give(tlp* c) {
        const auto v = asks.take(*c, {});
        c->release();
        return v;
    }
    // A completion of that request with the given amount of data.
    requester::verdict answer_with(const tlp& request, std::uint32_t length,
                                   completion_status status = completion_status::successful) {
        tlp* const c = pool.take(tlp_kind::completion);
        c->status = status;
        c->requester = request.requester;
        c->tag = request.tag;
        c->lower_address = 0;
        c->byte_count = 64;
        c->length = length;
        return give(c);
    }
};

TEST(requester, completions_of_several_reads_come_together_in_any_interleaving) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        std::mt19937_64 draw(seed);
        alone a(8);
        std::array<std::uint8_t, 1500> bytes{};
        const std::uint64_t from = 0x1000 + draw() % 600;
        auto o = a.read(from, 1000 + draw() % 500, bytes.data());
        a.asks.start(o);
        struct pending {
            tlp* read;
            std::uint32_t done = 0;
        };
        std::vector<pending> open;
        while (a.asks.next()) open.push_back({a.ask()});
        while (!open.empty()) {
            const auto i = draw() % open.size();
            const byte_span span = span_of(*open[i].read);
            const std::uint32_t left = span.length - open[i].done;
            // Up to the next multiple of 64, or of 128.
            const std::uint64_t step = 64u << draw() % 2;
            const auto part =
                static_cast<std::uint32_t>(std::min<std::uint64_t>(left, step - (span.address + open[i].done) % step));
            ASSERT_EQ(a.answer(*open[i].read, open[i].done, part), requester::verdict::taken);
            open[i].done += part;
            if (open[i].done != span.length) continue;
            open[i].read->release();
            open.erase(open.begin() + static_cast<long>(i));
        }
        ASSERT_EQ(a.ended.size(), 1u);
        for (std::uint64_t i = 0; i < o.length; ++i) ASSERT_EQ(bytes[i], static_cast<std::uint8_t>(from + i)) << i;
        EXPECT_EQ(a.pool.in_flight(), 0u);
    }
}

TEST(requester, what_nobody_asked_for_is_unexpected) {
    alone a(4);
    std::array<std::uint8_t, 512> bytes{};
    auto o = a.read(0x1000, 512, bytes.data());
    a.asks.start(o);
    tlp* const read = a.ask();
    EXPECT_EQ(a.answer(*read, 64, 64), requester::verdict::unexpected);  // not the first bytes
    EXPECT_EQ(a.answer(*read, 0, 64), requester::verdict::taken);
    EXPECT_EQ(a.answer(*read, 0, 64), requester::verdict::unexpected);  // again
    const auto tag = read->tag;
    read->tag = static_cast<std::uint16_t>(tag ^ 1);
    EXPECT_EQ(a.answer(*read, 64, 64), requester::verdict::unexpected);
    read->tag = 99;
    EXPECT_EQ(a.answer(*read, 64, 64), requester::verdict::unexpected);
    read->tag = tag;
    EXPECT_EQ(a.answer(*read, 64, 448), requester::verdict::taken);
    EXPECT_EQ(a.answer(*read, 64, 448), requester::verdict::unexpected);
    EXPECT_EQ(a.ended.size(), 1u);
    read->release();
}

TEST(requester, without_a_tag_it_waits_and_posted_writes_do_not) {
    alone a(1);
    std::array<std::uint8_t, 1024> bytes{};
    auto first = a.read(0x1000, 1024, bytes.data());
    a.asks.start(first);
    tlp* const read = a.ask();
    EXPECT_FALSE(a.asks.next());
    EXPECT_TRUE(a.asks.lacks_tag());
    EXPECT_EQ(a.answer(*read, 0, 512), requester::verdict::taken);
    read->release();
    ASSERT_TRUE(a.asks.next());
    tlp* const second = a.ask();
    auto write = a.read(0x2000, 4, bytes.data());
    write.kind = operation_kind::write;
    a.asks.start(write);
    ASSERT_TRUE(a.asks.next());
    a.ask()->release();
    EXPECT_EQ(a.ended, std::vector<operation*>{&write});
    second->release();
}

TEST(requester, a_completion_without_the_data_that_is_due_or_with_other_data_is_unexpected) {
    alone a(4);
    std::array<std::uint8_t, 64> bytes{};
    auto o = a.read(0x1000, 64, bytes.data());
    a.asks.start(o);
    tlp* const read = a.ask();
    auto confirmed = a.read(0x1000, 64, bytes.data());
    confirmed.kind = operation_kind::confirmed_write;
    a.asks.start(confirmed);
    tlp* const write = a.ask();
    auto flush = a.read(0x1000, 0, nullptr);
    a.asks.start(flush);
    tlp* const empty = a.ask();
    EXPECT_EQ(a.answer_with(*read, 0), requester::verdict::unexpected);
    EXPECT_EQ(a.answer_with(*read, 68), requester::verdict::unexpected);  // a word more than the request
    EXPECT_EQ(a.answer_with(*read, 4, completion_status::completer_abort), requester::verdict::unexpected);
    EXPECT_EQ(a.answer_with(*write, 64), requester::verdict::unexpected);
    EXPECT_EQ(a.answer_with(*empty, 0), requester::verdict::unexpected);
    EXPECT_TRUE(a.ended.empty());
    EXPECT_EQ(a.asks.tags_in_use(), 3u);
    EXPECT_EQ(a.answer_with(*read, 64), requester::verdict::taken);
    EXPECT_EQ(a.answer_with(*write, 0), requester::verdict::taken);
    EXPECT_EQ(a.answer_with(*empty, 4), requester::verdict::taken);
    EXPECT_EQ(a.ended.size(), 3u);
    for (tlp* const p : {read, write, empty}) p->release();
}

TEST(requester, a_deferrable_write_carries_128_bytes_at_most) {
    fabric_spec s;
    s.max_payload = {512};
    functions f(two_functions(), s);
    auto mine = noise(1024, 13);
    const std::vector<std::uint8_t> all(1024, 0xff);
    for (const std::uint64_t at : {0u, 4096u}) {
        const auto before = f.all[0]->link().statistics().tlps.value();
        auto o = f.make(operation_kind::confirmed_write, f.address(1, at), mine.size(), mine.data());
        o.enables = at == 0 ? nullptr : all.data();
        EXPECT_FALSE(f.carry_out(0, o).failed());
        EXPECT_EQ(f.all[0]->link().statistics().tlps.value() - before, 8u);
        EXPECT_TRUE(std::equal(mine.begin(), mine.end(), f.memory[1].begin() + static_cast<long>(at)));
    }
    f.expect_clean();
}

TEST(requester, a_late_completion_is_not_taken_for_the_next_request_of_its_tag) {
    alone a(1, core::sim_time::from_us(10));
    std::array<std::uint8_t, 128> lost{}, bytes{};
    auto o = a.read(0x1000, 128, lost.data());
    a.asks.start(o);
    tlp* const read = a.ask();
    a.sim.run_to(core::sim_time::from_us(11));
    EXPECT_TRUE(o.timed_out);
    auto next = a.read(0x1080, 128, bytes.data());
    a.asks.start(next);
    EXPECT_FALSE(a.asks.next());
    EXPECT_EQ(a.asks.tags_in_quarantine(), 1u);
    EXPECT_EQ(a.answer(*read, 0, 64), requester::verdict::late);
    EXPECT_FALSE(a.asks.next());  // more completions follow
    EXPECT_EQ(a.answer(*read, 64, 64), requester::verdict::late);
    EXPECT_EQ(a.asks.tags_in_quarantine(), 0u);
    ASSERT_TRUE(a.asks.next());
    tlp* const other = a.ask();
    EXPECT_EQ(other->tag, read->tag);
    EXPECT_EQ(a.answer(*other, 0, 128), requester::verdict::taken);
    EXPECT_FALSE(next.failed());
    for (unsigned i = 0; i < 128; ++i) ASSERT_EQ(bytes[i], static_cast<std::uint8_t>(0x1080 + i));
    EXPECT_EQ(lost, (std::array<std::uint8_t, 128>{}));  // the read was given up
    // An error is an only completion; a reset is an end as well.
    auto failing = a.read(0x1000, 128, lost.data());
    a.asks.start(failing);
    tlp* const third = a.ask();
    a.sim.run();
    EXPECT_EQ(a.answer(*third, 0, 0, completion_status::completer_abort), requester::verdict::late);
    EXPECT_EQ(a.asks.tags_in_quarantine(), 0u);
    EXPECT_EQ(a.answer(*third, 0, 0, completion_status::completer_abort), requester::verdict::unexpected);
    auto last = a.read(0x1000, 128, lost.data());
    a.asks.start(last);
    a.ask()->release();
    a.sim.run();
    EXPECT_EQ(a.asks.tags_in_quarantine(), 1u);
    a.asks.reset();
    EXPECT_EQ(a.asks.tags_in_quarantine(), 0u);
    EXPECT_EQ(a.asks.tags_in_use(), 0u);
    for (tlp* const p : {read, other, third}) p->release();
}

TEST(requester, what_waits_for_tags_that_are_all_in_quarantine_is_given_up_unsent_after_a_timeout) {
    alone a(1, core::sim_time::from_us(10));
    std::array<std::uint8_t, 64> bytes{};
    auto first = a.read(0x1000, 64, bytes.data()), second = first, third = first, write = first;
    a.asks.start(first);
    a.ask()->release();
    a.sim.run_to(core::sim_time::from_us(5));
    a.asks.start(second);
    a.sim.run_to(core::sim_time::from_us(12));
    EXPECT_EQ(a.ended, std::vector<operation*>{&first});
    a.asks.start(third);  // has a timeout of its own
    write.kind = operation_kind::write;
    a.asks.start(write);
    ASSERT_TRUE(a.asks.next(true));
    tlp* const posted = a.asks.make(true);
    EXPECT_EQ(posted->kind, tlp_kind::memory_write);
    a.asks.settle();
    posted->release();
    a.sim.run_to(core::sim_time::from_us(21));
    EXPECT_EQ(a.ended, (std::vector<operation*>{&first, &write, &second}));
    a.sim.run_to(core::sim_time::from_us(29));
    EXPECT_EQ(a.ended.size(), 3u);
    a.sim.run();
    EXPECT_EQ(a.ended, (std::vector<operation*>{&first, &write, &second, &third}));
    EXPECT_TRUE(second.timed_out && third.timed_out);
    EXPECT_EQ(a.timeouts, 1u);
    EXPECT_EQ(a.asks.waiting(), 0u);
}

TEST(requester, what_is_not_answered_in_time_is_given_up) {
    alone a(2, core::sim_time::from_us(10));
    std::array<std::uint8_t, 64> bytes{};
    auto o = a.read(0x1000, 64, bytes.data());
    a.asks.start(o);
    tlp* const read = a.ask();
    a.sim.run_to(core::sim_time::from_ns(9999));
    EXPECT_TRUE(a.ended.empty());
    a.sim.run_to(core::sim_time::from_ns(10001));
    ASSERT_EQ(a.ended.size(), 1u);
    EXPECT_TRUE(o.timed_out);
    EXPECT_EQ(a.timeouts, 1u);
    auto next = a.read(0x2000, 64, bytes.data());
    a.asks.start(next);
    tlp* const other = a.ask();
    EXPECT_NE(other->tag, read->tag);
    EXPECT_EQ(a.answer(*other, 0, 64), requester::verdict::taken);
    EXPECT_FALSE(next.failed());
    a.sim.run();
    EXPECT_EQ(a.timeouts, 1u);
    read->release();
    other->release();
}

// ---- errors

TEST(function, an_address_that_no_window_holds_is_an_unsupported_request) {
    functions f(two_functions());
    std::array<std::uint8_t, 64> bytes{};
    const std::uint64_t nowhere = f.address(1, 0) + (std::uint64_t{1} << 40);
    auto read = f.make(operation_kind::read, nowhere, 64, bytes.data());
    auto confirmed = f.make(operation_kind::confirmed_write, nowhere, 64, bytes.data());
    auto posted = f.make(operation_kind::write, nowhere, 64, bytes.data());
    EXPECT_EQ(f.carry_out(0, read).status, completion_status::unsupported_request);
    EXPECT_EQ(f.carry_out(0, confirmed).status, completion_status::unsupported_request);
    EXPECT_FALSE(f.carry_out(0, posted).failed());  // no completion can report it
    EXPECT_EQ(f.tree->unclaimed(), 3u);
    EXPECT_EQ(f.ended.size(), 3u);
    f.expect_clean();
}

TEST(function, an_address_in_its_window_and_in_none_of_its_bars_is_an_unsupported_request) {
    functions f(two_functions());
    std::array<std::uint8_t, 64> bytes{};
    // BARs of 64 KiB in windows of 1 MiB.
    for (const std::uint64_t offset : {functions::memory_bytes, functions::memory_bytes - 32}) {
        auto read = f.make(operation_kind::read, f.address(1, offset), 64, bytes.data());
        EXPECT_EQ(f.carry_out(0, read).status, completion_status::unsupported_request) << offset;
    }
    EXPECT_EQ(f.tree->unclaimed(), 0u);
    EXPECT_EQ(f.all[1]->answers().unsupported(), 2u);
    f.expect_clean();
}

TEST(function, its_own_address_comes_back_as_an_unsupported_request) {
    functions f(two_functions());
    std::array<std::uint8_t, 64> bytes{};
    auto read = f.make(operation_kind::read, f.address(0, 0), 64, bytes.data());
    EXPECT_EQ(f.carry_out(0, read).status, completion_status::unsupported_request);
    f.expect_clean();
}

// A device that answers as the test tells it, at once or after a time.
struct stubborn final : region_if {
    function& of;
    core::scheduler& events;
    access_result writes = access_result::done, requests = access_result::done;
    completion_status later = completion_status::successful;
    core::sim_time delay = core::sim_time::from_ns(300);
    std::vector<inbound_request*> pending;
    stubborn(function& f, core::scheduler& e) : of(f), events(e) {}
    access_result write(std::uint64_t, const tlp&) override { return writes; }
    access_result request(inbound_request& r, const tlp&) override {
        if (requests == access_result::later) {
            pending.push_back(&r);
            events.after<&stubborn::answer>(delay, this);
        }
        return requests;
    }
    void fetch(const inbound_request&, std::uint32_t, std::uint8_t* to, std::uint32_t length) override {
        std::memset(to, 7, length);
    }
    void answer() {
        for (inbound_request* const r : pending) {
            r->status = later;
            of.answer(*r);
        }
        pending.clear();
    }
};

TEST(function, what_its_device_refuses_comes_back_as_that_status_at_once_or_later) {
    functions f(two_functions(), functions::with_memory(two_functions()), {}, 64, {}, false);
    stubborn device(*f.all[1], f.sim.events());
    f.all[1]->map_bar(0, device);
    std::array<std::uint8_t, 1024> bytes{};
    std::uint64_t unsupported = 0, aborted = 0;
    for (const auto& [how, later, status] :
         {std::tuple{access_result::done, completion_status::successful, completion_status::successful},
          std::tuple{access_result::unsupported, completion_status::successful, completion_status::unsupported_request},
          std::tuple{access_result::aborted, completion_status::successful, completion_status::completer_abort},
          std::tuple{access_result::later, completion_status::successful, completion_status::successful},
          std::tuple{access_result::later, completion_status::unsupported_request,
                     completion_status::unsupported_request},
          std::tuple{access_result::later, completion_status::completer_abort, completion_status::completer_abort}})
        for (const auto kind : {operation_kind::read, operation_kind::confirmed_write, operation_kind::atomic}) {
            device.requests = how;
            device.later = later;
            const std::uint64_t length = kind == operation_kind::atomic ? 8 : 1024;
            auto o = f.make(kind, f.address(1, 0), length, bytes.data());
            const std::size_t before = f.ended.size();
            EXPECT_EQ(f.carry_out(0, o).status, status);
            EXPECT_EQ(o.failed(), status != completion_status::successful);
            EXPECT_FALSE(o.timed_out);
            EXPECT_EQ(f.ended.size(), before + 1);
            EXPECT_EQ(f.all[0]->requests().tags_in_use(), 0u);
            // A completion for each TLP: 2 reads of 512 bytes, 8 writes of 128, 1 AtomicOp.
            const unsigned tlps = kind == operation_kind::read ? 2 : kind == operation_kind::atomic ? 1 : 8;
            unsupported += status == completion_status::unsupported_request ? tlps : 0;
            aborted += status == completion_status::completer_abort ? tlps : 0;
            EXPECT_EQ(f.all[1]->answers().unsupported(), unsupported);
            EXPECT_EQ(f.all[1]->answers().aborted(), aborted);
        }
    EXPECT_EQ(f.all[0]->unexpected(), 0u);
    f.expect_clean();
}

TEST(function, a_posted_write_that_its_device_refuses_is_counted_and_nobody_is_told) {
    functions f(two_functions(), functions::with_memory(two_functions()), {}, 64, {}, false);
    stubborn device(*f.all[1], f.sim.events());
    f.all[1]->map_bar(0, device);
    std::array<std::uint8_t, 128> bytes{};
    for (const auto how : {access_result::unsupported, access_result::aborted}) {
        device.writes = how;
        auto o = f.make(operation_kind::write, f.address(1, 0), 128, bytes.data());
        EXPECT_FALSE(f.carry_out(0, o).failed());
    }
    EXPECT_EQ(f.all[1]->answers().unsupported() + f.all[1]->answers().aborted(), 4u);  // of 64 bytes, beyond the root
    f.expect_clean();
}

TEST(function, one_part_that_fails_fails_the_operation_and_the_others_are_answered) {
    functions f(two_functions());
    std::array<std::uint8_t, 2048> bytes{};
    auto o = f.make(operation_kind::read, f.address(1, functions::memory_bytes - 1024), 2048, bytes.data());
    EXPECT_EQ(f.carry_out(0, o).status, completion_status::unsupported_request);
    EXPECT_EQ(f.all[1]->answers().unsupported(), 2u);  // beyond the BAR
    f.expect_clean();
}

TEST(requester, refuses_what_would_be_a_malformed_packet) {
    core::simulation sim;
    tlp_pool pool{4096};
    alone user(1);
    for (const auto& [payload, read] : {std::pair{96u, 512u}, {128u, 8192u}, {8192u, 512u}, {128u, 384u}})
        EXPECT_THROW(requester(sim.events(), pool, {function_id::of(0, 7), payload, read, 4, {}}, user, {}),
                     std::invalid_argument);
    for (const auto& [form, at, length] :
         {std::tuple{atomic_form::fetch_add, 4094u, 4u}, std::tuple{atomic_form::swap, 4092u, 8u},
          std::tuple{atomic_form::fetch_add, 0u, 16u}, std::tuple{atomic_form::compare_and_swap, 4u, 16u}}) {
        operation o;
        o.kind = operation_kind::atomic;
        o.form = form;
        o.address = at;
        o.length = length;
        EXPECT_THROW(user.asks.start(o), std::logic_error);
    }
    EXPECT_FALSE(user.asks.next());
}

TEST(requester, no_completion_is_longer_than_the_maximum_payload_or_passes_a_boundary) {
    fabric_spec s;
    s.max_payload = {64};
    s.read_completion_boundary = {128};
    s.max_read_request = {4096};
    functions f(two_functions(), s);
    f.rules.longest_completion = 64;
    auto mine = noise(5000, 11);
    std::ranges::copy(noise(functions::memory_bytes, 12), f.memory[1].begin());
    auto read = f.make(operation_kind::read, f.address(1, 30), mine.size(), mine.data());
    EXPECT_FALSE(f.carry_out(0, read).failed());
    EXPECT_TRUE(std::equal(mine.begin(), mine.end(), f.memory[1].begin() + 30));
    f.expect_clean();
}

// ---- atomic operations

TEST(function, atomic_operations_read_modify_and_write) {
    functions f(two_functions());
    const auto word = [&](std::uint64_t at) { return core::load_le<std::uint64_t>(f.memory[1].data() + at); };
    std::uint64_t operands[2] = {5, 0};
    auto* const bytes = reinterpret_cast<std::uint8_t*>(operands);
    const auto run = [&](atomic_form form, std::uint64_t at, std::uint64_t length) {
        auto o = f.make(operation_kind::atomic, f.address(1, at), length, bytes);
        o.form = form;
        f.carry_out(0, o);
        EXPECT_FALSE(o.failed());
        return operands[0];
    };
    EXPECT_EQ(run(atomic_form::fetch_add, 8, 8), 0u);
    operands[0] = 7;
    EXPECT_EQ(run(atomic_form::fetch_add, 8, 8), 5u);
    EXPECT_EQ(word(8), 12u);
    operands[0] = 100;
    EXPECT_EQ(run(atomic_form::swap, 8, 8), 12u);
    operands[0] = 99;  // the operand of the comparison
    operands[1] = 1;
    EXPECT_EQ(run(atomic_form::compare_and_swap, 8, 16), 100u);
    EXPECT_EQ(word(8), 100u);
    operands[0] = 100;
    EXPECT_EQ(run(atomic_form::compare_and_swap, functions::memory_bytes - 8, 16), 0u);  // the last word there is
    operands[0] = 100;
    EXPECT_EQ(run(atomic_form::compare_and_swap, 8, 16), 100u);
    EXPECT_EQ(word(8), 1u);
    operands[0] = 0xffff'ffff;
    f.memory[1][0] = 2;
    EXPECT_EQ(run(atomic_form::fetch_add, 0, 4) & 0xffff'ffff, 2u);
    EXPECT_EQ(word(0), 1u);  // wrapped within its 4 bytes
    f.expect_clean();
}

// ---- order

TEST(function, a_read_of_no_bytes_comes_back_when_the_writes_before_it_are_in_memory) {
    functions f(two_functions());
    auto mine = noise(8192, 6);
    auto write = f.make(operation_kind::write, f.address(1, 0), mine.size(), mine.data());
    auto flush = f.make(operation_kind::read, f.address(1, 4096), 0, nullptr);
    f.all[0]->start(write);
    f.all[0]->start(flush);
    while (f.ended.size() < 2) f.sim.run_to(f.sim.events().now() + core::sim_time::from_ns(10));
    EXPECT_EQ(f.ended.back(), &flush);
    EXPECT_TRUE(std::equal(mine.begin(), mine.end(), f.memory[1].begin()));
    f.sim.run();
    f.expect_clean();
}

TEST(function, reset_in_mid_transfer_leaves_nothing_and_works_again) {
    for (const auto kind : {operation_kind::write, operation_kind::confirmed_write, operation_kind::read})
        for (const std::uint64_t ns : {10u, 200u, 400u, 900u, 2000u}) {
            functions f(two_functions());
            auto mine = noise(30000, 7);
            auto cut = f.make(kind, f.address(1, 0), mine.size(), mine.data());
            f.all[0]->start(cut);
            f.sim.run_to(f.sim.events().now() + core::sim_time::from_ns(ns));
            ASSERT_TRUE(f.tree->control(core::control_verb::reset));
            EXPECT_EQ(f.pool.in_flight(), 0u);
            f.sim.run();
            EXPECT_TRUE(f.ended.empty());
            EXPECT_EQ(f.all[0]->requests().tags_in_use(), 0u);
            auto again = f.make(kind, f.address(1, 0), mine.size(), mine.data());
            f.carry_out(0, again);
            EXPECT_EQ(f.ended.size(), 1u);
            EXPECT_TRUE(std::equal(mine.begin(), mine.end(), f.memory[1].begin()));
            EXPECT_EQ(f.pool.in_flight(), 0u);
        }
}

TEST(function, reset_while_paused_works_again) {
    functions f(two_functions());
    auto mine = noise(30000, 7);
    auto cut = f.make(operation_kind::write, f.address(1, 0), mine.size(), mine.data());
    f.all[0]->start(cut);
    ASSERT_TRUE(f.tree->control(core::control_verb::pause));
    f.sim.run();
    ASSERT_TRUE(f.tree->control(core::control_verb::reset));
    auto again = f.make(operation_kind::write, f.address(1, 0), mine.size(), mine.data());
    f.carry_out(0, again);
    EXPECT_EQ(f.ended.size(), 1u);
    EXPECT_TRUE(std::equal(mine.begin(), mine.end(), f.memory[1].begin()));
}

// A device that never answers: with two tags, two of six time out, and then those without a tag; writes do not wait.
TEST(function, what_is_never_answered_ends_and_holds_up_no_write) {
    functions f(two_functions(), functions::with_memory(two_functions()), {}, 2, core::sim_time::from_us(10), false);
    struct black_hole final : region_if {
        unsigned writes = 0, requests = 0;
        access_result write(std::uint64_t, const tlp&) override { return ++writes, access_result::done; }
        access_result request(inbound_request&, const tlp&) override { return ++requests, access_result::later; }
        void fetch(const inbound_request&, std::uint32_t, std::uint8_t*, std::uint32_t) override {}
    } hole;
    f.all[1]->map_bar(0, hole);
    std::array<std::uint8_t, 3072> bytes{};
    auto read = f.make(operation_kind::read, f.address(1, 0), 3072, bytes.data());  // six TLPs
    auto write = f.make(operation_kind::write, f.address(1, 0), 64, bytes.data());
    f.all[0]->start(read);
    f.all[0]->start(write);
    f.sim.run_to(f.sim.events().now() + core::sim_time::from_us(5));
    EXPECT_EQ(hole.writes, 1u);
    EXPECT_EQ(f.ended, std::vector<operation*>{&write});
    f.sim.run();
    EXPECT_EQ(f.ended, (std::vector<operation*>{&write, &read}));
    EXPECT_TRUE(read.timed_out);
    EXPECT_EQ(hole.requests, 2u);
    EXPECT_EQ(f.all[0]->timeouts(), 2u);
    EXPECT_EQ(f.all[0]->requests().tags_in_quarantine(), 2u);
    EXPECT_EQ(f.all[0]->requests().tags_in_use(), 0u);
}

// A device that answers after the completion timeout: each request fails, and its tag returns.
TEST(function, late_answers_are_counted_and_free_their_tags) {
    functions f(two_functions(), functions::with_memory(two_functions()), {}, 2, core::sim_time::from_ns(1100), false);
    stubborn device(*f.all[1], f.sim.events());
    f.all[1]->map_bar(0, device);
    std::array<std::uint8_t, 3072> bytes{};
    device.requests = access_result::done;
    auto good = f.make(operation_kind::read, f.address(1, 0), 512, bytes.data());
    EXPECT_FALSE(f.carry_out(0, good).failed());
    device.requests = access_result::later;
    device.delay = core::sim_time::from_ns(1500);
    bytes = {};
    auto read = f.make(operation_kind::read, f.address(1, 0), 3072, bytes.data());  // six TLPs
    EXPECT_TRUE(f.carry_out(0, read).timed_out);
    EXPECT_EQ(f.all[0]->timeouts(), 6u);
    EXPECT_EQ(f.all[0]->late(), 6u * 512 / 64);
    EXPECT_EQ(f.all[0]->unexpected(), 0u);
    EXPECT_EQ(f.all[0]->requests().tags_in_quarantine(), 0u);
    EXPECT_TRUE(std::ranges::all_of(bytes, [](std::uint8_t b) { return b == 0; }));
    f.expect_clean();
}

TEST(function, no_read_passes_a_posted_write_that_came_before_it) {
    fabric_spec s;
    s.posted_headers = 1;
    functions f(two_functions(), s);
    auto mine = noise(8192, 15);
    std::vector<std::uint8_t> back(8192);
    auto write = f.make(operation_kind::write, f.address(1, 0), mine.size(), mine.data());
    auto read = f.make(operation_kind::read, f.address(1, 0), back.size(), back.data());
    f.all[0]->start(write);
    f.carry_out(0, read);
    EXPECT_TRUE(mine == back);
    f.expect_clean();
}

TEST(function, a_byte_that_a_switch_changes_is_the_byte_that_arrives) {
    fabric_spec s;
    s.faults.flips = {{"sw", 1, 5}};
    functions f(two_functions(), s);
    auto mine = noise(512, 8);
    auto write = f.make(operation_kind::write, f.address(1, 0), mine.size(), mine.data());
    f.carry_out(0, write);
    mine[128 + 5] ^= 0xff;
    EXPECT_TRUE(std::equal(mine.begin(), mine.end(), f.memory[1].begin()));
    EXPECT_EQ(f.tree->unmet_faults(f.sim.events().now()).size(), 0u);
}

// ---- registers and interrupts

struct some_registers : register_user_if, interrupt_user_if {
    std::uint32_t values[4] = {};
    std::vector<std::uint32_t> messages;
    std::function<void()> on_interrupt;
    std::optional<std::uint32_t> read_register(std::uint64_t offset) override {
        if (offset >= 16) return std::nullopt;
        return values[offset / 4];
    }
    bool write_register(std::uint64_t offset, std::uint32_t value) override {
        if (offset >= 16) return false;
        values[offset / 4] = value;
        return true;
    }
    void interrupt(std::uint64_t, std::uint32_t data) override {
        messages.push_back(data);
        if (on_interrupt) on_interrupt();
    }
};

TEST(registers, are_read_and_written_in_whole_words_and_refuse_the_rest) {
    const topology t = two_functions();
    std::vector<function_spec> places(t.size());
    for (const node_id id : t.endpoints()) places[id].bars = {{{256}, false, "registers"}};
    functions f(t, places, {}, 64, {}, false);
    some_registers r;
    register_region region(r);
    f.all[1]->map_bar(0, region);
    EXPECT_LT(f.address(1, 0), std::uint64_t{1} << 32);
    std::uint32_t words[2] = {0x1234'5678, 42};
    auto* const bytes = reinterpret_cast<std::uint8_t*>(words);
    auto write = f.make(operation_kind::write, f.address(1, 4), 8, bytes);
    f.carry_out(0, write);
    EXPECT_EQ(r.values[1], 0x1234'5678u);
    EXPECT_EQ(r.values[2], 42u);
    words[0] = words[1] = 0;
    auto read = f.make(operation_kind::read, f.address(1, 4), 8, bytes);
    EXPECT_FALSE(f.carry_out(0, read).failed());
    EXPECT_EQ(words[0], 0x1234'5678u);
    EXPECT_EQ(words[1], 42u);
    // Part of a word, and a register that does not exist: completer aborts. Beyond the BAR: unsupported.
    for (const auto& [at, length, status] : {std::tuple{5u, 2u, completion_status::completer_abort},
                                             std::tuple{16u, 4u, completion_status::completer_abort},
                                             std::tuple{256u, 4u, completion_status::unsupported_request}}) {
        auto wrong = f.make(operation_kind::read, f.address(1, at), length, bytes);
        EXPECT_EQ(f.carry_out(0, wrong).status, status) << at;
        auto also = f.make(operation_kind::confirmed_write, f.address(1, at), length, bytes);
        EXPECT_EQ(f.carry_out(0, also).status, status) << at;
    }
    EXPECT_EQ(f.all[1]->answers().aborted(), 4u);
    f.expect_clean();
}

TEST(msi, a_message_is_what_its_vector_is_configured_to_and_comes_after_the_data_before_it) {
    const topology t = two_functions();
    std::vector<function_spec> places = functions::with_memory(t);
    places[*t.find("gpu1")].fixed = {{0xfee0'0000, 1u << 20}};
    functions f(t, places, {});
    some_registers host;
    interrupt_window window(host);
    f.all[1]->map_fixed(0, window);
    msi_sender msi(*f.all[0]);
    msi.raise(0);  // not configured: nothing
    msi.configure(1, {0xfee0'1000, 0x41});
    msi.configure(3, {0xfee0'1000, 0xabcd'0043});
    auto mine = noise(6000, 9);
    auto write = f.make(operation_kind::write, f.address(1, 0), mine.size(), mine.data());
    bool complete = false;
    host.on_interrupt = [&] {
        complete = std::equal(mine.begin(), mine.end(), f.memory[1].begin());
        msi.raise(1);
        host.on_interrupt = nullptr;
    };
    f.all[0]->start(write);
    msi.raise(3);
    msi.raise(3);  // has not left yet: no second one
    msi.raise(2);  // not configured
    msi.raise(4);  // does not exist
    f.sim.run();
    EXPECT_EQ(host.messages, (std::vector<std::uint32_t>{0xabcd'0043, 0x41}));
    EXPECT_TRUE(complete);
    std::array<std::uint8_t, 4> bytes{};
    auto read = f.make(operation_kind::read, 0xfee0'1000, 4, bytes.data());
    EXPECT_EQ(f.carry_out(0, read).status, completion_status::unsupported_request);
    f.expect_clean();
}

}  // namespace
