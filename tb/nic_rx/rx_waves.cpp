// SPDX-License-Identifier: Apache-2.0
#include "nic_rx/rx_waves.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "nic/receive/receive_tables.h"

namespace contraflow::nic_rx {
namespace {

// Those of a cycle whose end is not clocked: nothing comes. A command that was not answered waits.
inputs nothing_comes(inputs in) {
    in.soft_reset = in.in_valid = in.in_last = in.in_null = in.ack_valid = in.entry_valid = false;
    in.consumed_valid = in.psel = in.penable = false;
    return in;
}

// Without the last of a word that is not there: it means nothing, and would be misread.
inputs as_shown(inputs in) {
    in.in_last = in.in_last && in.in_valid;
    return in;
}

}  // namespace

rx_waves::rx_waves(std::shared_ptr<const rx_recording> recorded, core::sim_time end)
    : recorded_(std::move(recorded)),
      end_(end),
      from_(*recorded_) {}

void rx_waves::attach(wave::wave_file& file) {
    std::string scopes = "rtl." + recorded_->name();
    std::ranges::replace(scopes, '.', ' ');
    block_ = make_nic_rx_block(recorded_->of(), file, scopes);
    from_ = rx_recording::reader(*recorded_);
    now_ = 0;
    high_ = false;
    read();
}

void rx_waves::detach() { block_.reset(); }

// The next edge that takes time. Those that take none are played.
void rx_waves::read() {
    driven_ = false;
    while ((more_ = from_.read()) && from_.edge().cycle == now_) {
        block_->drive(from_.edge().in);
        block_->edge();
        block_->drive(nothing_comes(from_.edge().in));
    }
}

void rx_waves::edge() {
    last_ = from_.edge().in;
    if (block_->out().command_ready) last_.command_valid = false;
    block_->edge();
    now_ = from_.edge().cycle;
    high_ = true;
}

void rx_waves::go_to(core::sim_time from) {
    while (next() < from) advance();
}

core::sim_time rx_waves::next() const {
    if (high_) return begin_of(now_) + half();
    if (!more_) return core::sim_time::never();
    return driven_ ? begin_of(from_.edge().cycle) : begin_of(from_.edge().cycle) - half();
}

void rx_waves::advance() {
    if (high_) {
        high_ = false;
        driven_ = more_ && from_.edge().cycle == now_ + 1;
        block_->drive(driven_ ? as_shown(from_.edge().in) : nothing_comes(last_));
        return;
    }
    if (!driven_) {
        block_->drive(as_shown(from_.edge().in));
        driven_ = true;
        return;
    }
    edge();
    read();
}

std::vector<observe::gtkw_group> rx_waves::groups(const wave::fst_contents& contents) const {
    using observe::radix;
    const std::string ports = "rtl." + recorded_->name(), inner = ports + ".cf_nic_rx.";
    const auto group = [&](const std::string& name, const std::string& scope, const std::vector<const char*>& signals,
                           radix shown_as = radix::decimal) {
        observe::gtkw_group g{name, {}, name != ports};
        wave::add_signals(g, contents, scope, signals, shown_as);
        return g;
    };
    struct view {
        radix shown_as;
        std::vector<const char*> signals;
    };
    const auto of_ports = [&](const std::string& name, const std::vector<view>& views) {
        observe::gtkw_group g = group(name, ports + ".", {});
        for (const view& v : views) wave::add_signals(g, contents, ports + ".", v.signals, v.shown_as);
        return g;
    };
    std::vector<observe::gtkw_group> all{
        of_ports(
            ports,
            {{radix::decimal,
              {"clk_i", "rst_ni", "resetting_o", "idle_o", "in_valid_i", "in_ready_o", "in_last_i", "in_null_i",
               "dma_valid_o", "dma_ready_i", "dma_last_o", "dma_kind_o", "dma_space_o", "dma_packet_o", "dma_tag_o"}},
             {radix::hexadecimal, {"in_data_i", "dma_address_o", "dma_token_o", "dma_data_o", "dma_strobe_o"}},
             {radix::decimal, {"ack_valid_i",     "ack_tag_i",        "table_valid_o",
                               "table_ready_i",   "entry_valid_i",    "message_valid_o",
                               "message_ready_i", "message_packet_o", "error_valid_o",
                               "error_ready_i",   "error_packet_o",   "error_reason_o",
                               "command_valid_i", "command_ready_o",  "command_opcode_i",
                               "psel_i",          "penable_i",        "pwrite_i",
                               "pready_o",        "pslverr_o",        "irq_o"}},
             {radix::hexadecimal, {"table_address_o", "entry_i", "paddr_i", "pwdata_i", "prdata_o"}}}),
        of_ports(
            ports + ": other ports",
            {{radix::decimal,
              {"soft_reset_i", "pause_i", "quiet_o", "calm_o", "by_core_i", "max_payload_i", "error_process_o",
               "error_tag_o", "errors_lost_o", "command_index_i", "command_answer_o", "consumed_valid_i",
               "consumed_ring_i", "consumed_count_i", "transmit_irq_i", "task_valid_o", "task_ready_i"}},
             {radix::hexadecimal,
              {"node_i", "error_source_o", "message_words_o", "command_data_i", "task_words_o", "table_segment_o"}}})};
    all.push_back(
        group(ports + ": search", inner + "u_lookup.u_search.",
              {"state_q", "in_valid_i", "out_valid_o", "group_q", "found_q", "base_q", "length_q", "writable_q"}));
    all.push_back(group(ports + ": translate", inner + "u_lookup.u_translate.",
                        {"state_q", "in_valid_i", "out_valid_o", "second_q", "stale_q"}));
    all.push_back(group(ports + ": walker", inner + "u_lookup.u_walker.", {"state_q", "level_q"}));
    all.push_back(group(ports + ": write", inner + "u_output.u_writer.",
                        {"in_valid_i", "begun_q", "inside_q", "in_flight_q", "words_left_q"}));
    observe::gtkw_group windows = group(ports + ": windows", inner + "u_output.u_writer.u_windows.", {"match_o"});
    wave::add_signals(windows, contents, inner + "u_output.u_writer.u_windows.", {"page"}, radix::hexadecimal);
    for (unsigned gpu = 0; gpu < nic::most_gpus; ++gpu)
        wave::add_signals(windows, contents, fmt::format("{}u_output.u_writer.u_windows.gen_gpu[{}].", inner, gpu),
                          {"page_q"}, radix::hexadecimal);
    all.push_back(std::move(windows));
    return all;
}

}  // namespace contraflow::nic_rx
