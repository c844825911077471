// SPDX-License-Identifier: Apache-2.0
// A Verilated cf_nic_rx of any build behind nic_rx_block. Include it only where it is instantiated, because Verilator's
// headers conflict with <systemc>.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include <verilated.h>

#include "nic_rx/nic_rx_block.h"
#include "wave/verilated_waves.h"

namespace contraflow::nic_rx {

template <class Wide> void copy_in(Wide& to, const void* from, std::size_t bytes) { std::memcpy(&to[0], from, bytes); }
template <class Wide> void copy_out(void* to, const Wide& from, std::size_t bytes) { std::memcpy(to, &from[0], bytes); }

// Of a class whose top is `nic_rx_ticked`: what its evaluation does with inputs that have changed (load), and with an
// edge and such inputs (edge). Groups of inputs are bits: 1 words, 2 writes, 4 those that seldom change. calm: a number
// of edges at once, see plain_edges.h.
template <class Rtl> class edges_of {
public:
    explicit edges_of(Rtl& rtl) : rtl_(rtl) {}

    void load(unsigned groups) {
        rtl_.set_words_i ^= groups & 1;
        rtl_.set_writes_i ^= groups >> 1 & 1;
        rtl_.set_seldom_i ^= groups >> 2 & 1;
        rtl_.eval();
    }
    void edge(unsigned groups) {
        rtl_.tick_i ^= 1;
        load(groups);
    }
    static unsigned calm(unsigned, const std::uint8_t*, std::uint8_t*&) { return 0; }

private:
    Rtl& rtl_;
};

// Of the block itself, clocked by `clk_i`, or of `nic_rx_ticked`, for which inputs that seldom change are set apart.
template <class Rtl, class Context = wave::block_context>
class verilated_block : protected Context, public nic_rx_block {
public:
    verilated_block() : rtl_(this->context(), "nic_rx") { begin(true); }
    // All its signals are shown in a file under that name, and assertions are off: the block plays again what has
    // happened.
    verilated_block(wave::wave_file& file, const std::string& name)
        : Context(&file),
          rtl_(this->context(), name.c_str()) {
        rtl_.trace(&wave::trace_of(file), 99);
        begin(false);
    }
    ~verilated_block() override {
        this->enter();
        rtl_.final();
    }

