// SPDX-License-Identifier: Apache-2.0
#include "torus_nic/messages/message_run.h"

#include <algorithm>
#include <deque>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "host/rdma/registration_cache.h"
#include "host/rdma/staging.h"

namespace contraflow::torus_nic {
namespace {

using core::sim_time;
using face::us;
using host::rdma_process;
using nic::memory_space;

// Virtual, alike on all nodes.
constexpr std::uint64_t from_base = 0x1000'0000'0000, to_base = 0x2000'0000'0000;
// Staging buffers in the host, used in turn: one is copied while the next message arrives.
constexpr std::uint64_t staged_from_base = 0x3000'0000'0000, staged_to_base = 0x4000'0000'0000;
constexpr unsigned staged_slots = 2;
// As many as an adapter has that its link limits, and not its reads.
constexpr std::uint32_t reference_host_reads = 32;

host::rdma_node_spec with(host::rdma_node_spec s, const message_variant& v) {
    if (!v.reads_gpu) return s;
    s.transmit.generation = v.how.generation;
    s.transmit.window = v.how.window;
    s.transmit.reading = v.how.reading;
    return s;
}

// co_await: until all parties have come. It takes no time: the experiment's clock, not a message.
class meeting {
public:
    meeting(core::scheduler& events, unsigned parties) : resumes_(events), parties_(parties) {}

    bool await_ready() const noexcept { return false; }
    template <class Promise> void await_suspend(std::coroutine_handle<Promise> h) {
        gpu::coroutine_stack& s = h.promise().on();
        s.wait_in(h);
        here_.push_back(&s);
        if (here_.size() < parties_) return;
        for (gpu::coroutine_stack* const one : here_) resumes_.resume_after({}, *one);
        here_.clear();
    }
    void await_resume() const noexcept {}

private:
    gpu::coroutine_timer resumes_;
    const unsigned parties_;
    std::vector<gpu::coroutine_stack*> here_;
};

struct flow {
    unsigned source = 0, target = 0;
};

class message_bench final : public node_bench {
public:
    message_bench(const experiment& e, const message_variant& v, const run_view& view, message_result& result)
        : node_bench(e, with(e.node, v), view, result),
          kind_(e.kind),
          variant_(v),
          result_(result),
          memory_(cluster, e.seed),
          all_(events(), parties()) {
        if (!bus) bus = std::make_unique<bus_watch>(cluster, nullptr);
        // Firmware searches BUF_LIST in this order.
        const auto space = [](bool gpu) { return gpu ? memory_space::gpu0 : memory_space::host; };
        if (source_staged()) memory_.add(memory_space::host, staged_from_base, staged_slots * slot_bytes());
        if (target_staged()) memory_.add(memory_space::host, staged_to_base, staged_slots * slot_bytes());
        if (e.messages.target_first) memory_.add(space(to_gpu(v.pair)), to_base, e.messages.largest());
        memory_.add(space(from_gpu(v.pair)), from_base, e.messages.largest(), host::checked_memory::pages::in_order,
                    on_the_fly() ? host::checked_memory::registered::by_program
                                 : host::checked_memory::registered::with_all);
        if (!e.messages.target_first) memory_.add(space(to_gpu(v.pair)), to_base, e.messages.largest());
        memory_.register_all();
        if (on_the_fly()) make_caches();
        for (const core::bytes size : e.messages.sizes) result.sizes.push_back({size});
    }

    std::string verify() override { return memory_.wrong(); }
    void begin() override {
        meter.begin(now());
        if (kind_ == experiment_kind::read) {
            process(0).start(read());
        } else if (kind_ == experiment_kind::latency) {
            process(0).start(ping());
            if (!loop_back()) process(spec().target).start(pong());
        } else {
            for (const flow& f : flows()) {
                process(f.source).start(send(f));
                process(f.target).start(take(f));
            }
        }
    }

