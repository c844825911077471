// SPDX-License-Identifier: Apache-2.0
// The queues of an RDMA engine, and what can be asked of it.
#include <fmt/format.h>

#include "gpu/rdma/rdma_engine.h"

namespace contraflow::gpu {

void rdma_spec::describe(config::fields<rdma_spec>& f) {
    f("queue", &rdma_spec::queue)
        .in(0, 4096)
        .unit("requests")
        .text("that each queue of a port takes, requests or responses; 0: none, what the network has no room for waits "
              "at the crossbar");
    f("latency", &rdma_spec::latency)
        .in(core::cycles{0}, core::cycles{100000})
        .text("of each of the four ways through the engine, with queues; one a cycle and port");
}

rdma_engine::queue_statistics::queue_statistics(observe::statistics& group, const std::string& path)
    : held{observe::gauge(group, path + ".requests_out", "requests", "of this GPU, on their way to the network"),
           observe::gauge(group, path + ".requests_in", "requests", "of other GPUs, on their way to memory"),
           observe::gauge(group, path + ".responses_out", "responses", "to other GPUs, on their way to the network"),
           observe::gauge(group, path + ".responses_in", "responses", "to this GPU, on their way to who asked")} {}

void rdma_engine::enter(flow f, unsigned port, memory::memory_extension& what) {
    const auto i = static_cast<std::size_t>(f);
    queue_statistics_->held[i].set(events_.now(), static_cast<double>(++held_[i]));
    if (f == flow::request_out)
        what.times.pass(to_l1_[port]->name(), events_.now());
    else if (f == flow::response_out)
        what.times.pass(to_l2_[port]->name(), events_.now());
    queue(f, port).push(what, latency_, spec_.cycle);
}

void rdma_engine::leave(rdma_queue& q) {
    const auto i = static_cast<std::size_t>(q.way);
    queue_statistics_->held[i].set(events_.now(), static_cast<double>(--held_[i]));
    q.pop();
}

void rdma_engine::first_is_ready(rdma_queue& q) {
    const bool out = q.way == flow::request_out || q.way == flow::response_out;
    return out ? send_out(q) : bring_in(q);
}

void rdma_engine::send_out(rdma_queue& q) {
    const bool request = q.way == flow::request_out;
    while (memory::memory_extension* const first = q.first()) {
        if (request && !intake_.serving) return;
        const net::packet_class kind = request ? net::packet_class::request : net::packet_class::response;
        if (!outside_.can_inject(kind, request ? home_of(*first) : first->last_route())) return;
        leave(q);
        // What leaves may let others leave at once: the place is taken before.
        refill(q);
        request ? send_request(q.port, *first) : send_response(q.port, *first);
    }
}

void rdma_engine::refill(rdma_queue& q) {
    if (full(q.way, q.port)) return;
    if (q.way == flow::response_out) {
        if (memory::memory_extension* const held = to_l2_[q.port]->take_response()) enter(q.way, q.port, *held);
    } else if (to_l1_[q.port]->held() != nullptr && intake_.taking) {
        enter(q.way, q.port, to_l1_[q.port]->take_request());
    }
}

void rdma_engine::bring_in(rdma_queue& q) {
    const bool request = q.way == flow::request_in;
    while (memory::memory_extension* const first = q.first()) {
        if (request ? !intake_.serving || !to_l2_[q.port]->ready() : !to_l1_[q.port]->ready()) return;
        const bool was_full = full(q.way, q.port);
        leave(q);
        request ? serve(q.port, *first) : answer(q.port, *first);
        if (was_full) outside_.offer_again(request ? net::packet_class::request : net::packet_class::response);
    }
}

void rdma_engine::response_port_ready(unsigned port) {
    if (queued()) return bring_in(queue(flow::response_in, port));
    outside_.offer_again(net::packet_class::response);
}

void rdma_engine::request_port_ready(unsigned port) {
    if (queued()) return bring_in(queue(flow::request_in, port));
    outside_.offer_again(net::packet_class::request);
}

// ---- questions and control

bool rdma_engine::at_rest() const { return sent_ == answered_ && taken_ == returned_ && held_ == decltype(held_){}; }

bool rdma_engine::control(core::control_verb verb) {
    if (verb == core::control_verb::reset) {
        reset();
        return true;
    }
    if (!intake_.control(verb)) return false;
    if (verb != core::control_verb::enable) return true;
    for (unsigned i = 0; queued() && i < ports(); ++i) {
        refill(queue(flow::request_out, i));
        bring_in(queue(flow::request_in, i));
    }
    inject_held(net::packet_class::request);
    outside_.offer_again(net::packet_class::request);
    return true;
}

void rdma_engine::reset() {
    for (const auto& p : to_l1_) p->reset();
    for (const auto& p : to_l2_) p->reset();
    for (rdma_queue& q : queues_) q.reset();
    held_ = {};
    if (queue_statistics_)
        for (auto& level : queue_statistics_->held) level.set(events_.now(), 0);
    held_responses_.assign(held_responses_.size(), nullptr);
    intake_ = {};
    next_ = 0;
    sent_ = answered_ = taken_ = returned_ = 0;
    ++epoch_;
}

void rdma_engine::report_waits(std::vector<core::wait_edge>& edges) const {
    if (sent_ != answered_)
        edges.push_back(
            {name(), fmt::format("answers to {} requests", sent_ - answered_), outside_.name(), answered_last_});
    for (const auto& p : to_l2_)
        if (!p->ready()) edges.push_back({name(), "acceptance of a request", p->peer_name(), p->sending_since()});
    for (const auto& p : to_l1_) {
        if (!p->ready()) edges.push_back({name(), "acceptance of a response", p->peer_name(), p->responding_since()});
        if (p->held() != nullptr)
            edges.push_back({name(), "room in the queue of a link", outside_.name(), p->held_since()});
    }
    for (const rdma_queue& q : queues_)
        if ((q.way == flow::request_out || q.way == flow::response_out) && q.first() != nullptr)
            edges.push_back({name(), "room in the queue of a link", outside_.name(), q.first_since()});
}

void rdma_engine::check(observe::conservation& checks) const {
    checks.check(fmt::format("{}: requests to other sockets and answers", name()), "requests", sent_, answered_);
    checks.check(fmt::format("{}: requests of other sockets and answers", name()), "requests", taken_, returned_);
}

}  // namespace contraflow::gpu
