// SPDX-License-Identifier: Apache-2.0
// TLM-2.0 sockets on both sides of a PCIe tree: initiators and memories written against the standard alone, which do
// not know of the fabric in between; lines, byte enables, errors, and requests dropped by a reset.
#include <algorithm>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "functions.h"
#include "memory/bench.h"
#include "memory/probe.h"
#include "memory/transaction/byte_enables.h"
#include "memory/transaction/standard_initiator.h"
#include "memory/transaction/standard_target.h"
#include "pcie/bridge/socket_bridge.h"

using namespace contraflow;
using namespace contraflow::pcie;
using pcie::testing::two_functions;

namespace {

constexpr std::uint64_t memory_bytes = 1u << 16;

// Two bridges, or a bridge and a function whose operations the test starts.
struct bridges : private requester_user_if {
    fabric_spec spec;
    topology nodes = two_functions();
    address_map map;
    tlp_pool packets;
    std::vector<std::unique_ptr<socket_bridge>> all;
    std::unique_ptr<function> outside;  // in place of the first bridge
    std::unique_ptr<link_tree> tree;
    pcie::testing::tlp_rules rules;
    std::vector<operation*> ended;

    bridges(memory::testing::bench& b, const fabric_spec& s = {}, std::uint64_t local_base = 0,
            bool with_function = false)
        : spec(with_atomics(s)),
          map(nodes, pcie::testing::functions::with_memory(nodes)),
          packets(4096),
          rules(spec) {
        tree = std::make_unique<link_tree>(
            port::resources{b.sim.events(), b.statistics}, packets, map, spec,
            [&](node_id id, std::uint32_t number, const std::string& name, const port::spec& line) -> device_if& {
                function::spec f;
                f.link = line;
                f.requests.max_payload = static_cast<std::uint32_t>(spec.max_payload.count);
                f.requests.max_read_request = static_cast<std::uint32_t>(spec.max_read_request.count);
                f.requests.tags = spec.tags;
                f.requests.completion_timeout = spec.completion_timeout;
                f.answers.read_completion_boundary = static_cast<std::uint32_t>(spec.read_completion_boundary.count);
                f.latency = spec.endpoint_latency;
                if (number == 0 && with_function) {
                    outside =
                        std::make_unique<function>(name.c_str(), port::resources{b.sim.events(), b.statistics}, packets,
                                                   f, map.at(id), static_cast<requester_user_if&>(*this));
                    return *outside;
                }
                // Address 0 of the initiators is the other function's BAR.
                socket_bridge::spec of{
                    {f, number == 1 ? local_base : 0}, 4, map.at(nodes.endpoints()[1 - number]).bars[0].base};
                all.push_back(std::make_unique<socket_bridge>(
                    name.c_str(), socket_bridge::resources{b.sim.events(), b.statistics, b.payloads, packets}, of,
                    map.at(id)));
                return *all.back();
            });
        tree->add_observer(rules);
    }
    static fabric_spec with_atomics(fabric_spec s) {
        s.non_posted_data = {4096};
        return s;
    }
    void expect_clean() {
        observe::conservation checks;
        tree->check(checks);
        for (const auto& b : all) b->check(checks);
        EXPECT_EQ(packets.notes_in_use(), 0u);
        for (const auto& c : checks.checks()) EXPECT_TRUE(c.held()) << c.name << ": " << c.in << " != " << c.out;
        EXPECT_EQ(rules.broken, 0u);
        EXPECT_GT(rules.seen, 0u);
    }

private:
    void finished(operation& o) override { ended.push_back(&o); }
};

class foreign : public ::testing::TestWithParam<outside::manner> {};
INSTANTIATE_TEST_SUITE_P(manners, foreign,
                         ::testing::Values(outside::manner::four_phases, outside::manner::prompt,
                                           outside::manner::no_end_request, outside::manner::with_response,
                                           outside::manner::completes));

// Requests of up to 2 KiB at any byte, with byte enables that repeat.
TEST_P(foreign, initiators_and_memories_are_joined_and_every_byte_is_right) {
    for (const std::uint64_t boundary : {64u, 128u}) {
        memory::testing::bench b;
        fabric_spec s;
        s.read_completion_boundary = {boundary};
        s.tags = 6;
        bridges f(b, s);
        outside::initiator left("left", {0, 8192, 2048, 150, 4, 1}), right("right", {0, 8192, 2048, 150, 4, 2});
        outside::target memory_left("memory_left", memory_bytes, GetParam(), 3),
            memory_right("memory_right", memory_bytes, GetParam(), 4);
        b.connect(left.socket, f.all[0]->in);
        b.connect(right.socket, f.all[1]->in);
        b.connect(f.all[0]->out, memory_left.socket);
        b.connect(f.all[1]->out, memory_right.socket);
        b.sim.run();
        EXPECT_EQ(left.answered, 150u);
        EXPECT_EQ(right.answered, 150u);
        EXPECT_EQ(left.wrong + right.wrong, 0u);
        EXPECT_EQ(left.alive() + right.alive(), 0);
        EXPECT_EQ(b.payloads.lent(), 0u);
        b.expect_silence();
        f.expect_clean();
    }
}

// A target that notes its requests and answers at once, as the test tells it.
class noted_memory final : public sc_core::sc_module, private memory::response_owner_if {
public:
    noted_memory(const sc_core::sc_module_name& name, const memory::resources& shared)
        : sc_module(name),
          up("up", shared, *this),
          bytes(memory_bytes),
          events_(shared.events),
          answer_(shared.events, *this) {}
    struct asked {
        std::uint64_t address;
        unsigned length;
        tlm::tlm_command command;
        memory::milestones times;
        std::uint32_t process;
    };
    memory::response_port up;
    std::vector<std::uint8_t> bytes;
    std::vector<asked> seen;
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
    std::uint64_t fails_at = ~std::uint64_t{0};
    bool silent = false;
    std::size_t room = ~std::size_t{0};  // requests that wait for their answers
    void reset() {
        inside_ = 0;
        waiting_.clear();
        answer_.cancel();
        up.reset();
    }

private:
    bool request_arrived(unsigned, memory::memory_extension& e) override {
        if (inside_ == room) return false;
        accept(e);
        return true;
    }
    void accept(memory::memory_extension& e) {
        tlm::tlm_generic_payload& t = e.carrier();
        seen.push_back({t.get_address(), t.get_data_length(), t.get_command(), e.times, e.process});
        const bool fails =
            status != tlm::TLM_OK_RESPONSE && (fails_at == ~std::uint64_t{0} || t.get_address() == fails_at);
        std::uint8_t* const home = bytes.data() + t.get_address();
        if (!fails && t.get_command() == tlm::TLM_IGNORE_COMMAND)
            EXPECT_TRUE(memory::perform(e.atomic(), home, t.get_data_ptr(), t.get_byte_enable_ptr(),
                                        t.get_byte_enable_length(), t.get_data_length()));
        else if (!fails)
            memory::transfer(t, home);
        t.set_response_status(fails ? status : tlm::TLM_OK_RESPONSE);
        waiting_.push(e);
        ++inside_;
        answer_.arm_by(events_.now() + core::sim_time::from_ns(20));
    }
    void response_port_ready(unsigned) override {}
    void blocking_access(unsigned, tlm::tlm_generic_payload&, sc_core::sc_time&) override {}
    unsigned debug_access(unsigned, tlm::tlm_generic_payload&) override { return 0; }
    void answer() {
        while (!silent && !waiting_.empty()) {
            --inside_;
            up.respond(waiting_.pop());
        }
        while (up.held() != nullptr && inside_ < room) accept(up.take_request());
    }
    core::scheduler& events_;
    memory::payload_fifo waiting_;
    std::size_t inside_ = 0;
    core::timer<&noted_memory::answer> answer_;
};

// A function asks a bridge with a noted memory.
struct inbound_bench {
    memory::testing::bench b;
    bridges f;
    noted_memory memory;
    memory::testing::probe nobody{"nobody", b};
    explicit inbound_bench(const fabric_spec& s = {}) : f(b, s, 0, true), memory("memory", b.shared) {
        b.connect(nobody.port, f.all[0]->in);
        b.connect(f.all[0]->out, memory.up);
        b.sim.run_to(core::sim_time::from_us(1));
        std::iota(memory.bytes.begin(), memory.bytes.end(), std::uint8_t{3});
    }
    std::uint64_t address(std::uint64_t offset) const { return f.map.at(f.nodes.endpoints()[1]).bars[0].base + offset; }
    operation& carry_out(operation& o) {
        f.outside->start(o);
        b.sim.run();
        return o;
    }
    operation make(operation_kind kind, std::uint64_t offset, std::uint64_t length, std::uint8_t* bytes) {
        operation o;
        o.kind = kind;
        o.address = address(offset);
        o.length = length;
        o.buffer = bytes;
        return o;
    }
};

TEST(bridge, a_request_is_cut_in_the_lines_it_touches_and_its_completions_put_them_together) {
    for (const std::uint64_t offset : {0u, 1u, 100u, 127u, 3u * 128})
        for (const std::uint64_t length : {1u, 28u, 129u, 512u, 1000u, 3000u}) {
            fabric_spec s;
            s.max_payload = s.max_read_request = {4096};
            inbound_bench t(s);
            std::vector<std::uint8_t> mine(length);
            auto read = t.make(operation_kind::read, offset, length, mine.data());
            EXPECT_FALSE(t.carry_out(read).failed());
            EXPECT_TRUE(std::equal(mine.begin(), mine.end(), t.memory.bytes.begin() + static_cast<long>(offset)));
            std::uint64_t next = offset;
            for (const auto& a : t.memory.seen) {
                EXPECT_EQ(a.address, next);
                EXPECT_EQ(a.address / 128, (a.address + a.length - 1) / 128);
                next += a.length;
                EXPECT_TRUE(next == offset + length || next % 128 == 0);
            }
            EXPECT_EQ(next, offset + length);
            auto expected = t.memory.bytes;
            for (auto& byte : mine) byte ^= 0x5a;
            std::ranges::copy(mine, expected.begin() + static_cast<long>(offset));
            auto write = t.make(operation_kind::write, offset, length, mine.data());
            EXPECT_FALSE(t.carry_out(write).failed());
            EXPECT_TRUE(t.memory.bytes == expected);
            t.f.expect_clean();
        }
}

TEST(bridge, bytes_that_are_not_enabled_stay_as_they_were) {
    inbound_bench t;
    std::mt19937_64 draw(1);
    auto expected = t.memory.bytes;
    for (unsigned n = 0; n < 60; ++n) {
        const std::uint64_t offset = n * 700, length = 1 + draw() % 600;
        std::vector<std::uint8_t> data(length), mask(length);
        for (auto& d : data) d = static_cast<std::uint8_t>(draw());
        for (auto& m : mask) m = draw() % 4 != 0 ? 0xff : 0;
        for (std::uint64_t i = 0; i < length; ++i)
            if (mask[i] != 0) expected[offset + i] = data[i];
        auto write =
            t.make(n % 2 == 0 ? operation_kind::write : operation_kind::confirmed_write, offset, length, data.data());
        write.enables = mask.data();
        EXPECT_FALSE(t.carry_out(write).failed());
    }
    EXPECT_TRUE(t.memory.bytes == expected);
    t.f.expect_clean();
}

TEST(bridge, errors_of_the_memory_are_told_as_a_status_by_the_first_line_that_has_one) {
    for (const auto& [answer, status] :
         {std::pair{tlm::TLM_ADDRESS_ERROR_RESPONSE, completion_status::unsupported_request},
          std::pair{tlm::TLM_GENERIC_ERROR_RESPONSE, completion_status::completer_abort},
          std::pair{tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE, completion_status::completer_abort}})
        for (const std::uint64_t at : {0u, 128u, 384u})
            for (const auto kind : {operation_kind::read, operation_kind::confirmed_write}) {
                fabric_spec s;
                s.max_payload = s.max_read_request = {512};
                inbound_bench t(s);
                t.memory.status = answer;
                t.memory.fails_at = at;
                std::array<std::uint8_t, 512> bytes{};
                auto o = t.make(kind, 0, 512, bytes.data());
                EXPECT_EQ(t.carry_out(o).status, status);
                EXPECT_EQ(t.memory.seen.size(), 4u);
                t.f.expect_clean();
            }
}

TEST(bridge, a_read_of_no_bytes_waits_for_the_posted_writes_before_it) {
    inbound_bench t;
    std::array<std::uint8_t, 1024> bytes{};
    auto write = t.make(operation_kind::write, 0, 1024, bytes.data());
    auto flush = t.make(operation_kind::read, 0, 0, nullptr);
    t.memory.silent = true;
    t.f.outside->start(write);
    t.carry_out(flush);
    ASSERT_EQ(t.f.ended.size(), 1u);       // the write has left
    EXPECT_EQ(t.memory.seen.size(), 16u);  // the root complex has cut it in 64 bytes
    t.memory.silent = false;
    auto again = t.make(operation_kind::write, 2048, 4, bytes.data());
    t.carry_out(again);  // lets the memory answer
    EXPECT_EQ(t.f.ended.back(), &flush);
    EXPECT_FALSE(flush.failed());
    t.f.expect_clean();
}

// ---- responses to a requester

struct outbound_bench {
    memory::testing::bench b;
    bridges f;
    memory::testing::probe probe{"probe", b};
    memory::testing::probe nobody{"nobody", b};
    noted_memory near{"near", b.shared}, far{"far", b.shared};
    explicit outbound_bench(const fabric_spec& s = {}) : f(b, s) {
        b.connect(probe.port, f.all[0]->in);
        b.connect(nobody.port, f.all[1]->in);
        b.connect(f.all[0]->out, near.up);
        b.connect(f.all[1]->out, far.up);
        b.sim.run_to(core::sim_time::from_us(1));
    }
};

TEST(bridge, an_address_that_is_nobodys_is_an_address_error_and_an_abort_a_generic_one) {
    outbound_bench t;
    const auto& nowhere = t.probe.read(std::uint64_t{1} << 40);
    const auto& beyond = t.probe.write(memory_bytes, 1);
    t.b.sim.run();
    t.far.status = tlm::TLM_GENERIC_ERROR_RESPONSE;
    const auto &abort = t.probe.read(64), &aborted_write = t.probe.write(64, 1);
    t.b.sim.run();
    t.far.status = tlm::TLM_OK_RESPONSE;
    const auto& good = t.probe.write(64, 77);
    t.b.sim.run();
    EXPECT_EQ(nowhere.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(beyond.status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(abort.status, tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(aborted_write.status, tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(good.status, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(t.far.bytes[64], 77);
    t.b.expect_silence();
    t.f.expect_clean();
}

// Operands whose sums, minima and bits differ by their type.
TEST(bridge, an_atomic_operation_is_the_same_one_on_the_other_side) {
    using memory::atomic_op;
    using memory::operand_type;
    outbound_bench t;
    std::uint64_t next = 0;
    const auto result = [&]<class T>(atomic_op op, operand_type type, T home, T operand, std::uint64_t compare = 0) {
        const std::uint64_t at = next;
        next += sizeof(T);
        std::memcpy(t.far.bytes.data() + at, &home, sizeof home);
        const auto& asked = t.probe.ask(0, [&](memory::payload& p) {
            p.modify(at, sizeof(T), {op, type, compare});
            std::memcpy(p.bytes(), &operand, sizeof operand);
        });
        t.b.sim.run();
        EXPECT_EQ(asked.status, tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(std::memcmp(&asked.value, &home, sizeof home), 0);
        T left;
        std::memcpy(&left, t.far.bytes.data() + at, sizeof left);
        return left;
    };
    EXPECT_EQ(result(atomic_op::add, operand_type::f32, 1.5f, 2.25f), 3.75f);
    EXPECT_EQ(result(atomic_op::min, operand_type::f32, -1.5f, -2.25f), -2.25f);
    EXPECT_EQ(result(atomic_op::max, operand_type::f32, -1.5f, -2.25f), -1.5f);
    next = 64;
    EXPECT_EQ(result(atomic_op::add, operand_type::f64, 1.5, 2.25), 3.75);
    EXPECT_EQ(result(atomic_op::min, operand_type::f64, -1.5, -2.25), -2.25);
    EXPECT_EQ(result(atomic_op::exchange, operand_type::f64, -1.5, 2.25), 2.25);
    EXPECT_EQ(result(atomic_op::add, operand_type::u64, ~std::uint64_t{0}, std::uint64_t{3}), 2u);
    EXPECT_EQ(result(atomic_op::max, operand_type::i64, std::int64_t{-1}, std::int64_t{3}), 3);
    EXPECT_EQ(result(atomic_op::max, operand_type::u64, ~std::uint64_t{0}, std::uint64_t{3}), ~std::uint64_t{0});
    EXPECT_EQ(result(atomic_op::bit_xor, operand_type::u64, std::uint64_t{6}, std::uint64_t{3}), 5u);
    EXPECT_EQ(result(atomic_op::bit_and, operand_type::u64, std::uint64_t{6}, std::uint64_t{3}), 2u);
    EXPECT_EQ(result(atomic_op::bit_or, operand_type::u64, std::uint64_t{6}, std::uint64_t{3}), 7u);
    EXPECT_EQ(result(atomic_op::compare_exchange, operand_type::u64, std::uint64_t{6}, std::uint64_t{3}, 6), 3u);
    EXPECT_EQ(result(atomic_op::compare_exchange, operand_type::u64, std::uint64_t{6}, std::uint64_t{3}, 7), 6u);
    t.b.expect_silence();
    t.f.expect_clean();
}

TEST(bridge, no_answer_in_time_is_an_error_of_its_own) {
    fabric_spec s;
    s.completion_timeout = core::sim_time::from_us(10);
    outbound_bench t(s);
    t.far.silent = true;
    const auto& read = t.probe.read(0);
    t.b.sim.run_to(core::sim_time::from_us(10));
    EXPECT_FALSE(read.done);
    t.b.sim.run();
    EXPECT_TRUE(read.done);
    EXPECT_EQ(read.status, completion_timed_out);
    tlm::tlm_generic_payload answered;
    answered.set_response_status(read.status);
    EXPECT_TRUE(answered.is_response_error());
    EXPECT_EQ(reason_of(answered), "completion timeout");
    EXPECT_EQ(t.f.all[0]->bridge().device().timeouts(), 1u);
}

// Answers to requests that have been given up arrive when others use their resources: these are not affected, and
// their times do not change.
TEST(bridge, a_request_that_comes_after_its_timeout_is_not_mixed_up_with_another) {
    fabric_spec s;
    s.completion_timeout = core::sim_time::from_us(10);
    outbound_bench t(s);
    constexpr unsigned number = 6;
    const core::sim_time begin = t.b.sim.events().now();
    const auto ask = [&](unsigned i) -> const auto& {
        return t.probe.ask(0, [&](memory::payload& p) {
            p.read(i * 128, 128);
            p.extension().process = i + 1;
        });
    };
    std::vector<const memory::testing::probe::asked*> late, good;
    t.far.room = 1;  // the late ones are answered before the others are taken
    t.f.all[1]->control(core::control_verb::pause);
    for (unsigned i = 0; i < number; ++i) late.push_back(&ask(i));
    t.b.sim.run_to(begin + core::sim_time::from_us(12));
    for (unsigned i = 0; i < number; ++i) good.push_back(&ask(number + i));
    t.b.sim.run_to(begin + core::sim_time::from_us(15));
    t.f.all[1]->control(core::control_verb::enable);
    t.b.sim.run();
    ASSERT_EQ(t.far.seen.size(), 2 * number);
    for (unsigned i = 0; i < 2 * number; ++i) {
        const auto& seen = t.far.seen[i];
        const auto& asked = i < number ? *late[i] : *good[i - number];
        EXPECT_EQ(seen.address, i * 128u);
        EXPECT_EQ(seen.process, 0u);  // a TLP does not carry it
        EXPECT_EQ(seen.times.begun(), asked.times.begun() + asked.times.spent(memory::stage::link_queue)) << i;
        EXPECT_TRUE(seen.times.tile());
    }
    for (const auto* const a : late) {
        EXPECT_EQ(a->status, completion_timed_out);
        EXPECT_EQ(a->times.spent(memory::stage::response_link), s.completion_timeout);
    }
    for (const auto* const a : good) {
        EXPECT_EQ(a->status, tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(a->times.begun(), a->at);
        EXPECT_EQ(a->times.total(), a->latency());
    }
    EXPECT_EQ(t.f.all[0]->bridge().device().timeouts(), number);
    EXPECT_EQ(t.f.all[0]->bridge().device().late(), 2 * number);  // completions of 64 bytes, as the root complex cuts
    EXPECT_EQ(t.f.all[0]->bridge().device().requests().tags_in_quarantine(), 0u);
    t.b.expect_silence();
    t.f.expect_clean();
}

TEST(bridge, what_pcie_does_not_have_is_refused_at_the_socket) {
    outbound_bench t;
    const auto& burst = t.probe.ask(0, [](memory::payload& p) {
        p.write(0, 8);
        p.set_streaming_width(4);
    });
    const auto& misaligned = t.probe.add(4094, 1);
    t.b.sim.run();
    EXPECT_EQ(burst.status, tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(misaligned.status, tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_TRUE(t.far.seen.empty());
    t.b.expect_silence();
}

// Memory beyond a fabric is reached by timed packets, or not at all.
TEST(bridge, blocking_transport_is_refused_and_debug_transport_reaches_nothing_and_neither_changes_state_or_time) {
    outbound_bench t;
    t.b.sim.run();
    tlm::tlm_fw_transport_if<>& in = t.f.all[0]->in;
    t.far.bytes[64] = 7;
    const auto far_before = t.far.bytes;
    const core::sim_time before = t.b.sim.events().now();
    const auto tlps = t.f.all[0]->link().statistics().tlps.value();
    for (const auto command : {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND}) {
        std::array<std::uint8_t, 4> data{9, 9, 9, 9};
        tlm::tlm_generic_payload trans;
        trans.set_command(command);
        trans.set_address(64);
        trans.set_data_ptr(data.data());
        trans.set_data_length(4);
        trans.set_streaming_width(4);
        sc_core::sc_time delay(7, sc_core::SC_NS);
        in.b_transport(trans, delay);
        EXPECT_EQ(trans.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
        EXPECT_EQ(delay, sc_core::sc_time(7, sc_core::SC_NS));
        trans.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        EXPECT_EQ(in.transport_dbg(trans), 0u);
        EXPECT_EQ(data, (std::array<std::uint8_t, 4>{9, 9, 9, 9}));
    }
    t.b.sim.run();
    EXPECT_EQ(t.b.sim.events().now(), before);
    EXPECT_EQ(t.f.all[0]->link().statistics().tlps.value(), tlps);
    EXPECT_TRUE(t.far.bytes == far_before);
    const auto& read = t.probe.read(64);
    t.b.sim.run();
    EXPECT_EQ(read.status, tlm::TLM_OK_RESPONSE);
}

TEST(bridge, a_reset_in_any_state_leaves_nothing_and_it_works_again) {
    for (std::uint64_t ns = 0; ns < 3000; ns += 137) {
        outbound_bench t;
        for (unsigned i = 0; i < 40; ++i) {
            t.probe.write(i * 128, i, 128);
            t.probe.read(i * 128, 128);
        }
        t.b.sim.run_to(t.b.sim.events().now() + core::sim_time::from_ns(ns));
        ASSERT_TRUE(t.f.tree->control(core::control_verb::reset));
        t.probe.reset();
        t.near.reset();
        t.far.reset();
        for (auto& c : t.b.checkers) c->reset();
        EXPECT_EQ(t.f.packets.in_flight(), 0u);
        EXPECT_EQ(t.f.packets.notes_in_use(), 0u);
        t.b.sim.run();
        EXPECT_EQ(t.b.payloads.in_flight(), 0u);
        const auto& again = t.probe.write(0, 99);
        t.b.sim.run();
        EXPECT_TRUE(again.done);
        EXPECT_EQ(t.far.bytes[0], 99);
    }
}

}  // namespace