    void sum_up(sim_time end) override {
        node_bench::sum_up(end);
        for (const auto& c : caches_) {
            result_.puts_registered += c->misses();
            result_.puts_found += c->hits();
        }
        if (!watched_end_) return;
        watched_message w;
        w.begin = watched_begin_;
        w.tlps = bus->seen();
        fill_stages(w);
        result_.watched = std::move(w);
    }

private:
    const message_spec& spec() const { return settings.messages; }
    bool loop_back() const { return spec().target == 0; }
    std::vector<flow> flows() const {
        if (spec().flow == message_flow::ring) {
            std::vector<flow> all;
            for (unsigned n = 0; n < cluster.nodes(); ++n) all.push_back({n, (n + 1) % cluster.nodes()});
            return all;
        }
        std::vector<flow> all{{0, spec().target}};
        if (spec().flow == message_flow::both_ways) all.push_back({spec().target, 0});
        return all;
    }
    unsigned parties() const {
        return kind_ == experiment_kind::bandwidth ? 2 * static_cast<unsigned>(flows().size()) : loop_back() ? 1 : 2;
    }

    bool staged() const { return variant_.route != message_route::direct; }
    bool source_staged() const { return staged() && from_gpu(variant_.pair); }
    bool target_staged() const { return staged() && to_gpu(variant_.pair); }
    // Copies into staging buffers are made by the host's driver, which knows their memory.
    bool on_the_fly() const { return spec().registration.cache != 0 && !source_staged(); }
    void make_caches() {
        for (unsigned n = 0; n < cluster.nodes(); ++n)
            caches_.push_back(std::make_unique<host::registration_cache>(
                process(n), statistics, fmt::format("{}.registrations", cluster.node(n).name()),
                host::registration_cache::spec{spec().registration.cache, spec().registration.page},
                [this, n](memory_space, std::uint64_t base, std::uint64_t bytes) {
                    return memory_.part(n, base, bytes);
                }));
    }
    gpu::task<rdma_process::message> put(unsigned source, rdma_process::put_request r) {
        if (caches_.empty()) co_return co_await process(source).put(r);
        co_return co_await caches_[source]->put(r);
    }
    gpu::task<nic::transmit_status> sent(unsigned source, rdma_process::message m) {
        if (caches_.empty()) co_return co_await process(source).sent(m);
        co_return co_await caches_[source]->sent(m);
    }
    std::uint64_t slot_bytes() const { return nic::whole_pages(memory_space::host, spec().largest()); }

    // Messages follow one another from places that differ, where they leave room for it.
    std::uint64_t place_of(std::uint64_t number, std::uint64_t length) const {
        const std::uint64_t room = (spec().largest() - length) / 4096;
        return from_base + 4096 * (number % std::min<std::uint64_t>(room + 1, 61));
    }
    rdma_process::put_request message(unsigned source, unsigned target, std::uint64_t length) {
        const std::uint64_t number = number_++;
        return memory_.put(source, place_of(number, length), target, to_base, static_cast<std::uint32_t>(length),
                           static_cast<std::uint16_t>(number % rdma_process::tags));
    }
    // A message that only the target copies comes in one piece.
    std::uint32_t piece() const {
        return static_cast<std::uint32_t>(source_staged() ? spec().piece.count : slot_bytes());
    }
    host::staging_buffer slot(std::uint64_t base, std::uint64_t number) const {
        const std::uint64_t bytes = slot_bytes();
        return {base + number % staged_slots * bytes, static_cast<std::uint32_t>(bytes), piece()};
    }