    void drive(const inputs& in) override {
        apply(in);
        show();
    }
    void edge() override {
        this->context()->timeInc(1);
        if constexpr (is_ticked)
            rtl_.tick_i = rtl_.tick_i == 0;
        else
            rtl_.clk_i = 1;
        rtl_.eval();
    }
    void clock(const inputs& in, const inputs& expected) override {
        apply(in);
        if constexpr (is_ticked)
            edges_.edge(set(expected));
        else
            edge();
        show();
    }
    unsigned stream(unsigned cycles, inputs& in, std::span<const std::uint8_t> words,
                    std::vector<std::uint8_t>& bytes) override {
        apply(in);
        // Verilator's class has references to its ports: what is not said to be the same is loaded anew after each
        // edge.
        const auto &in_ready = rtl_.in_ready_o, &table_valid = rtl_.table_valid_o, &error_valid = rtl_.error_valid_o,
                   &message_valid = rtl_.message_valid_o, &dma_valid = rtl_.dma_valid_o, &dma_last = rtl_.dma_last_o;
        const bool has_word = in.in_valid, takes_beats = in.dma_ready, takes_messages = in.message_ready;
        std::size_t end = bytes.size();
        const auto make_room = [&](unsigned more) {
            bytes.resize(end + std::size_t{std::min(more, most_beats)} * word_bytes);
        };
        if (dma_valid && takes_beats) make_room(cycles);
        const std::uint8_t* word = words.data();
        const std::uint8_t* const behind = word + words.size();
        unsigned edges = 0;
        for (bool event = false; edges < cycles && !event; ++edges) {
            if constexpr (is_ticked) {
                const bool beats = dma_valid && takes_beats;
                std::size_t most = cycles - edges;
                if (beats) most = std::min(most, (bytes.size() - end) / word_bytes);
                if (has_word) most = std::min(most, std::max<std::size_t>((behind - word) / word_bytes, 1) - 1);
                std::uint8_t* to = beats ? bytes.data() + end : nullptr;
                const unsigned calm = edges_.calm(static_cast<unsigned>(most), has_word ? word : nullptr, to);
                edges += calm;
                (has_word ? beats ? calm_.both : calm_.words : calm_.beats) += calm;
                if (has_word) word += std::size_t{calm} * word_bytes;
                if (beats) end = static_cast<std::size_t>(to - bytes.data());
                if (edges == cycles || (calm != 0 && beats && dma_last)) break;
            }
            if (!is_ticked && edges != 0) {
                take_word(in, word, behind);
                apply(in);
            }
            if (has_word) {
                if (word == behind || !in_ready) break;
                word += word_bytes;
            }
            if constexpr (is_ticked)
                edges_.edge(has_word ? show_word(word, behind) : 0);
            else
                edge();
            event = table_valid || error_valid || (message_valid && takes_messages);
            if (!dma_valid || !takes_beats) continue;
            if (bytes.size() - end < word_bytes) make_room(cycles - edges);
            end += add_beat(bytes.data() + end, &rtl_.dma_data_o[0], rtl_.dma_strobe_o);
            event = event || dma_last;
        }
        bytes.resize(end);
        if (has_word && edges != 0) {
            take_word(in, word, behind);
            if (is_ticked) words_ = in;
        }
        show();
        return edges;
    }
    void flip(const stored_bit& at) override { nic_rx::flip(*this->context(), at); }

private:
    static constexpr bool is_ticked = requires(Rtl & r) { r.tick_i; };
    enum group : unsigned { of_words = 1, of_writes = 2, of_seldom = 4, of_reset = 8 };

    void begin(bool assertions) {
        this->context()->assertOn(assertions);
        rtl_.rst_ni = 1;
        if constexpr (is_ticked)
            rtl_.tick_i = rtl_.set_words_i = rtl_.set_writes_i = rtl_.set_seldom_i = 0;
        else
            rtl_.clk_i = 0;
        rtl_.eval();
        set_words({});
        set_writes({});
        set_seldom({});
        if constexpr (is_ticked)
            edges_.load(of_words | of_writes | of_seldom);
        else
            rtl_.eval();
    }

    // The cycle has these inputs.
    void apply(const inputs& in) {
        const unsigned changed = set(in);
        if constexpr (is_ticked) {
            if ((changed & of_reset) != 0) rtl_.eval();
            if ((changed & ~of_reset) != 0) edges_.load(changed & ~of_reset);
        } else {
            rtl_.clk_i = 0;
            rtl_.eval();
        }
    }

