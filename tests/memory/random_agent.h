// SPDX-License-Identifier: Apache-2.0
// A requester that draws random requests, several at a time, and compares every answer with a
// reference memory.
#pragma once

#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "bench.h"
#include "core/timer.h"
#include "memory/cache/reference_memory.h"
#include "memory/port/request_port.h"

namespace contraflow::memory::testing {

struct agent_plan {
    std::uint64_t requests = 1000;
    unsigned outstanding = 16;
    std::uint64_t first = 0;      // offset in the reference
    std::uint64_t length = 4096;  // of the range that it uses
    std::uint64_t base = 0;       // address of the reference's first byte
    unsigned line = 128;
    double writes = 0.4;
    double atomics = 0.1;
    double partial = 0.3;  // share with byte enables
    double wide = 0.05;    // share of device scope
    double bypass = 0.0;
    double streaming = 0.05;
    double shared = 0;                // share of device scope, to the range that all agents share:
    std::uint64_t shared_length = 0;  // the first bytes of the reference
    unsigned gap_cycles = 2;          // largest gap between requests
    unsigned refusal = 0;             // tenths of the responses that are taken late
    std::uint16_t gpu = 0;
    std::uint64_t seed = 1;
};

class random_agent : public sc_core::sc_module, private request_owner_if {
public:
    random_agent(const sc_core::sc_module_name& name, bench& b, reference_memory& reference, const agent_plan& plan)
        : sc_core::sc_module(name),
          port("port", b.shared, *this),
          bench_(b),
          reference_(reference),
          plan_(plan),
          random_(plan.seed),
          slots_(plan.outstanding) {}

    request_port port;
    void start() { schedule(0); }
    bool done() const { return answered_ == plan_.requests; }
    std::uint64_t answered() const { return answered_; }
    std::uint64_t issued() const { return issued_; }
    std::uint64_t wrong() const { return wrong_; }
    core::sim_time spent(stage s) const { return {spent_[static_cast<std::size_t>(s)]}; }
    core::sim_time total_latency() const { return {latency_}; }
    // Sends that many further requests.
    void restart(std::uint64_t requests) {
        plan_.requests = issued_ + requests;
        start();
    }
    // Releases its pending requests, when everything is reset.
    void reset() {
        for (slot& s : slots_) {
            if (s.request == nullptr) continue;
            reference_.end(s.at, s.length, s.writes);
            s.request->release();
            s = {};
        }
        under_way_ = 0;
        step_.cancel();
        plan_.requests = issued_ = answered_;
        port.reset();
    }

private:
    struct slot {
        payload* request = nullptr;
        std::uint64_t at = 0;
        unsigned length = 0;
        bool writes = false;
        std::array<std::uint8_t, payload::max_bytes> expected{};
    };

    bool chance(double p) { return std::uniform_real_distribution<double>(0, 1)(random_) < p; }
    std::uint64_t draw(std::uint64_t below) {
        return std::uniform_int_distribution<std::uint64_t>(0, below - 1)(random_);
    }

