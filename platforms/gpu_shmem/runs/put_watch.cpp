// SPDX-License-Identifier: Apache-2.0
#include "gpu_shmem/runs/put_watch.h"

#include <algorithm>
#include <utility>

namespace contraflow::gpu_shmem {

using core::sim_time;
using shmem::moment;

std::uint64_t changes_of(gpu::pcie_gpu& g) {
    const gpu::request_profile& p = g.system().profile();
    std::uint64_t sum = 0;
    for (const bool remote : {false, true})
        sum += p.count(gpu::access_kind::store, remote) + p.count(gpu::access_kind::atomic, remote);
    return sum;
}

put_watch::put_watch(host::queue_pair_cluster& cluster, shmem::job& job, bool by_host, observe::trace* trace)
    : cluster_(cluster),
      job_(job),
      by_host_(by_host),
      trace_(trace),
      target_port_(pcie::port_id{cluster.node(1).nic_in_tree(), true}.index()) {
    job[0].set_observer(this);
    cluster.node(0).nic().set_observer(this);
    cluster.node(1).tree().add_observer(*this);
}

void put_watch::reached(moment m, unsigned context, unsigned to) {
    if (context != 0 || to != 1) return;
    const std::uint64_t changes = changes_of(cluster_.node(0).gpu());
    if (m == (by_host_ ? moment::taken : moment::called)) open_.emplace(record{}).changes_before = changes;
    if (!open_) return;  // a fence
    const sim_time now = job_[0].now();
    open_->software[static_cast<std::size_t>(m)] = now;
    if (m == moment::stored) open_->entry_stores = changes - open_->changes_before;
    if (m != moment::seen) return;
    puts_.push_back(*std::exchange(open_, std::nullopt));
    if (trace_ != nullptr)
        if (const auto at = bounds(puts_.back(), by_host_, seen_before_, now))
            for (std::size_t i = 0; i < put_parts; ++i)
                if ((*at)[i] != (*at)[i + 1])
                    trace_->slice(trace_->track("node0.put", std::string(part_texts[i].who)), part_texts[i].name,
                                  (*at)[i], (*at)[i + 1]);
    seen_before_ = now;
}

void put_watch::message_ended(const nic::message_end& m) {
    if (open_ && m.opcode == static_cast<std::uint8_t>(nic::work_opcode::write)) open_->nic = m.at;
}

void put_watch::tlp_sent(unsigned id, const pcie::tlp& p, sim_time begin, sim_time end, bool, bool) {
    if (!open_ || id != target_port_ || p.kind != pcie::tlp_kind::memory_write) return;
    if (!open_->write_begin) open_->write_begin = begin;
    open_->write_end = end;
}

// What is not known, or does not happen in this scheme, takes no time.
std::optional<put_watch::times> put_watch::bounds(const record& r, bool by_host, sim_time begin, sim_time end) {
    if (!r.nic || !r.write_begin) return std::nullopt;
    times t{begin};
    const auto set = [&t](put_part p, std::optional<sim_time> until) {
        const auto i = static_cast<std::size_t>(p);
        t[i + 1] = std::max(t[i], until.value_or(t[i]));
    };
    set(put_part::before, r.at(by_host ? moment::taken : moment::called));
    set(put_part::entry, r.at(by_host ? moment::posted : moment::stored));
    set(put_part::hand_over, by_host ? std::nullopt : r.at(moment::posted));
    set(put_part::invalidate, r.at(moment::invalidated));
    set(put_part::doorbell, r.nic->rung);
    set(put_part::fetch, r.nic->fetched);
    set(put_part::processing, r.nic->processed);
    set(put_part::data, r.nic->sent);
    set(put_part::network, r.write_begin);
    set(put_part::write, r.write_end);
    set(put_part::answer, r.nic->answered);
    set(put_part::completion, r.nic->completed);
    set(put_part::hand_back, r.at(moment::answered));
    set(put_part::poll, end);
    return t;
}

std::optional<put_life> put_watch::life(const std::vector<sim_time>& ends) const {
    if (ends.size() < 2 || puts_.size() != ends.size()) return std::nullopt;
    put_life l;
    for (std::size_t n = 1; n < ends.size(); ++n) {
        const auto t = bounds(puts_[n], by_host_, ends[n - 1], ends[n]);
        if (!t) return std::nullopt;
        for (std::size_t i = 0; i < put_parts; ++i) l.us[i] += static_cast<double>(((*t)[i + 1] - (*t)[i]).ps) * 1e-6;
        l.entry_stores = n == 1 ? puts_[n].entry_stores : std::min(l.entry_stores, puts_[n].entry_stores);
    }
    const auto count = static_cast<double>(ends.size() - 1);
    for (double& part : l.us) part /= count;
    return l;
}

}  // namespace contraflow::gpu_shmem
