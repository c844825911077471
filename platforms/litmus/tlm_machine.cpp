// SPDX-License-Identifier: Apache-2.0
#include "litmus/tlm_machine.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "core/little_endian.h"

namespace contraflow::litmus {
namespace {

using gpu::mask;
using ordering::instruction;
using ordering::value;
using entry_operation = ordering::queue_entry::operation;

constexpr nic::access_rights all_rights{true, true, true, true};
constexpr core::sim_time cycle = core::sim_time::from_ns(1);

// What a test needs and no more, so that a run is short. The NIC reads an entry when all before it are complete, as the
// small machine does; with a longer window it reads ahead.
host::queue_pair_cluster::spec cluster_spec(const ordering::litmus_test& t, const places& p, const tlm_spec& s) {
    host::queue_pair_cluster::spec c;
    c.nodes = std::max(2u, t.nodes);
    c.node.memory = {1u << 20};
    c.node.nic.queues = static_cast<std::uint32_t>(std::max<std::size_t>(1, t.queues.size()));
    c.node.nic.window = c.node.nic.fetch = 1;
    gpu::pcie_gpu_spec& g = c.node.gpu.values;
    g.units = 2;
    g.clock = core::frequency{1e9};
    g.page_size = {4096};
    g.dram.size = {1u << 20};
    g.dram.channels = 2;
    g.l1.line = g.l2.bank.line = {p.line};
    g.l1.size = {2048};
    g.l2.banks = 2;
    g.l2.bank.size = {16u << 10};
    g.launch = g.teardown = g.uncached_store = core::sim_time::from_ns(100);
    g.fabric.reorder = s.delays * tlm_spec::fabric;
    g.fabric.one_in = 4;  // most pass those that wait
    g.fabric.seed = s.seed;
    g.ppb.order = gpu::drain_order::random;
    g.ppb.drain_after = s.delays * tlm_spec::combiner;
    g.ppb.seed = s.seed;
    return c;
}

}  // namespace

tlm_machine::tlm_machine(const ordering::litmus_test& test, const tlm_spec& s)
    : test_(test),
      spec_(s),
      places_(places_of(test)),
      draw_(core::seed_of(s.seed, test.name)),
      cluster_(
          std::make_unique<host::queue_pair_cluster>("", sim_.events(), statistics_, cluster_spec(test, places_, s))) {
    // Behind the variables, a ring of entries and one of completions for the ends of queue pairs that send nothing.
    const std::uint64_t words = (places_.bytes + 2 * entry_bytes + places_.line) / word_bytes;
    for (unsigned n = 0; n < cluster_->nodes(); ++n) {
        memories& m = memories_.emplace_back();
        for (const bool cached : {false, true}) {
            m.words[cached] = node(n).gpu().memory().allocate<std::uint64_t>(
                words, cached ? memory::memory_type::cached : memory::memory_type::uncached);
            m.keys[cached] = node(n).register_gpu(m.words[cached].address(), words * word_bytes, all_rights);
        }
        node(n).nic().set_observer(this);
    }
    for (unsigned q = 0; q < test.queues.size(); ++q) {
        host::queue_pair_node& at = node(test.queues[q].node);
        doorbells_.push_back(at.gpu().map_io<std::uint64_t>(
            at.nic().register_address(q, nic::queue_pair_nic::queue_register::doorbell), 1));
    }
    sim_.run();
}

tlm_machine::~tlm_machine() = default;

// ---- values

std::uint64_t tlm_machine::address_of(unsigned variable) const {
    const place& p = places_.variables[variable];
    // The word of a slot that has its value.
    const std::uint64_t within = p.kind == place_kind::slot ? word_bytes : 0;
    return memories_[test_.variables[variable].node].words[p.cached].address() + p.offset + within;
}

nic::work_entry tlm_machine::entry(unsigned queue, unsigned number) const {
    const ordering::send_queue& q = test_.queues[queue];
    const ordering::queue_entry& what = q.entries[number];
    nic::work_entry e;
    e.number = number + 1;
    e.signalled = q.completion.has_value();
    e.length = word_bytes;
    e.inline_data = what.op != entry_operation::put;
    if (what.op == entry_operation::fence) {
        host::queue_pair_node& to = cluster_->node(q.to);
        core::store_le<std::uint64_t>(e.data.data(), gpu::ppb_invalidate_and_flush);
        e.remote_address = to.control_page().address();
        e.remote_key = to.control_key().remote_key;
        return e;
    }
    const place& to = places_.variables[what.to];
    e.remote_address = address_of(what.to);
    e.remote_key = memories_[q.to].keys[to.cached].remote_key;
    if (what.op == entry_operation::put) {
        e.local_address = address_of(what.from);
        e.local_key = memories_[q.node].keys[places_.variables[what.from].cached].local_key;
    } else {
        core::store_le<std::uint64_t>(e.data.data(), what.carried);
    }
    return e;
}

// The words of a variable: one, or the eight of an entry or of a completion.
std::array<std::uint64_t, 8> tlm_machine::encoded(unsigned variable, value v) const {
    std::array<std::uint64_t, 8> words{};
    const place& p = places_.variables[variable];
    switch (p.kind) {
    case place_kind::data: words[0] = v; break;
    case place_kind::count: words[0] = v << 32; break;
    case place_kind::slot: {
        const auto& entries = test_.queues[p.queue].entries;
        for (unsigned i = 0; i < entries.size(); ++i) {
            if (entries[i].slot != variable || entries[i].ready != v) continue;
            std::array<std::uint8_t, nic::work_entry_bytes> bytes{};
            entry(p.queue, i).encode(bytes);
            for (unsigned k = 0; k < words.size(); ++k)
                words[k] = core::load_le<std::uint64_t>(bytes.data() + k * word_bytes);
        }
        words[1] = v;
        break;
    }
    }
    return words;
}

// From the word at address_of(). A completion of an entry that failed says how many were done before.
value tlm_machine::decoded(unsigned variable, std::uint64_t word) const {
    if (places_.variables[variable].kind != place_kind::count) return word;
    const bool failed = static_cast<nic::work_status>(word & 0xff) != nic::work_status::done;
    return (word >> 32) - (failed ? 1 : 0);
}

// ---- a thread

// In half of the runs, a thread waits neither before it starts nor between its instructions.
gpu::task<> tlm_machine::wait_a_little(gpu::wave w, unsigned thread, std::uint64_t most_delays) {
    const std::uint64_t most = spec_.delays.ps / cycle.ps * most_delays;
    if (!threads_[thread].waits || most == 0 || draw_.below(2) == 0) co_return;
    co_await w.compute(1 + draw_.below(most));
}

// A store to a cached page has taken effect when a load from it is answered; one to an uncached page is pending.
gpu::task<> tlm_machine::store(gpu::wave w, unsigned variable, value v) {
    const place& p = places_.variables[variable];
    const auto& words = memories_[test_.variables[variable].node].words[p.cached];
    const std::uint64_t first = p.offset / word_bytes;
    const auto encoding = encoded(variable, v);
    if (p.kind == place_kind::slot)
        co_await w.store(words, w.thread_ids() + first,
                         gpu::per_thread<std::uint64_t>::from([&](unsigned i) { return encoding[i % 8]; }),
                         mask::first(8));
    else
        co_await w.store(words, first, encoding[0], mask::thread(0));
    if (p.cached) co_await w.load_uncached(words, first, mask::thread(0));
}

// From the second level or from memory; never from a unit's own cache, which the small machine does not have.
gpu::task<value> tlm_machine::load(gpu::wave w, unsigned variable) {
    const place& p = places_.variables[variable];
    const auto& words = memories_[test_.variables[variable].node].words[p.cached];
    const std::uint64_t at = (address_of(variable) - words.address()) / word_bytes;
    const auto got =
        p.cached ? co_await w.load_uncached(words, at, mask::thread(0)) : co_await w.load(words, at, mask::thread(0));
    co_return decoded(variable, got[0]);
}

// The NIC takes more entries than its ring has for an error of software.
bool tlm_machine::has_room(unsigned queue, std::uint64_t entries) const {
    const auto s = cluster_->node(test_.queues[queue].node).nic().sends().status_of(queue);
    return s.state == nic::queue_state::failed || entries <= s.retired + places_.send[queue].entries;
}

gpu::kernel tlm_machine::run(gpu::wave w, unsigned thread, std::size_t begin, std::size_t end) {
    const ordering::thread& t = test_.threads[thread];
    const auto control = node(t.node).control_page();
    if (begin == 0) co_await wait_a_little(w, thread, tlm_spec::start);
    for (std::size_t at = begin; at < end; ++at) {
        const instruction& i = t.program[at];
        co_await wait_a_little(w, thread, 1);
        switch (i.op) {
        case instruction::operation::store: co_await store(w, i.target, i.operand); break;
        case instruction::operation::load: registers_[i.register_index] = co_await load(w, i.target); break;
        case instruction::operation::wait_until:
            while (co_await load(w, i.target) != i.operand)
                if (given_up_) co_return;
            break;
        case instruction::operation::ppb_invalidate:
            co_await w.store(control, 0, gpu::ppb_invalidate_and_flush, mask::thread(0));
            break;
        case instruction::operation::doorbell:
            while (!has_room(i.target, i.operand)) {
                if (given_up_) co_return;
                co_await w.compute(100);
            }
            co_await w.store(doorbells_[i.target], 0, i.operand, mask::thread(0));
            break;
        case instruction::operation::wait: co_await w.fence(); break;
        case instruction::operation::kernel_end: break;  // the host's program ends the kernel here
        }
        ++instructions_;
    }
    threads_[thread].finished = end == t.program.size();
    co_await wait_a_little(w, thread, 1);  // the end of the kernel writes back what is in the second level
}

// All threads of a GPU are one kernel. A thread that ends its kernel has the GPU for itself.
gpu::host_task tlm_machine::program(unsigned of_node) {
    std::vector<unsigned> here;
    for (unsigned t = 0; t < test_.threads.size(); ++t)
        if (test_.threads[t].node == of_node) here.push_back(t);
    gpu::gpu_system_if& gpu = node(of_node).gpu().host();
    if (here.size() > 1) {
        const gpu::kernel_launch::entry all = [this, here](gpu::wave w) {
            const unsigned t = here[w.cta()];
            return run(w, t, 0, test_.threads[t].program.size());
        };
        co_await gpu.launch({"threads", static_cast<std::uint32_t>(here.size()), gpu.wave_width(), all});
        co_return;
    }
    const auto& all = test_.threads[here[0]].program;
    for (std::size_t begin = 0; begin == 0 || (begin < all.size() && !given_up_);) {
        std::size_t end = begin;
        while (end < all.size() && all[end].op != instruction::operation::kernel_end) ++end;
        if (end < all.size()) ++end;
        const gpu::kernel_launch::entry part = [this, t = here[0], begin, end](gpu::wave w) {
            return run(w, t, begin, end);
        };
        co_await gpu.launch({"thread", 1, gpu.wave_width(), part});
        if (all.empty()) break;
        begin = end;
    }
}

// ---- a run

void tlm_machine::set_initial_values() {
    for (unsigned n = 0; n < cluster_->nodes(); ++n) {
        for (const bool cached : {false, true}) {
            const auto& words = memories_[n].words[cached];
            std::vector<std::uint64_t> contents(words.size());
            for (unsigned v = 0; v < test_.variables.size(); ++v) {
                const place& p = places_.variables[v];
                if (test_.variables[v].node != n || p.cached != cached) continue;
                const auto encoding = encoded(v, test_.variables[v].initial);
                const std::size_t count = p.kind == place_kind::slot ? encoding.size() : 1;
                std::copy_n(encoding.begin(), count,
                            contents.begin() + static_cast<std::ptrdiff_t>(p.offset / word_bytes));
            }
            node(n).gpu().memory().write(words, contents);
        }
        node(n).gpu().ppb().control(core::control_verb::invalidate);
    }
}

// Sequence numbers begin elsewhere each time.
void tlm_machine::open_queues() {
    using end = host::queue_pair_driver::end;
    const std::uint32_t first = opened_++ << 12;
    for (unsigned q = 0; q < test_.queues.size(); ++q) {
        const ordering::send_queue& queue = test_.queues[q];
        host::queue_pair_node &from = node(queue.node), &to = node(queue.to);
        const auto bus = [&](unsigned n, const ring& r) {
            return node(n).gpu().bus_address(memories_[n].words[r.cached].address() + r.offset);
        };
        const std::uint64_t unused = (places_.bytes + places_.line - 1) / places_.line * places_.line;
        host::queue_pair_driver::connect(
            end{from.driver(),
                q,
                {bus(queue.node, places_.send[q]), bus(queue.node, places_.completion[q]), places_.send[q].entries, 1},
                first},
            end{to.driver(),
                q,
                {bus(queue.to, {false, unused}), bus(queue.to, {false, unused + entry_bytes}), 1, 1},
                first});
    }
    if (!test_.queues.empty()) sim_.run();
    for (unsigned q = 0; q < test_.queues.size(); ++q)
        if (node(test_.queues[q].node).nic().sends().status_of(q).state != nic::queue_state::open)
            throw std::runtime_error(fmt::format("queue {} cannot be opened", test_.queues[q].name));
}

void tlm_machine::message_ended(const nic::message_end& m) {
    const ordering::send_queue& q = test_.queues[m.queue];
    if (q.completion && m.status == nic::work_status::done) node(q.node).driver().consumed(m.queue, m.number);
}

void tlm_machine::lose_a_line() {
    gpu::pcie_gpu& g = node(static_cast<unsigned>(draw_.below(test_.nodes))).gpu();
    if (draw_.below(2) == 0) {
        g.ppb().control(core::control_verb::invalidate);
        return;
    }
    // A line with newer bytes must leave whole, which takes its time; these leave at the end of a kernel.
    const auto& banks = g.system().socket(0).second_level();
    if (std::ranges::all_of(banks, [](const auto& b) { return b->dirty_lines() == 0; }))
        for (const auto& b : banks) b->invalidate();
}

void tlm_machine::drop_clean_lines() {
    for (unsigned n = 0; n < cluster_->nodes(); ++n)
        for (const auto& b : node(n).gpu().system().socket(0).second_level()) b->invalidate();
}

void tlm_machine::lose_all_lines() {
    for (unsigned n = 0; n < cluster_->nodes(); ++n)
        for (const auto& b : node(n).gpu().system().socket(0).second_level())
            b->flush({}, core::callback::to<&tlm_machine::drop_clean_lines>(*this));
}

bool tlm_machine::programs_ended() {
    for (const ordering::thread& t : test_.threads) {
        node(t.node).gpu().host().rethrow();
        if (!node(t.node).gpu().host().finished()) return false;
    }
    return true;
}

// Grows with all that happens but threads' vain looks at variables.
std::uint64_t tlm_machine::progress() const {
    std::uint64_t sum = instructions_ + cluster_->network().moved();
    for (unsigned n = 0; n < cluster_->nodes(); ++n)
        sum += cluster_->node(n).tree().tlps_moved() + cluster_->node(n).gpu().ppb().moved();
    return sum;
}

// A thread is stuck if nothing has happened for so long, and still nothing after all lines have left their caches.
void tlm_machine::simulate() {
    enum class step : std::uint8_t { runs, caches_empty, given_up };
    step at = step::runs;
    std::uint64_t seen = progress();
    core::sim_time since = sim_.events().now();
    while (!programs_ended()) {
        sim_.run_to(sim_.events().now() + core::sim_time{1 + draw_.below(2 * slice.ps)});
        const core::sim_time now = sim_.events().now();
        if (const std::uint64_t p = progress(); p != seen) {
            seen = p;
            since = now;
            if (at == step::caches_empty) at = step::runs;
        }
        if (now - since < spec_.patience) {
            if (losses_ != 0 && draw_.below(losses_) == 0) lose_a_line();
            continue;
        }
        since = now;
        if (at == step::runs) {
            at = step::caches_empty;
            lose_all_lines();
        } else if (at == step::caches_empty) {
            at = step::given_up;
            given_up_ = true;
        } else {
            std::vector<core::wait_edge> edges;
            cluster_->report_waits(edges);
            throw std::runtime_error(edges.empty() ? "the threads do not end"
                                                   : fmt::format("{} waits for {} of {}", edges[0].waiter,
                                                                 edges[0].resource, edges[0].holder));
        }
    }
    settle();
}

// What the NICs still have to do. Entries after a bad one are flushed, each with a completion that must be taken.
void tlm_machine::settle() {
    const auto run = [this] { sim_.run(); };
    run();
    for (unsigned q = 0; q < test_.queues.size(); ++q) {
        host::queue_pair_node& at = node(test_.queues[q].node);
        while (!at.nic().sends().idle(q)) {
            const auto before = at.nic().sends().status_of(q);
            at.driver().consumed(q, before.completions);
            run();
            if (at.nic().sends().status_of(q).retired == before.retired)
                throw std::runtime_error(fmt::format("queue {} does not end", test_.queues[q].name));
        }
    }
}

ordering::outcome tlm_machine::outcome() const {
    ordering::outcome o;
    o.registers = registers_;
    for (unsigned q = 0; q < test_.queues.size(); ++q) {
        const auto s = cluster_->node(test_.queues[q].node).nic().sends().status_of(q);
        const bool bad = s.fault == nic::queue_fault::entry && s.entry == nic::work_status::bad_entry;
        if (s.state != nic::queue_state::open && !bad)
            throw std::runtime_error(
                fmt::format("queue {} has failed at entry {}: {}", test_.queues[q].name, s.number, to_text(s.entry)));
        o.bad_entry.push_back(bad ? std::optional(s.number - 1) : std::nullopt);
    }
    for (unsigned t = 0; t < threads_.size(); ++t)
        if (!threads_[t].finished) o.stuck.push_back(t);
    return o;
}

ordering::outcome tlm_machine::play() {
    given_up_ = false;
    losses_ = draw_.below(2) == 0 ? 0 : 1u << 3 * draw_.below(3);
    threads_.assign(test_.threads.size(), {});
    for (thread_state& t : threads_) t.waits = draw_.below(2) == 0;
    registers_.assign(test_.registers.size(), 0);
    set_initial_values();
    open_queues();
    for (unsigned n = 0; n < cluster_->nodes(); ++n)
        if (std::ranges::any_of(test_.threads, [n](const auto& t) { return t.node == n; }))
            node(n).gpu().host().start(program(n));
    simulate();
    return outcome();
}

}  // namespace contraflow::litmus