    void schedule(unsigned cycles) {
        if (!step_.armed()) step_.arm_after(core::sim_time::from_ns(cycles));
    }
    void step() {
        if (memory_extension* const late = port.holds_response() ? port.take_response() : nullptr; late != nullptr)
            finish(*late);
        if (issued_ == plan_.requests || under_way_ == plan_.outstanding || !port.ready()) return;
        if (!issue()) {
            schedule(1);
            return;
        }
        if (port.ready()) schedule(static_cast<unsigned>(draw(plan_.gap_cycles + 1)));
    }
    bool issue() {
        const bool is_atomic = chance(plan_.atomics);
        const bool is_write = !is_atomic && chance(plan_.writes);
        const bool is_shared = chance(plan_.shared);
        const std::uint64_t first = is_shared ? 0 : plan_.first;
        const std::uint64_t end = first + (is_shared ? plan_.shared_length : plan_.length);
        std::uint64_t at = first + draw(end - first);
        unsigned length = 1 + static_cast<unsigned>(draw(plan_.line));
        if (chance(0.3)) {
            at -= at % plan_.line;
            length = plan_.line;
        }
        if (is_atomic) {
            at -= at % 4;
            length = 4 * (1 + static_cast<unsigned>(draw(4)));
        }
        const auto to_line_end = static_cast<unsigned>(plan_.line - at % plan_.line);
        length = std::min(length, to_line_end);
        length = static_cast<unsigned>(std::min<std::uint64_t>(length, end - at));
        if (is_atomic) length -= length % 4;
        if (length == 0 || !reference_.may_begin(at, length, is_write || is_atomic)) return false;

        const auto free =
            std::find_if(slots_.begin(), slots_.end(), [](const slot& s) { return s.request == nullptr; });
        payload& p = bench_.payloads.take();
        *free = {&p, at, length, is_write || is_atomic, {}};
        reference_.begin(at, length, free->writes);
        const std::uint64_t address = plan_.base + at;
        if (is_atomic) {
            static constexpr std::array ops{atomic_op::add,      atomic_op::min,    atomic_op::max,
                                            atomic_op::exchange, atomic_op::bit_or, atomic_op::bit_xor};
            p.modify(address, length, {ops[draw(ops.size())], operand_type::u32, 0});
        } else if (is_write) {
            p.write(address, length);
        } else {
            p.read(address, length);
        }
        for (unsigned i = 0; i < length; ++i) p.bytes()[i] = static_cast<std::uint8_t>(draw(256));
        const bool is_partial = chance(plan_.partial);
        const unsigned grain = is_atomic ? 4 : 1;
        for (unsigned i = 0; i < length; i += grain) {
            const std::uint8_t enabled = !is_partial || chance(0.5) ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
            for (unsigned j = i; j < std::min(i + grain, length); ++j) p.enables()[j] = enabled;
        }
        if (is_partial) p.use_enables();
        apply(p, *free);
        memory_extension& e = p.extension();
        e.origin = {plan_.gpu, 0, static_cast<std::uint32_t>(free - slots_.begin())};
        if (is_shared || chance(plan_.wide)) e.scope = scope::device;
        if (chance(plan_.bypass)) e.policy = cache_policy::bypass;
        if (chance(plan_.streaming)) e.policy = cache_policy::streaming;
        e.times.begin(bench_.sim.events().now());
        ++issued_;
        ++under_way_;
        port.send(e);
        return true;
    }
    // Updates the reference, and notes the data that the payload must return with.
    void apply(payload& p, slot& s) {
        std::copy_n(p.bytes(), s.length, s.expected.begin());
        for (unsigned i = 0; i < s.length; ++i) {
            if (p.enables()[i] == TLM_BYTE_DISABLED) continue;
            if (p.is_write()) reference_[s.at + i] = p.bytes()[i];
            if (p.is_read()) s.expected[i] = reference_[s.at + i];
        }
        if (p.get_command() != tlm::TLM_IGNORE_COMMAND) return;
        for (unsigned i = 0; i < s.length; i += 4) {
            if (p.enables()[i] == TLM_BYTE_DISABLED) continue;
            std::uint32_t old;
            std::uint32_t operand;
            std::memcpy(&old, &reference_[s.at + i], 4);
            std::memcpy(&operand, p.bytes() + i, 4);
            std::memcpy(&s.expected[i], &old, 4);
            switch (p.extension().atomic().op) {
            case atomic_op::add: old += operand; break;
            case atomic_op::min: old = std::min(old, operand); break;
            case atomic_op::max: old = std::max(old, operand); break;
            case atomic_op::exchange: old = operand; break;
            case atomic_op::bit_or: old |= operand; break;
            case atomic_op::bit_xor: old ^= operand; break;
            default: break;
            }
            std::memcpy(&reference_[s.at + i], &old, 4);
        }
    }
    bool response_arrived(unsigned, memory_extension& e) override {
        if (plan_.refusal > draw(10)) {
            schedule(3);
            return false;
        }
        finish(e);
        schedule(0);
        return true;
    }
    void finish(memory_extension& e) {
        slot& s = slots_[e.origin.wave];
        payload& p = *s.request;
        EXPECT_EQ(&p.extension(), &e);
        EXPECT_TRUE(p.is_response_ok()) << p.get_response_string();
        if (std::memcmp(p.bytes(), s.expected.data(), s.length) != 0 && wrong_++ < 3)
            ADD_FAILURE() << name() << ": wrong data at " << s.at << "+" << s.length << " command " << p.get_command()
                          << " at " << core::to_text(bench_.sim.events().now());
        EXPECT_TRUE(e.times.tile());
        EXPECT_LE(e.times.last(), bench_.sim.events().now());
        if (plan_.refusal == 0) { EXPECT_EQ(e.times.last(), bench_.sim.events().now()); }
        EXPECT_FALSE(e.has_route());
        for (std::size_t i = 0; i < stage_count; ++i) spent_[i] += e.times.spent(static_cast<stage>(i)).ps;
        latency_ += e.times.total().ps;
        reference_.end(s.at, s.length, s.writes);
        s = {};
        ++answered_;
        --under_way_;
        p.release();
    }
    void request_port_ready(unsigned) override { schedule(0); }

    bench& bench_;
    reference_memory& reference_;
    agent_plan plan_;
    std::mt19937_64 random_;
    std::vector<slot> slots_;
    std::uint64_t issued_ = 0, answered_ = 0, wrong_ = 0, latency_ = 0;
    std::array<std::uint64_t, stage_count> spent_{};
    unsigned under_way_ = 0;
    core::timer<&random_agent::step> step_{bench_.sim.events(), *this};
};

}  // namespace contraflow::memory::testing
