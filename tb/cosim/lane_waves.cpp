// SPDX-License-Identifier: Apache-2.0
#include "cosim/lane_waves.h"

#include <utility>

#include <fmt/format.h>

namespace contraflow::cosim {

using link::both_directions;
using observe::gtkw_group;
using observe::radix;

void lane_waves::queues::pass(const link::by_direction<std::uint64_t>& issued) {
    while (row_ < trace_.size() && row_passed_ == trace_[row_].cycles) {
        ++row_;
        row_passed_ = 0;
    }
    for (const auto d : both_directions) {
        if (row_ < trace_.size()) phits_[d] += trace_[row_].arrivals[d];
        phits_[d] -= issued[d];
    }
    ++row_passed_;
}

lane_waves::lane_waves(std::string link, const link::lane_spec& s, player_factory player, core::sim_time cycle,
                       core::sim_time end, const std::vector<link::trace_row>* trace)
    : link_(std::move(link)),
      spec_(s),
      make_player_(std::move(player)),
      cycle_(cycle),
      end_(end),
      trace_(trace) {}

void lane_waves::attach(wave::wave_file& file) {
    file_ = &file;
    both_.emplace(link_, spec_, &file);
    both_->set_tolerant(true);
    player_ = make_player_(*both_);
    const auto add = [&](const std::string& name, unsigned bits) {
        return file.add(fmt::format("{}.model.{}", link_, name), bits);
    };
    for (const auto d : both_directions) {
        model_.lanes[d] = add(fmt::format("lanes_{}", name(d)), 6);
        model_.busy[d] = add(fmt::format("busy_{}", name(d)), 32);
        model_.capacity[d] = add(fmt::format("capacity_{}", name(d)), 32);
    }
    model_.turning = add("turning", 6);
    model_.failed = add("failed", 6);
    model_.pending = add("pending", 2);
    model_.window_end = add("window_end", 1);
    model_.decision = add("decision", 2);
    model_.differs = add("differs", 1);
    if (trace_ == nullptr) return;
    queues_.emplace(*trace_);
    for (const auto d : both_directions) model_.queue[d] = add(fmt::format("queue_{}", name(d)), 32);
}

void lane_waves::detach() {
    player_.reset();
    both_.reset();
}

void lane_waves::go_to(core::sim_time from) {
    for (const std::uint64_t cycle = (from.ps + cycle_.ps - 1) / cycle_.ps; player_->next() < cycle;) {
        player_->prepare();
        player_->begin();
        issue();
    }
    player_->prepare();
    show_model();
}

void lane_waves::issue() {
    player_->issue();
    if (queues_) queues_->pass(player_->issued());
}

core::sim_time lane_waves::next() const {
    return high_ ? cycle_ * (player_->next() - 1) + core::sim_time{cycle_.ps / 2} : cycle_ * player_->next();
}

void lane_waves::advance() {
    if (high_) {
        issue();
        player_->prepare();
    } else {
        player_->begin();
    }
    high_ = !high_;
    show_model();
}

void lane_waves::show_model() {
    const outputs& v = both_->model_view();
    file_->set(model_.lanes.ab, v.lanes_ab);
    file_->set(model_.lanes.ba, v.lanes_ba);
    file_->set(model_.busy.ab, v.busy_ab);
    file_->set(model_.busy.ba, v.busy_ba);
    file_->set(model_.capacity.ab, v.capacity_ab);
    file_->set(model_.capacity.ba, v.capacity_ba);
    file_->set(model_.turning, v.turning);
    file_->set(model_.failed, v.failed);
    file_->set(model_.pending, v.pending);
    file_->set(model_.window_end, v.window_end ? 1 : 0);
    file_->set(model_.decision, v.decision);
    // Of the last cycle whose phits are known: a cycle is compared when they are.
    file_->set(model_.differs, both_->differs() ? 1 : 0);
    if (queues_)
        for (const auto d : both_directions) file_->set(model_.queue[d], queues_->phits()[d]);
}

std::vector<gtkw_group> lane_waves::groups(const wave::fst_contents& contents) const {
    const auto fill = [&](gtkw_group g, const std::string& scope, const std::vector<const char*>& names,
                          radix shown_as) {
        wave::add_signals(g, contents, scope, names, shown_as);
        return g;
    };
    const std::string model = link_ + ".model.", ports = "rtl." + link_ + '.', inner = ports + "cf_lane_reversal.";
    std::vector<gtkw_group> all;
    gtkw_group rtl =
        fill({ports.substr(0, ports.size() - 1), {}}, ports, {"clk_i", "launch_i", "lane_fault_i"}, radix::binary);
    // What both have side by side: the RTL's output above the model's, after whether any of them differs.
    rtl = fill(std::move(rtl), model, {"differs"}, radix::binary);
    for (const std::string both : {"lanes_ab", "lanes_ba", "turning", "failed", "window_end", "decision", "pending",
                                   "busy_ab", "capacity_ab", "busy_ba", "capacity_ba"}) {
        rtl = fill(std::move(rtl), ports, {(both + "_o").c_str()}, radix::decimal);
        rtl = fill(std::move(rtl), model, {both.c_str()}, radix::decimal);
    }
    rtl = fill(std::move(rtl), ports, {"a_valid_i", "a_serve_o", "a_drive_o", "b_valid_i", "b_serve_o", "b_drive_o"},
               radix::binary);
    rtl = fill(std::move(rtl), inner, {"u_core.u_decision.state_q", "u_monitor.cycle_q"}, radix::decimal);
    all.push_back(std::move(rtl));
    if (queues_)
        all.push_back(fill({model.substr(0, model.size() - 1), {}}, model, {"queue_ab", "queue_ba"}, radix::decimal));
    for (unsigned i = 0;; ++i) {
        const std::string lane = fmt::format("{}u_core.gen_lane[{}].u_turn.", inner, i);
        if (contents.find(lane + "state_q") == nullptr) break;
        all.push_back(fill({fmt::format("rtl.{}: lane {}", link_, i), {}, true}, lane,
                           {"state_q", "to_ba_q", "timer_q"}, radix::decimal));
    }
    return all;
}

}  // namespace contraflow::cosim