    // The groups that change.
    unsigned set(const inputs& in) {
        unsigned changed = 0;
        if (rtl_.rst_ni != in.rst_n) changed = of_reset;
        rtl_.rst_ni = in.rst_n;
        const word_inputs& words = in;
        const write_inputs& writes = in;
        const seldom_inputs& seldom = in;
        if (words_ != words) changed |= set_words(words);
        if (writes_ != writes) changed |= set_writes(writes);
        if (seldom_ != seldom) changed |= set_seldom(seldom);
        return changed;
    }
    unsigned set_words(const word_inputs& in) {
        words_ = in;
        Rtl& r = rtl_;
        r.in_valid_i = in.in_valid;
        r.in_last_i = in.in_last;
        r.in_null_i = in.in_null;
        copy_in(r.in_data_i, in.in_data.data(), in.in_data.size());
        return of_words;
    }
    // The word before `word`: into the inputs, or to the block alone.
    static void take_word(word_inputs& in, const std::uint8_t* word, const std::uint8_t* behind) {
        if (!in.in_valid) return;
        std::memcpy(in.in_data.data(), word - word_bytes, word_bytes);
        in.in_last = word == behind;
    }
    unsigned show_word(const std::uint8_t* word, const std::uint8_t* behind) {
        std::memcpy(&rtl_.in_data_i[0], word - word_bytes, word_bytes);
        rtl_.in_last_i = word == behind;
        return of_words;
    }
    unsigned set_writes(const write_inputs& in) {
        writes_ = in;
        Rtl& r = rtl_;
        r.dma_ready_i = in.dma_ready;
        r.ack_valid_i = in.ack_valid;
        r.ack_tag_i = in.ack_tag;
        return of_writes;
    }
    unsigned set_seldom(const seldom_inputs& in) {
        seldom_ = in;
        Rtl& r = rtl_;
        r.node_i = in.node;
        r.max_payload_i = in.max_payload;
        r.by_core_i = in.by_core;
        r.soft_reset_i = in.soft_reset;
        r.pause_i = in.pause;
        r.table_ready_i = in.table_ready;
        r.entry_valid_i = in.entry_valid;
        r.entry_i = in.entry;
        r.message_ready_i = in.message_ready;
        r.error_ready_i = in.error_ready;
        r.task_ready_i = in.task_ready;
        r.command_valid_i = in.command_valid;
        r.command_opcode_i = in.command_opcode;
        r.command_index_i = in.command_index;
        copy_in(r.command_data_i, in.command_data.data(), sizeof in.command_data);
        r.consumed_valid_i = in.consumed_valid;
        r.consumed_ring_i = in.consumed_ring;
        r.consumed_count_i = in.consumed_count;
        r.psel_i = in.psel;
        r.penable_i = in.penable;
        r.pwrite_i = in.pwrite;
        r.paddr_i = in.paddr;
        r.pwdata_i = in.pwdata;
        r.transmit_irq_i = in.transmit_irq;
        return of_seldom;
    }

    void show() {
        const Rtl& r = rtl_;
        out_.resetting = r.resetting_o;
        out_.idle = r.idle_o;
        out_.quiet = r.quiet_o;
        out_.calm = r.calm_o;
        out_.in_ready = r.in_ready_o;
        out_.dma_valid = r.dma_valid_o;
        if (out_.dma_valid) {
            out_.dma_last = r.dma_last_o;
            out_.dma_kind = r.dma_kind_o;
            out_.dma_space = r.dma_space_o;
            out_.dma_address = r.dma_address_o;
            out_.dma_token = r.dma_token_o;
            out_.dma_packet = r.dma_packet_o;
            out_.dma_strobe = r.dma_strobe_o;
            out_.dma_tag = r.dma_tag_o;
            copy_out(out_.dma_data.data(), r.dma_data_o, out_.dma_data.size());
        }
        out_.table_valid = r.table_valid_o;
        out_.table_address = r.table_address_o;
        out_.message_valid = r.message_valid_o;
        if (out_.message_valid) {
            out_.message_packet = r.message_packet_o;
            copy_out(out_.message_words.data(), r.message_words_o, sizeof out_.message_words);
        }
        out_.error_valid = r.error_valid_o;
        if (out_.error_valid) {
            out_.error_packet = r.error_packet_o;
            out_.error_process = r.error_process_o;
            out_.error_tag = r.error_tag_o;
            out_.error_source = r.error_source_o;
            out_.error_reason = r.error_reason_o;
        }
        out_.errors_lost = r.errors_lost_o;
        out_.command_ready = r.command_ready_o;
        out_.command_answer = r.command_answer_o;
        out_.prdata = r.prdata_o;
        out_.pready = r.pready_o;
        out_.pslverr = r.pslverr_o;
        out_.irq = r.irq_o;
        out_.task_valid = r.task_valid_o;
        if (out_.task_valid) copy_out(out_.task_words.data(), r.task_words_o, sizeof out_.task_words);
        out_.table_segment = r.table_segment_o;
    }

protected:
    Rtl rtl_;

private:
    [[no_unique_address]] edges_of<Rtl> edges_{rtl_};
    word_inputs words_;
    write_inputs writes_;
    seldom_inputs seldom_;
};

}  // namespace contraflow::nic_rx
