// SPDX-License-Identifier: Apache-2.0
#include "pcie/dma/fabric.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace contraflow::pcie {
namespace {

std::uint32_t pool_payload(const fabric_spec& s) {
    return static_cast<std::uint32_t>(std::max(s.max_payload, s.read_completion_boundary).count);
}

}  // namespace

fabric::fabric(core::simulation& simulation, const topology& tree, const fabric_spec& s, std::vector<stream> streams)
    : tree_(tree),
      spec_(s),
      pool_(pool_payload(s)),
      events_(simulation.events()),
      endpoint_nodes_(tree.endpoints()),
      endpoint_number_(tree.size(), no_node),
      streams_(std::move(streams)),
      memories_(tree.size()),
      endpoints_(tree.size()) {
    for (std::uint32_t i = 0; i < endpoint_nodes_.size(); ++i) endpoint_number_[endpoint_nodes_[i]] = i;
    for (std::uint32_t i = 0; i < streams_.size(); ++i) {
        stream& s_i = streams_[i];
        s_i.from = endpoint_number_[s_i.from];
        s_i.to = endpoint_number_[s_i.to];
        s_i.key = (i + 1) * 0xd1342543de82ef95u;
    }
    place_memories();
    links_ = std::make_unique<link_tree>(
        port::resources{events_, statistics_}, pool_, *map_, spec_,
        [this](node_id id, std::uint32_t, const std::string& name, const port::spec& link) -> device_if& {
            return build_endpoint(id, name, link);
        });

    std::vector<std::uint32_t> order(streams_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return streams_[a].start < streams_[b].start; });
    for (const auto i : order) {
        starts_.push_back(streams_[i].start);
        const auto engine = spec_.transfers == transfer_mode::push ? streams_[i].from : streams_[i].to;
        endpoints_[endpoint_nodes_[engine]]->add(i);
    }
    for (const auto& e : endpoints_)
        if (e) events_.at<&endpoint::begin>({}, e.get());
}

void fabric::place_memories() {
    std::vector<function_spec> functions(tree_.size());
    for (const node_id id : endpoint_nodes_) memories_[id] = std::make_unique<stream_memory>(streams_);
    for (std::uint32_t i = 0; i < streams_.size(); ++i) {
        memories_[endpoint_nodes_[streams_[i].from]]->add(i, false);
        memories_[endpoint_nodes_[streams_[i].to]]->add(i, true);
    }
    for (const node_id id : endpoint_nodes_)
        functions[id].bars = {{{memories_[id]->size()}, true, "memory"},
                              {{endpoint::interrupt_window_bytes}, true, "interrupts"}};
    map_ = std::make_unique<address_map>(tree_, std::move(functions));
    for (const node_id id : endpoint_nodes_) memories_[id]->place(map_->at(id).bars[endpoint::memory_bar].base);
    for (std::uint32_t i = 0; i < streams_.size(); ++i) {
        const auto other = spec_.transfers == transfer_mode::push ? streams_[i].to : streams_[i].from;
        streams_[i].interrupt = map_->at(endpoint_nodes_[other]).bars[endpoint::interrupt_bar].base;
    }
}

endpoint& fabric::build_endpoint(node_id id, const std::string& name, const port::spec& link) {
    endpoint::spec s;
    s.mode = spec_.transfers;
    s.device.link = link;
    s.device.requests.max_payload = static_cast<std::uint32_t>(spec_.max_payload.count);
    s.device.requests.max_read_request = static_cast<std::uint32_t>(spec_.max_read_request.count);
    s.device.requests.tags = spec_.tags;
    s.device.requests.completion_timeout = spec_.completion_timeout;
    s.device.answers.read_completion_boundary = static_cast<std::uint32_t>(spec_.read_completion_boundary.count);
    s.device.latency = spec_.endpoint_latency;
    endpoints_[id] = std::make_unique<endpoint>(name.c_str(), port::resources{events_, statistics_}, pool_, s,
                                                map_->at(id), streams_, *memories_[id]);
    return *endpoints_[id];
}

bool fabric::control(core::control_verb verb) {
    const bool done = links_->control(verb);
    if (verb == core::control_verb::reset) streams_.abandon();
    return done;
}

std::uint64_t fabric::largest_payload(tlp_kind kind) const {
    switch (kind) {
    case tlp_kind::memory_write:
    case tlp_kind::deferrable_write:
    case tlp_kind::atomic: break;
    case tlp_kind::memory_read: return spec_.max_read_request.count;
    case tlp_kind::completion: return spec_.read_completion_boundary.count;
    }
    return spec_.max_payload.count;
}

std::uint64_t fabric::streams_left() const {
    std::uint64_t left = streams_.size();
    for (const auto& e : endpoints_)
        if (e) left -= e->finished_streams();
    return left;
}

std::uint64_t fabric::streams_outstanding() const {
    const auto begun = std::upper_bound(starts_.begin(), starts_.end(), events_.now()) - starts_.begin();
    return streams_left() - (streams_.size() - static_cast<std::uint64_t>(begun));
}

std::uint64_t fabric::bytes_delivered() const {
    std::uint64_t sum = 0;
    for (const auto& e : endpoints_)
        if (e) sum += e->delivered_bytes();
    return sum;
}

double fabric::utilisation(port_id id, core::sim_time end) const {
    return end.ps == 0 ? 0 : static_cast<double>(sender(id).line().busy().ps) / static_cast<double>(end.ps);
}

std::string fabric::fault() const {
    for (const auto& e : endpoints_)
        if (e && !e->fault().empty()) return e->fault();
    return {};
}

void fabric::check(observe::conservation& checks) const {
    for (const auto& s : streams_.all()) {
        checks.check(s.name + ": bytes sent and delivered", "bytes", s.size.count, s.delivered);
        checks.check(s.name + ": bytes changed, doubled or out of order", "bytes", 0, s.wrong);
    }
    std::uint64_t unfinished = 0;
    for (const auto& m : memories_)
        if (m) unfinished += m->wrong_in_open_pages();
    checks.check("bytes changed, in pages that are not complete", "bytes", 0, unfinished);
    links_->check(checks);
    std::uint64_t unexpected = links_->unclaimed(), ended = 0, announced = 0;
    for (const auto& e : endpoints_) {
        if (!e) continue;
        unexpected += e->unexpected_tlps();
        ended += e->finished_streams();
        announced += e->interrupts();
    }
    checks.check("communications that ended, and interrupts that announced it", "interrupts", ended, announced);
    checks.check("unexpected TLPs", "TLPs", 0, unexpected);
}

}  // namespace contraflow::pcie