    // A message on its way: its puts, which have not been waited for.
    struct sending {
        unsigned source = 0;
        std::vector<rdma_process::message> puts;
    };
    // Ends when its descriptors are written; if it is staged, when it has been copied to the host.
    gpu::task<sending> send_one(unsigned source, unsigned target, std::uint64_t length) {
        const std::uint64_t number = sent_[source]++;
        auto r = message(source, target, length);
        if (target_staged()) {
            const std::uint64_t to = slot(staged_to_base, number).base;
            memory_.expect(target, to, source, r.from, r.length);
            r.to = to;
        }
        co_return co_await post(source, r);
    }
    gpu::task<sending> post(unsigned source, rdma_process::put_request r) {
        const std::uint64_t number = posted_[source]++;
        sending s;
        s.source = source;
        if (!source_staged()) {
            s.puts.push_back(co_await put(source, r));
            co_return s;
        }
        const host::staging_buffer by = slot(staged_from_base, number);
        memory_.expect(source, by.base, source, r.from, r.length);
        s.puts = co_await host::staged_puts(process(source), r, by);
        co_return s;
    }
    // Ends when a message has arrived; if it is staged, with the last copy_to_gpu().
    gpu::task<> receive_one(unsigned target, std::uint64_t length) {
        const host::staging_buffer by = slot(staged_to_base, received_[target]++);
        if (target_staged()) {
            co_await host::staged_receive(process(target), to_base, static_cast<std::uint32_t>(length), by);
        } else if (!source_staged()) {
            co_await process(target).receive();
        } else {
            for (std::uint64_t done = 0; done < length; done += piece()) co_await process(target).receive();
        }
    }
    // Sends and waits until it has been sent.
    gpu::task<> deliver(unsigned source, unsigned target, std::uint64_t length) {
        co_await wait_sent(co_await send_one(source, target, length));
    }
    gpu::task<> wait_sent(sending s) {
        for (const auto m : s.puts) {
            const nic::transmit_status status = co_await sent(s.source, m);
            if (status != nic::transmit_status::done)
                throw std::runtime_error(fmt::format("node {}: a message was not sent", s.source));
        }
    }

    // ---- to a node that is not there: what leaves the NIC is thrown away

    rdma_process::put_request nowhere(std::uint64_t length) {
        rdma_process::put_request p;
        p.space = from_gpu(variant_.pair) ? memory_space::gpu0 : memory_space::host;
        p.from = place_of(number_++, length);
        p.target = {31, 31, 31};
        p.to = to_base;
        p.length = static_cast<std::uint32_t>(length);
        return p;
    }
    gpu::task<> deliver_nowhere(std::uint64_t length) { co_await wait_sent(co_await post(0, nowhere(length))); }

    // ---- latency

    gpu::host_task ping() {
        const unsigned peer = spec().target;
        for (size_result& r : result_.sizes) {
            const std::uint64_t length = r.size.count;
            sim_time sum{};
            for (unsigned i = 0; i <= spec().repeat; ++i) {  // the first one warms up
                const sim_time since = now();
                const sending s = co_await send_one(0, peer, length);
                co_await receive_one(0, length);
                if (i > 0) sum += now() - since;
                co_await wait_sent(s);
            }
            r.messages = spec().repeat;
            r.latency_us = us(sum) / spec().repeat / (loop_back() ? 1 : 2);
            co_await all_;
            const sim_time since = now();
            for (unsigned i = 0; i < spec().repeat; ++i) co_await deliver(0, peer, length);
            const sim_time until_sent = now() - since;
            if (loop_back())
                for (unsigned i = 0; i < spec().repeat; ++i) co_await receive_one(0, length);
            co_await all_;
            co_await all_copied();
            const sim_time alone = now(), busy = process(0).busy();
            for (unsigned i = 0; i < spec().repeat; ++i) co_await deliver_nowhere(length);
            const sim_time overhead = now() - alone;
            r.overhead_us = us(overhead) / spec().repeat;
            r.host_us = us(process(0).busy() - busy) / spec().repeat;
            r.held_us = us(std::max(until_sent, overhead) - overhead) / spec().repeat;
        }
        meter.end(now());
        co_await all_copied();
        watched_begin_ = now();
        open_watch();
        co_await deliver(0, peer, spec().watched.count);
        if (loop_back()) co_await watched_arrives(0);
    }
    gpu::host_task pong() {
        const unsigned self = spec().target;
        for (const size_result& r : result_.sizes) {
            for (unsigned i = 0; i <= spec().repeat; ++i) {
                co_await receive_one(self, r.size.count);
                co_await deliver(self, 0, r.size.count);
            }
            co_await all_;
            for (unsigned i = 0; i < spec().repeat; ++i) co_await receive_one(self, r.size.count);
            co_await all_;
        }
        co_await watched_arrives(self);
    }
    gpu::task<> watched_arrives(unsigned target) {
        co_await receive_one(target, spec().watched.count);
        watched_end_ = now();
        co_await process(target).copied();
    }
    gpu::task<> all_copied() {
        for (unsigned n = 0; n < cluster.nodes(); ++n) co_await process(n).copied();
    }

