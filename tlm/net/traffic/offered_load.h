// SPDX-License-Identifier: Apache-2.0
// Open-loop traffic for any network: each node creates packets at random moments, at a rate that does not depend on the
// network, and keeps those that it cannot inject yet. Packets carry bytes, and their order and bytes are checked at
// arrival. A run is warm-up, measurement, and the delivery of the packets created in the measurement; sources go on
// until that ends, at most for as long again as was measured. Latency is from a packet's creation until it is taken.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/linked_fifo.h"
#include "core/scheduler.h"
#include "core/timer.h"
#include "net/network_if.h"
#include "net/traffic/traffic_pattern.h"
#include "observe/statistics.h"
#include "observe/trace.h"

namespace contraflow::net {

class offered_load {
public:
    static constexpr std::uint32_t word_bytes = 16;

    struct spec {
        traffic_spec traffic;
        double load = 0.1;           // words per cycle created by each sending node
        core::sim_time cycle{1000};  // time in which a node could inject a word
        std::uint64_t seed = 1;
    };
    // This object has the network's clients. `measuring` is called when the measurement begins (true) and ends (false).
    offered_load(core::scheduler& events, observe::statistics& group, network_if& net,
                 const std::vector<std::uint32_t>& nodes, const spec& s, std::function<void(bool)> measuring = {});

    void start();
    // Traces each crossing of a link as a slice. Call it before start().
    void set_trace(observe::trace* trace) { trace_ = trace; }

    // Words per cycle and sending node during the measurement; a node can inject one word per cycle.
    double offered() const { return rate(created_words_); }
    double accepted() const { return rate(taken_words_); }
    // The same in each half of the measurement: beyond saturation a network may accept less and less.
    double accepted_at_first() const { return 2 * rate(taken_at_first_); }
    double accepted_at_last() const { return 2 * rate(taken_words_ - taken_at_first_); }
    // Latency of the packets created in the measurement.
    const observe::histogram& latency() const { return latency_; }
    std::uint64_t measured() const { return marked_; }
    std::uint64_t never_arrived() const { return marked_left_; }  // packets that did not arrive before the run ended
    bool saturated() const { return never_arrived() > 0 || accepted() < 0.95 * offered(); }

    std::uint64_t created() const { return created_; }
    std::uint64_t injected() const { return injected_; }
    std::uint64_t taken() const { return taken_; }
    // Packets that sources still kept when they stopped.
    std::uint64_t kept() const { return kept_; }
    // Packets that arrived out of order or with wrong bytes; empty: none.
    const std::string& wrong() const { return wrong_; }

private:
    struct parcel final : core::transfer {
        explicit parcel(offered_load& of) : owner(of) {}
        void crossed(const char* link, bool answer, core::sim_time started, core::sim_time arrived) override;
        void passed(const char*, core::sim_time) override {}
        std::span<std::uint8_t> bytes_on_wire() override;
        offered_load& owner;
        parcel* next = nullptr;
        std::vector<std::uint64_t> content;
        std::uint64_t number = 0;
        core::sim_time created{};
        bool marked = false;
    };
    struct waiting_packet {
        core::sim_time created{};
        unsigned target = 0;
        bool marked = false;
    };
    struct node final : client_if {
        node(offered_load& of, unsigned n);
        bool can_take(packet_class, const link::packet&) override { return true; }
        void take_packet(packet_class, const link::packet& p) override { owner.take(number, p); }
        void may_inject(packet_class) override { owner.inject(*this); }
        const char* client_name() const override { return name.c_str(); }
        void create() { owner.create(*this); }

        offered_load& owner;
        const unsigned number;
        const std::string name;
        core::random_source draw;
        core::timer<&node::create> next;
        std::deque<waiting_packet> backlog;
    };

    void arm(node& n);
    void create(node& n);
    void inject(node& n);
    void take(unsigned target, const link::packet& p);
    void begin_measurement();
    void end_measurement();
    void stop();
    double rate(std::uint64_t words) const;
    static void fill(parcel& p);

    core::scheduler& events_;
    network_if& net_;
    const spec spec_;
    const traffic_targets targets_;
    const double packet_probability_;  // per cycle
    std::function<void(bool)> measuring_;
    std::deque<node> nodes_;
    unsigned senders_ = 0;
    std::deque<parcel> parcels_;
    core::linked_fifo<parcel> free_;
    std::vector<std::uint32_t> last_;  // the last packet's number, by source and target
    enum class phase { warm_up, measurement, tail, over } phase_ = phase::warm_up;
    std::uint64_t created_ = 0, injected_ = 0, taken_ = 0, kept_ = 0;
    std::uint64_t created_words_ = 0, taken_words_ = 0;  // meanwhile
    std::uint64_t taken_at_first_ = 0;                   // in its first half
    core::sim_time middle_{};
    std::uint64_t marked_ = 0, marked_left_ = 0;
    std::string wrong_;
    observe::histogram latency_;
    observe::trace* trace_ = nullptr;
};

}  // namespace contraflow::net
