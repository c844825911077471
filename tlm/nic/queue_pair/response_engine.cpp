// SPDX-License-Identifier: Apache-2.0
#include "nic/queue_pair/response_engine.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/little_endian.h"

namespace contraflow::nic {

response_engine::response_engine(const resources& r, const queue_pair_spec& s, std::string name)
    : r_(r),
      spec_(s),
      name_(std::move(name)),
      mtu_(static_cast<std::uint32_t>(s.mtu.count)),
      gather_(r.function, pcie::operation_kind::read, s.gather, core::callback::to<&response_engine::advance>(*this),
              name_ + ".gather"),
      scatter_(r.function, pcie::operation_kind::write, s.scatter, core::callback::to<&response_engine::go_on>(*this),
               name_ + ".scatter"),
      sender_(r.port, gather_, r.reads, {net::packet_class::response, s.answer_packets, s.queues}, *this,
              name_ + ".packets"),
      writer_(scatter_, r.writes, r.statistics, *this, name_ + ".writes"),
      requests_(r.statistics, name_ + ".requests", "packets", "request packets that arrived"),
      accepted_(r.statistics, name_ + ".accepted", "packets", "request packets that were due and allowed"),
      duplicates_(r.statistics, name_ + ".duplicates", "packets", "request packets that had come before"),
      out_of_order_(r.statistics, name_ + ".out_of_order", "packets", "request packets of which an earlier one lacked"),
      refused_requests_(r.statistics, name_ + ".not_allowed", "packets",
                        "request packets that were not allowed, or came after such a one, or found no room"),
      acknowledgements_(r.statistics, name_ + ".acknowledgements", "packets", "acknowledgements sent"),
      refusals_(r.statistics, name_ + ".refusals", "packets", "refusals sent"),
      atomics_done_(r.statistics, name_ + ".atomics", "atomics", "AtomicOps done for other nodes"),
      unexpected_(r.statistics, name_ + ".unexpected", "packets", "request packets to no open queue pair of theirs") {
    for (std::uint32_t q = 0; q < s.queues; ++q) queues_.emplace_back(q, s.reads);
}

void response_engine::open(std::uint32_t queue, const queue_setup& s) {
    queue_pair& q = queues_[queue];
    q.open = true;
    q.setup = s;
    q.expected = s.expected_sequence;
    q.refused.reset();
    q.refused_gap = q.within = false;
    q.begun = q.written = 0;
    q.answers.clear();
    for (atomic& a : q.results) a.used = false;
    q.next_result = 0;
}

bool response_engine::idle(std::uint32_t queue) const {
    const queue_pair& q = queues_[queue];
    return q.answers.empty() && q.begun == q.written && sender_.empty(queue) && !writer_.busy() &&
           std::ranges::none_of(q.results, [](const atomic& a) { return a.under_way; });
}
bool response_engine::idle() const {
    for (std::uint32_t q = 0; q < queues_.size(); ++q)
        if (!idle(q)) return false;
    return sender_.used() == 0;
}

// ---- requests

void response_engine::take(unsigned, carried_packet* p) {
    const transport_header& h = p->packet.header;
    bool kept = false;
    ++requests_;
    taking_ = true;
    queue_pair* const q = h.target < queues_.size() ? &queues_[h.target] : nullptr;
    if (q == nullptr || !q->open || q->setup.node != h.node || q->setup.queue != h.queue) {
        ++unexpected_;
    } else if (before(q->expected, h.sequence)) {
        ++out_of_order_;
        if (!q->refused && !std::exchange(q->refused_gap, true))
            add_refusal(*q, q->expected, refusal_reason::out_of_sequence);
    } else if (before(h.sequence, q->expected)) {
        ++duplicates_;
        repeat(*q, h);
    } else if (q->refused) {
        ++refused_requests_;
        add_refusal(*q, h.sequence, *q->refused);
    } else {
        kept = take_expected(*q, *p);
    }
    taking_ = false;
    if (!kept) p->of.give_back(*p);
    advance();
}

bool response_engine::take_expected(queue_pair& q, carried_packet& p) {
    const transport_header& h = p.packet.header;
    q.refused_gap = false;
    if (h.kind == transport_kind::write) return take_write(q, p);
    const bool reads = h.kind == transport_kind::read;
    const auto region =
        r_.regions.find(h.key, h.address, h.length, reads ? access::remote_read : access::remote_atomic);
    if (!region) {
        refuse(q, refusal_reason::access);
        return false;
    }
    if (q.within || (!reads && (h.length != atomic_bytes || h.address % atomic_bytes != 0))) {
        refuse(q, refusal_reason::request);
        return false;
    }
    if (reads ? add_read(q, h, *region) : begin_atomic(q, h, *region)) {
        ++accepted_;
        q.expected += reads ? std::max(1u, (h.length + mtu_ - 1) / mtu_) : 1;
    } else {
        ++refused_requests_;  // the requester has more open than it may; it will try again
    }
    return false;
}

bool response_engine::take_write(queue_pair& q, carried_packet& p) {
    const transport_header& h = p.packet.header;
    const auto size = static_cast<std::uint32_t>(p.packet.payload.size());
    if (h.first) {
        const auto region = r_.regions.find(h.key, h.address, h.length, access::remote_write);
        if (!region) {
            refuse(q, refusal_reason::access);
            return false;
        }
        q.region = *region;
        q.address = h.address;
        q.left = h.length;
    }
    if (h.first == q.within || size > q.left || h.last != (size == q.left)) {
        refuse(q, refusal_reason::request);
        return false;
    }
    ++accepted_;
    ++q.expected;
    q.within = !h.last;
    const std::uint64_t address = q.address;
    q.address += size;
    q.left -= size;
    if (size == 0) {
        if (h.asks) acknowledge(q, h.sequence);
        return false;
    }
    ++q.begun;
    writer_.write(p, number_of(q), q.region, address);
    return true;
}

// Nothing of this packet is written, and no later one is looked at.
void response_engine::refuse(queue_pair& q, refusal_reason why) {
    ++refused_requests_;
    q.refused = why;
    add_refusal(q, q.expected, why);
}

bool response_engine::add_read(queue_pair& q, const transport_header& h, const registered_region& r) {
    if (q.answers.size() + 1 >= q.answers.capacity()) return false;
    answer a;
    a.kind = answer::kind_of::read;
    a.sequence = h.sequence;
    a.region = r;
    a.address = h.address;
    a.length = h.length;
    a.packets = std::max(1u, (h.length + mtu_ - 1) / mtu_);
    add(q, a);
    return true;
}

bool response_engine::begin_atomic(queue_pair& q, const transport_header& h, const registered_region& region) {
    atomic& o = q.results[q.next_result];
    if (o.under_way || q.answers.size() + 1 >= q.answers.capacity()) return false;
    const auto page = r_.regions.page_of(region, h.address);
    const bool adds = h.kind == transport_kind::fetch_add;
    o.used = o.under_way = true;
    o.queue = number_of(q);
    o.sequence = h.sequence;
    o.kind = pcie::operation_kind::atomic;
    o.form = adds ? pcie::atomic_form::fetch_add : pcie::atomic_form::compare_and_swap;
    core::store_le<std::uint64_t>(o.bytes.data(), adds ? h.operand : h.compare);
    core::store_le<std::uint64_t>(o.bytes.data() + atomic_bytes, h.operand);
    o.address = page->page + (h.address & ((1ull << page_bits(region.pages)) - 1));
    o.length = adds ? atomic_bytes : 2 * atomic_bytes;
    o.buffer = o.bytes.data();
    o.owner = this;
    answer a;
    a.kind = answer::kind_of::atomic;
    a.sequence = h.sequence;
    a.result = q.next_result;
    q.next_result = (q.next_result + 1) % static_cast<unsigned>(q.results.size());
    ++atomics_done_;
    add(q, a);
    r_.function.start(o);
    return true;
}

void response_engine::finished(pcie::operation& o) {
    static_cast<atomic&>(o).under_way = false;
    to_answer_.add(queues_[static_cast<atomic&>(o).queue].turn);
    advance();
}

// A request that has come before.
void response_engine::repeat(queue_pair& q, const transport_header& h) {
    switch (h.kind) {
    case transport_kind::read:
        if (const auto region = r_.regions.find(h.key, h.address, h.length, access::remote_read))
            add_read(q, h, *region);
        return;
    case transport_kind::fetch_add:
    case transport_kind::compare_swap:
        for (unsigned i = 0; i < q.results.size(); ++i) {
            const atomic& o = q.results[i];
            if (!o.used || o.sequence != h.sequence || o.under_way) continue;
            if (q.answers.size() + 1 >= q.answers.capacity()) return;
            answer a;
            a.kind = answer::kind_of::atomic;
            a.sequence = h.sequence;
            a.result = i;
            add(q, a);
        }
        return;
    default: break;
    }
    if (h.asks) acknowledge(q, q.expected - 1);
}

// ---- answers

void response_engine::add(queue_pair& q, const answer& a) {
    q.answers.try_push(a);
    to_answer_.add(q.turn);
}

// Of all packets up to that number. It replaces one before it, unless that is the next to leave: a stream of writes
// must not put off its acknowledgement for ever.
void response_engine::acknowledge(queue_pair& q, std::uint32_t sequence) {
    if (q.answers.size() > 1) {
        answer& last = q.answers[q.answers.size() - 1];
        if (last.kind == answer::kind_of::acknowledgement) {
            last.sequence = sequence;
            last.after = q.begun;
            return;
        }
    }
    answer a;
    a.sequence = sequence;
    a.after = q.begun;
    add(q, a);  // if there is no place, the requester will ask again
}

void response_engine::add_refusal(queue_pair& q, std::uint32_t sequence, refusal_reason why) {
    if (!q.answers.empty() && q.answers[q.answers.size() - 1].kind == answer::kind_of::refusal) return;
    if (q.answers.full()) return;  // it is repeated when the request is
    answer a;
    a.kind = answer::kind_of::refusal;
    a.sequence = sequence;
    a.reason = why;
    a.after = q.begun;
    add(q, a);
}

void response_engine::advance() {
    if (advancing_) {
        again_ = true;
        return;
    }
    advancing_ = true;
    do {
        again_ = false;
        launch();
        sender_.send();
    } while (again_ || sender_.made_room());
    advancing_ = false;
}

void response_engine::launch() {
    while (!to_answer_.empty()) {
        queue_pair& q = queues_[to_answer_.first()];
        switch (q.answers.empty() ? progress::stops : launch(q)) {
        case progress::waits: return;  // for what all wait for
        case progress::stops: to_answer_.take(); break;
        case progress::done:
            to_answer_.take();
            if (!q.answers.empty()) to_answer_.add(q.turn);
            break;
        }
    }
}

carried_packet& response_engine::begin(queue_pair& q, transport_kind kind, std::uint32_t sequence,
                                       std::uint32_t payload, bool ends) {
    transport_header h;
    h.kind = kind;
    h.node = r_.port.node();
    h.queue = number_of(q);
    h.target = q.setup.queue;
    h.sequence = sequence;
    h.first = h.last = ends;
    carried_packet& c = sender_.begin(number_of(q), static_cast<std::uint16_t>(q.setup.node), extra_bytes(h) + payload);
    c.packet.header = h;
    c.packet.payload.resize(payload);
    return c;
}

// A packet of the first answer.
response_engine::progress response_engine::launch(queue_pair& q) {
    answer& a = q.answers.front();
    const std::uint32_t n = number_of(q);
    switch (a.kind) {
    case answer::kind_of::acknowledgement:
    case answer::kind_of::refusal: {
        if (q.written < a.after) return progress::stops;
        if (!sender_.room()) return progress::waits;
        const bool good = a.kind == answer::kind_of::acknowledgement;
        begin(q, good ? transport_kind::acknowledgement : transport_kind::refusal, a.sequence, 0, true)
            .packet.header.reason = a.reason;
        ++(good ? acknowledgements_ : refusals_);
        break;
    }
    case answer::kind_of::atomic: {
        atomic& o = q.results[a.result];
        if (o.under_way) return progress::stops;
        if (o.failed()) {
            q.refused = refusal_reason::memory;
            q.expected = a.sequence;
            q.answers.clear();
            add_refusal(q, a.sequence, refusal_reason::memory);
            return progress::done;
        }
        if (!sender_.room()) return progress::waits;
        carried_packet& c = begin(q, transport_kind::atomic_answer, a.sequence, atomic_bytes, true);
        std::copy_n(o.bytes.begin(), atomic_bytes, c.packet.payload.begin());
        break;
    }
    case answer::kind_of::read: {
        carried_packet* p = sender_.filling(n);
        if (p == nullptr) {
            if (!sender_.room()) return progress::waits;
            const std::uint32_t size = std::min(mtu_, a.length - a.launched * mtu_);
            p = &begin(q, transport_kind::read_answer, a.sequence + a.launched, size,
                       a.launched == 0 || a.launched + 1 == a.packets);
        }
        const auto got = sender_.gather(n, a.region, a.address + std::uint64_t{a.launched} * mtu_);
        if (got == translator::answer::later) return progress::waits;
        if (got == translator::answer::absent) {
            p->packet.failed = true;
            sender_.complete(n);
        }
        if (++a.launched == a.packets) q.answers.pop();
        return progress::done;
    }
    }
    sender_.complete(n);
    q.answers.pop();
    return progress::done;
}

bool response_engine::leaves(std::uint32_t queue, carried_packet&) { return queues_[queue].open; }

// What was asked for cannot be read: the request is refused for good.
void response_engine::gather_failed(std::uint32_t queue, carried_packet& p) {
    queue_pair& q = queues_[queue];
    const std::uint32_t sequence = p.packet.header.sequence;
    sender_.drop(queue);
    q.answers.clear();
    q.refused = refusal_reason::memory;
    if (before(sequence, q.expected)) q.expected = sequence;
    add_refusal(q, sequence, refusal_reason::memory);
}

void response_engine::started(std::uint32_t queue, const carried_packet& p) {
    queue_pair& q = queues_[queue];
    if (p.packet.header.asks && q.open) acknowledge(q, p.packet.header.sequence);
    if (taking_) return;
    r_.port.resume(net::packet_class::request);
    advance();
}

void response_engine::written(std::uint32_t queue, const carried_packet&) {
    queue_pair& q = queues_[queue];
    ++q.written;
    if (!q.answers.empty()) to_answer_.add(q.turn);
    advance();
}

// ---- all of it

void response_engine::reset() {
    to_answer_.reset();
    again_ = false;
    for (queue_pair& q : queues_) {
        q.open = false;
        q.answers.clear();
        q.begun = q.written = 0;
        for (atomic& a : q.results) a.used = a.under_way = false;
    }
    sender_.reset();
    writer_.reset();
    gather_.reset();
    scatter_.reset();
}

void response_engine::check(observe::conservation& checks) const {
    checks.check(name_ + ": requests, and those accepted, repeated, too early, not allowed and unexpected", "packets",
                 requests_.value(),
                 accepted_.value() + duplicates_.value() + out_of_order_.value() + refused_requests_.value() +
                     unexpected_.value());
}

void response_engine::report_waits(std::vector<core::wait_edge>& edges) const {
    for (const queue_pair& q : queues_) {
        if (!q.open) continue;
        const std::string self = fmt::format("{}.queue[{}]", name_, number_of(q));
        if (!q.answers.empty() && q.written < q.answers.front().after)
            edges.push_back({self, "writes to leave", r_.function.link().name(), {}});
        for (const atomic& a : q.results)
            if (a.under_way) edges.push_back({self, "an AtomicOp", r_.function.link().name(), {}});
    }
    sender_.report_waits(edges);
    writer_.report_waits(edges);
    gather_.report_waits(edges);
    scatter_.report_waits(edges);
}

}  // namespace contraflow::nic