    // ---- bandwidth

    // Messages that are measured.
    unsigned count_of(std::uint64_t length) const {
        const std::uint64_t wanted = std::min<std::uint64_t>(64, spec().volume.count / length);
        return static_cast<unsigned>(std::max<std::uint64_t>(spec().repeat, wanted));
    }
    // Others go before them, because the first ones find empty buffers, and a window's first move leaves a queue of
    // tens of packets.
    static unsigned before(std::uint64_t length) {
        return static_cast<unsigned>(std::clamp<std::uint64_t>((256u << 10) / length, 1, 64));
    }
    // Others follow, because the last ones have the NIC to themselves; of long messages that is a small part.
    static unsigned after(std::uint64_t length) {
        return static_cast<unsigned>(std::min<std::uint64_t>((128u << 10) / length, 16));
    }
    unsigned all_of(std::uint64_t length) const { return before(length) + count_of(length) + after(length); }
    gpu::host_task send(flow f) {
        for (const size_result& r : result_.sizes) {
            co_await all_;
            std::deque<sending> open;
            for (unsigned i = 0; i < all_of(r.size.count); ++i) {
                if (open.size() == most_open()) {
                    co_await wait_sent(open.front());
                    open.pop_front();
                }
                open.push_back(co_await send_one(f.source, f.target, r.size.count));
            }
            for (const sending& s : open) co_await wait_sent(s);
        }
        co_await all_;
        if (f.source != 0) co_return;
        meter.end(now());
        watched_begin_ = now();
        open_watch();
        co_await deliver(0, f.target, spec().watched.count);
    }
    // A staged message overlaps with the one before it only while it is copied.
    std::size_t most_open() const { return source_staged() ? std::min(spec().in_flight, 1u) : spec().in_flight; }
    // From the completion before the first message that is measured to that of the last one.
    gpu::host_task take(flow f) {
        for (size_result& r : result_.sizes) {
            co_await all_;
            const unsigned count = count_of(r.size.count);
            for (unsigned i = 0; i < before(r.size.count); ++i) co_await receive_one(f.target, r.size.count);
            const sim_time since = now();
            for (unsigned i = 0; i < count; ++i) co_await receive_one(f.target, r.size.count);
            r.messages += count;
            r.gb_per_s += static_cast<double>(r.size.count) * count / (now() - since).seconds() / 1e9 /
                          static_cast<double>(flows().size());
            for (unsigned i = 0; i < after(r.size.count); ++i) co_await receive_one(f.target, r.size.count);
        }
        co_await process(f.target).copied();
        co_await all_;
        if (f.source != 0) co_return;
        co_await watched_arrives(f.target);
    }

    // ---- read

    gpu::host_task read() {
        for (size_result& r : result_.sizes) {
            const sim_time alone = now();
            co_await deliver_nowhere(r.size.count);
            r.first_us = us(now() - alone);
            std::deque<sending> open;
            const unsigned count = count_of(r.size.count), first = before(r.size.count), all = all_of(r.size.count);
            sim_time since{};
            std::pair<std::uint64_t, std::uint64_t> wire;
            for (unsigned posted = 0, ended = 0; ended < all; ++ended) {
                for (; posted < all && open.size() < spec().in_flight; ++posted)
                    open.push_back(co_await post(0, nowhere(r.size.count)));
                co_await wait_sent(open.front());
                open.pop_front();
                if (ended + 1 == first) {
                    since = now();
                    wire = wire_bytes();
                }
                if (ended + 1 != first + count) continue;
                r.messages = count;
                r.gb_per_s = static_cast<double>(r.size.count) * count / us(now() - since) / 1e3;
                if (r.size.count != largest_size()) continue;
                const auto after = wire_bytes();
                const double capacity = settings.node.nic_link.raw().bytes_per_s * (now() - since).seconds();
                result_.link_in = static_cast<double>(after.first - wire.first) / capacity;
                result_.link_out = static_cast<double>(after.second - wire.second) / capacity;
            }
        }
    }
    std::uint64_t largest_size() const {
        std::uint64_t most = 0;
        for (const core::bytes b : spec().sizes) most = std::max(most, b.count);
        return most;
    }
    // Use of the link of node 0's NIC: towards it, and from it.
    std::pair<std::uint64_t, std::uint64_t> wire_bytes() {
        const auto of = [this](bool up) {
            const auto& s = cluster.node(0).tree().sender({cluster.node(0).nic_in_tree(), up}).statistics();
            return s.tlp_wire_bytes.value() + s.dllp_wire_bytes.value();
        };
        return {of(false), of(true)};
    }

