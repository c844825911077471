// SPDX-License-Identifier: Apache-2.0
#include "nic/receive/receive_replay.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/simulation.h"
#include "core/timer.h"

namespace contraflow::nic {
namespace {

// The rings of completions in the host's memory: each 2^32 bytes after the previous one.
constexpr unsigned ring_shift = 32;
constexpr std::uint32_t ring_entries = 4096;

class player final : private receive_client_if {
public:
    player(core::simulation& sim, const receive_case& c, const receive_spec& s, const datapath_factory& make,
           const replay_conditions& conditions, observe::wave_sink_if* waves)
        : sim_(sim),
          case_(c),
          conditions_(conditions),
          tables_(s.buffers) {
        for (const auto& [address, value] : c.tables) tables_.set_entry(address, value);
        datapath_ = make({sim.events(), "nic.receive", s, c.node, *this, tables_, statistics_, waves});
        for (const auto& [index, b] : c.buffers) datapath_->set_buffer(index, b);
        for (unsigned ring = 0; ring < s.rings; ++ring)
            datapath_->set_ring(ring, {std::uint64_t{ring + 1} << ring_shift, ring_entries});
        consumed_.resize(s.rings);
    }

    replay_outcome play(const std::function<bool()>& keep_going, core::sim_time limit) {
        observe::run_limits limits;
        limits.watchdog = conditions_.watchdog;
        limits.time = limit;
        // A core may run for ever: the run ends when all packets are done.
        limits.keep_going = [&] { return !done() && (!keep_going || keep_going()); };
        replay_outcome o;
        begin();
        try {
            static_cast<observe::run_end&>(o) =
                observe::run_watched(sim_,
                                     {.waiters = {datapath_.get()},
                                      .moved = [this] { return next_ + actions_.size(); },
                                      .outstanding = [this] { return done() ? 0u : 1u; },
                                      .interventions = {}},
                                     limits);
        } catch (...) { o.failure = std::current_exception(); }
        o.complete = !o.failure && done();
        std::stable_sort(actions_.begin(), actions_.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        for (auto& [packet, what] : actions_) o.result.actions.push_back(std::move(what));
        o.result.counters = datapath_->counters();
        o.end = sim_.events().now();
        o.time = o.end - begun_;
        o.last_action = acted_ - begun_;
        o.statistics = statistics_.rows(o.end);
        observe::conservation checks;
        datapath_->check(checks);
        for (const auto& check : checks.checks())
            if (o.complete && !check.held())
                o.not_conserved = fmt::format("{}: {} {} and {}", check.name, check.in, check.unit, check.out);
        return o;
    }

private:
    // Packets come after buffers and rings are set up, which takes a core some time.
    void begin() {
        if (!datapath_->idle()) return calls_.after<&player::begin>(core::sim_time::from_us(1));
        begun_ = sim_.events().now();
        feed();
    }
    bool done() const { return next_ == case_.packets.size() && datapath_->idle(); }
    void feed() {
        while (next_ < case_.packets.size() && datapath_->can_receive()) datapath_->receive(case_.packets[next_++]);
    }
    void may_receive() override { feed(); }

    bool take_dma(const dma_request& r) override {
        if (r.kind == dma_kind::window) {
            add(r.packet, window_move{r.space, {r.address, r.token}});
        } else if (r.kind == dma_kind::data) {
            add(r.packet, data_write{r.space, r.address, {r.bytes.begin(), r.bytes.end()}});
        } else {
            const auto record = completion_record::decode(
                std::span<const std::uint8_t, completion_record::size>(r.bytes.data(), completion_record::size));
            const auto ring = static_cast<unsigned>(r.address >> ring_shift) - 1;
            add(r.packet,
                completion_event{ring, record.process, record.tag, record.source, record.address, record.length});
        }
        calls_.after<&player::acknowledge>(conditions_.acknowledge_latency, r.tag);
        if (r.kind == dma_kind::completion)
            calls_.after<&player::empty_ring>(conditions_.acknowledge_latency,
                                              static_cast<std::uint32_t>(r.address >> ring_shift) - 1);
        return true;
    }
    void acknowledge(std::uint32_t tag) { datapath_->acknowledged(static_cast<std::uint16_t>(tag)); }
    void empty_ring(std::uint32_t ring) { datapath_->set_consumed(ring, ++consumed_[ring]); }

    bool take_message(const core_message& m) override {
        add(m.packet, mailbox_message{m.header.process,
                                      m.header.tag,
                                      m.header.source,
                                      m.header.address,
                                      {m.payload.begin(), m.payload.end()}});
        return true;
    }
    void read_table(std::uint64_t address) override {
        read_ = tables_.entry(address);
        calls_.after<&player::answer_table>(conditions_.table_latency);
    }
    void answer_table() { datapath_->table_entry(read_); }
    void dropped(const packet_drop& d) override {
        add(d.packet, drop_action{d.reason, d.header.process, d.header.tag, d.header.source});
    }
    void invalidated() override {}

    void add(std::uint64_t packet, action what) {
        actions_.emplace_back(packet, std::move(what));
        acted_ = sim_.events().now();
    }

    core::simulation& sim_;
    const receive_case& case_;
    const replay_conditions conditions_;
    table_memory tables_;
    observe::statistics statistics_;
    std::unique_ptr<receive_datapath_if> datapath_;
    core::cancellable_calls<player> calls_{sim_.events(), *this};
    core::sim_time begun_{}, acted_{};
    std::size_t next_ = 0;
    std::uint64_t read_ = 0;
    std::vector<std::uint32_t> consumed_;
    std::vector<std::pair<std::uint64_t, action>> actions_;
};

}  // namespace

void replay_conditions::describe(config::fields<replay_conditions>& f) {
    constexpr core::sim_time longest = core::sim_time::from_us(1000);
    f("table_latency", &replay_conditions::table_latency)
        .in(core::sim_time::from_ns(1), longest)
        .text("hardware's read of an entry of a page table");
    f("acknowledge_latency", &replay_conditions::acknowledge_latency)
        .in(core::sim_time::from_ns(1), longest)
        .text("from a write to its acknowledgement");
    observe::watchdog_key::describe(f, &replay_conditions::watchdog);
}

std::vector<config::problem> problems_of(const replay_conditions& c, bool hardware_walks) {
    std::vector<config::problem> all;
    const auto check = [&](const char* key, core::sim_time latency) {
        const std::string is = core::to_text(latency), watchdog = core::to_text(c.watchdog);
        if (latency >= c.watchdog)
            all.push_back(
                {fmt::format("{} is {}, and the watchdog ends a run after {} without progress", key, is, watchdog),
                 {{key, "less than " + watchdog}, {"watchdog", "more than " + is}}});
    };
    check("acknowledge_latency", c.acknowledge_latency);
    if (hardware_walks) check("table_latency", c.table_latency);
    return all;
}

receive_spec spec_for(const receive_case& c, receive_spec spec) {
    spec.max_payload = c.max_payload;
    for (const auto& [index, b] : c.buffers) {
        spec.buffers = std::max(spec.buffers, index + 1);
        spec.rings = std::max<std::uint32_t>(spec.rings, b.ring + 1u);
    }
    return spec;
}

replay_outcome replay(const receive_case& c, const receive_spec& spec, const datapath_factory& make,
                      const replay_conditions& conditions, const std::function<bool()>& keep_going,
                      observe::wave_sink_if* waves, core::sim_time limit) {
    const receive_spec used = spec_for(c, spec);
    core::simulation sim;
    player p(sim, c, used, make, conditions, waves);
    return p.play(keep_going, limit);
}

}  // namespace contraflow::nic