    // ---- the one message that is watched

    void open_watch() {
        bus->open();
        const auto before = lookup_time(spec_target());
        if (before) lookup_before_ = *before;
    }
    unsigned spec_target() const { return spec().flow == message_flow::ring ? 1 : spec().target; }

    void fill_stages(watched_message& w) {
        const auto end_of = [&](auto matches, sim_time otherwise) {
            sim_time at = otherwise;
            for (const seen_tlp& t : w.tlps)
                if (matches(t)) at = std::max(at, t.end);
            return at;
        };
        const auto begin_of = [&](auto matches, sim_time otherwise) {
            for (const seen_tlp& t : w.tlps)
                if (matches(t)) return std::max(otherwise, t.begin);
            return otherwise;
        };
        const unsigned target = spec_target();
        const auto role = [](unsigned node, std::initializer_list<tlp_role> any) {
            return [node, all = std::vector<tlp_role>(any)](const seen_tlp& t) {
                return t.node == node && std::ranges::find(all, t.role) != all.end();
            };
        };
        std::array<sim_time, message_stages.size() + 1> at;
        at[0] = w.begin;
        at[1] = begin_of(role(0, {tlp_role::doorbell}), at[0]);
        at[2] = begin_of(role(0, {tlp_role::data_read, tlp_role::gpu_request}), at[1]);
        at[3] = end_of(role(0, {tlp_role::data_in, tlp_role::gpu_answer}), at[2]);
        at[5] = std::max(at[3], begin_of(role(target, {tlp_role::window_move, tlp_role::data_out}), at[3]));
        at[4] = at[5];
        const auto after = lookup_time(target);
        if (after && spec().watched.count <= nic::most_payload) {
            const sim_time lookup = *after - lookup_before_;
            w.lookup_known = lookup <= at[5] - at[3];
            if (w.lookup_known) at[4] = at[5] - lookup;
        }
        at[6] = end_of(role(target, {tlp_role::data_out, tlp_role::flushed}), at[5]);
        sim_time told = at[6];
        for (const seen_tlp& t : w.tlps)
            if (t.node == target && t.role == tlp_role::interrupt && t.begin >= at[6] && t.end <= *watched_end_)
                told = std::max(told, t.end);
        at[7] = told;
        at[8] = *watched_end_;
        for (std::size_t i = 0; i < message_stages.size(); ++i) w.stages_us[i] = us(at[i + 1] - at[i]);
    }

    const experiment_kind kind_;
    const message_variant variant_;
    message_result& result_;
    host::checked_memory memory_;
    std::vector<std::unique_ptr<host::registration_cache>> caches_;  // by node; none: memory is registered before
    meeting all_;
    std::uint64_t number_ = 0;
    std::map<unsigned, std::uint64_t> sent_, posted_, received_;  // messages, by node; also those to nowhere are posted
    sim_time watched_begin_{}, lookup_before_{};
    std::optional<sim_time> watched_end_;
};

}  // namespace

std::string message_variant::text() const {
    const std::string text(config::name_of(pair));
    if (route != message_route::direct) return fmt::format("{}, {}", text, config::name_of(route));
    return reads_gpu ? fmt::format("{}, {}", text, how.text()) : text;
}

std::vector<message_variant> variants_of(const experiment& e) {
    const reader own{e.node.transmit.generation, e.node.transmit.window, e.node.transmit.reading};
    std::vector<message_variant> all;
    for (const memory_pair p : e.messages.pairs) {
        const bool gpu = from_gpu(p) || to_gpu(p);
        const bool may_be_staged = gpu && e.kind != experiment_kind::read;
        for (const message_route route : e.messages.routes) {
            if (route == message_route::reference && e.kind != experiment_kind::read)
                all.push_back({p, own, false, route});
            else if (route == message_route::staged && may_be_staged)
                all.push_back({p, own, false, route});
            else if (route == message_route::direct && !from_gpu(p))
                all.push_back({p, own, false, route});
            else if (route == message_route::direct && e.messages.readers.empty())
                all.push_back({p, own, true, route});
            else if (route == message_route::direct)
                for (const reader& r : e.messages.readers) all.push_back({p, r, true, route});
        }
    }
    return all;
}

message_result run_messages(const experiment& e, const message_variant& v, const runner::limits& limits,
                            const run_view& view) {
    message_result r;
    r.variant = v;
    experiment machine = e;
    if (v.route == message_route::reference) {
        machine.receive.level = nic_levels::receive_level::tlm;
        machine.node.transmit.host_reads = reference_host_reads;
    }
    run_nodes(std::make_unique<message_bench>(machine, v, view, r), limits, r);
    return r;
}

std::vector<config::problem> problems_of(const message_spec& m, const host::rdma_node_spec& node,
                                         const net::torus_spec& torus) {
    std::vector<config::problem> found;
    if (m.sizes.empty()) found.push_back({"there is no size to run", {{"messages.sizes", "one size or more"}}});
    if (m.pairs.empty()) found.push_back({"there is no pair to run", {{"messages.pairs", "one pair or more"}}});
    if (m.routes.empty())
        found.push_back(
            {"there is no route to run", {{"messages.routes", "one or more of direct, staged, reference"}}});
    if (m.target >= torus.node_count())
        found.push_back({fmt::format("there is no node {}", m.target),
                         {{"messages.target", fmt::format("0 to {}", torus.node_count() - 1)}}});
    constexpr unsigned other_buffers = 4;  // staging and the target's
    if (m.registration.cache != 0 && m.registration.cache + other_buffers > node.receive.buffers)
        found.push_back({fmt::format("BUF_LIST has room for {} buffers: not for {} registrations and {} other ones",
                                     node.receive.buffers, m.registration.cache, other_buffers),
                         {{"node.receive.buffers", fmt::format("at least {}", m.registration.cache + other_buffers)},
                          {"messages.registration.cache", "fewer"}}});
    std::uint64_t host = 0, gpu = 0;  // bytes that the hungriest pair takes
    for (const memory_pair p : m.pairs) {
        const std::uint64_t in_host = nic::whole_pages(memory_space::host, m.largest()),
                            in_gpu = nic::whole_pages(memory_space::gpu0, m.largest());
        const bool staged = std::ranges::any_of(m.routes, [](message_route r) { return r != message_route::direct; });
        const std::uint64_t by_gpu = staged ? staged_slots * in_host : 0;
        host = std::max(host, (from_gpu(p) ? by_gpu : in_host) + (to_gpu(p) ? by_gpu : in_host));
        gpu = std::max(gpu, (from_gpu(p) ? in_gpu : 0) + (to_gpu(p) ? in_gpu : 0));
    }
    const std::uint64_t rings = nic::whole_pages(memory_space::host, rdma_process::ring_bytes(node.process.entries));
    std::vector<config::problem::suspect> larger;
    std::vector<const char*> small;
    const auto compare = [&](const char* key, core::bytes has, std::uint64_t wanted, const char* whose) {
        if (wanted <= has.count) return;
        small.push_back(whose);
        larger.push_back({key, fmt::format("at least {}", core::to_text(core::bytes{wanted}))});
    };
    compare("node.memory", node.memory, host + rings, "the host's memory");
    compare("node.gpu.memory", node.gpu.values.memory, gpu, "the GPU's memory");
    if (small.empty()) return found;
    found.push_back({fmt::format("messages of {}: a buffer to send from and one to receive in have no room in {}",
                                 core::to_text(core::bytes{m.largest()}), fmt::join(small, " and in ")),
                     larger});
    found.back().suspects.insert(found.back().suspects.end(),
                                 {{"messages.sizes", "smaller sizes"}, {"messages.watched", "a smaller size"}});
    return found;
}

}  // namespace contraflow::torus_nic
