// SPDX-License-Identifier: Apache-2.0
// Connects a receive datapath to PCIe. Its writes leave as posted writes, in order; moves of a GPU's window as writes
// to that GPU's register; completions are written into rings in host memory. A write is acknowledged when its last TLP
// has left: nothing on the same way passes it after that. The ways to a GPU and to the host differ, so a completion
// waits until all data for GPUs before it is in their memories. The NIC knows this when a read of a GPU's register has
// come back, for reads pass no posted write. That register counts the writes which the GPU has refused: the completion
// says so. The end of an invalidation waits likewise. Packets arrive from the torus on a channel. A get request is
// accepted only if the core has room for it, so that it never blocks the packets behind it.
//
//   torus -> channel<torus_packet> -> | datapath | -> take_dma()   -> host memory, GPU window, GPU register, rings
//                                     |          | -> read_table() -> the NIC's own memory
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "config/fields.h"
#include "core/channel.h"
#include "core/timer.h"
#include "core/waiting.h"
#include "nic/receive/receive_datapath_if.h"
#include "nic/receive/table_memory.h"
#include "nic/torus_packet.h"
#include "observe/counter.h"
#include "pcie/device/function.h"

namespace contraflow::nic {

// Is told of received packets: the core and the driver. An interface, because the NIC, which owns the port, is in a
// header above this one, and so that a test can stand in for the core.
class receive_user_if {
public:
    // The number of get requests for which the core has room. If it grows, call receive_port::message_room().
    virtual std::uint32_t message_room() const { return ~0u; }
    // Takes a get request for the core. False: there is no room; receive_port::message_room() offers it again.
    virtual bool take_message(const core_message& m) = 0;
    virtual void dropped(const packet_drop& d) = 0;
    virtual void invalidated() = 0;
    virtual void counter_read(std::uint32_t /*value*/) {}
    // A completion is on its way into a ring.
    virtual void completion_written() = 0;

protected:
    ~receive_user_if() = default;
};

class receive_port final : public receive_client_if,
                           public core::channel_receiver_if<torus_packet>,
                           public core::waiter_if,
                           private pcie::requester_user_if {
public:
    struct spec {
        std::uint32_t writes = 16;                                    // writes under way
        core::sim_time table_latency = core::sim_time::from_ns(100);  // latency of the NIC's memory
        bool flush = true;

        static void describe(config::fields<spec>& f) {
            f("writes", &spec::writes).in(1, 1024).text("writes of received data that have not left over PCIe");
            f("table_latency", &spec::table_latency).text("time to read an entry of a page table in the NIC's memory");
            f("flush", &spec::flush)
                .text("true: a completion waits until the data in GPUs' memories that it announces is there, which the "
                      "NIC finds out by a read of a GPU's register; false: it may come before them, by another way");
        }
    };
    // A GPU's bus addresses.
    struct gpu_place {
        bool attached = false;
        std::uint64_t window = 0;           // base of its write window
        std::uint64_t window_register = 0;  // the register that moves it
        std::uint64_t refused_register = 0;
    };
    receive_port(core::scheduler& events, observe::statistics& statistics, pcie::function& of, table_memory& tables,
                 const spec& s, receive_user_if& user, std::string name);

    // Before the run.
    void connect(receive_datapath_if& datapath) { datapath_ = &datapath; }
    // `word`: the time of a word on the torus; the channel hands over a packet when its last word has arrived. 0: it
    // hands over a packet with its first word, and the words follow one a cycle.
    void connect(core::channel<torus_packet>& from_torus, core::sim_time word = {}) {
        in_.push_back(&from_torus);
        word_ = word;
    }
    void attach(unsigned gpu, const gpu_place& where) { gpus_.at(gpu) = where; }
    // The core has more room. The caller may be within take_message(), so datapath and torus are told after this call.
    void message_room() { room_.arm_by(events_.now()); }

    std::uint64_t unattached() const { return unattached_.value(); }
    std::uint64_t refused() const { return refused_writes_.value(); }
    std::uint64_t flushes() const { return flushes_.value(); }
    // Call it after the resets of the function and the datapath.
    void reset();
    void report_waits(std::vector<core::wait_edge>& edges) const override;

    // channel_receiver_if
    bool can_take(unsigned, const torus_packet& p) override;
    void take(unsigned, torus_packet p) override;

private:
    using marks = std::array<std::uint64_t, most_gpus>;  // writes to each GPU
    struct slot : pcie::operation {
        std::array<std::uint8_t, completion_record::size> bytes{};  // of a window's move, or of a completion
        std::uint16_t tag = 0;
        bool completion = false;
        marks after{};  // a completion: the writes that it must not pass
    };
    // What finds out that all writes to a GPU are in its memory.
    struct flush_read : pcie::operation {
        std::array<std::uint8_t, 8> bytes{};
        std::uint64_t written = 0, flushed = 0;  // writes; those that are in memory
        std::uint64_t begun = 0;                 // writes before the read that was started last
        std::uint32_t refused = 0;               // as read last
        bool under_way = false;
    };
    // receive_client_if
    bool take_dma(const dma_request& r) override;
    bool take_message(const core_message& m) override;
    void read_table(std::uint64_t address) override;
    void dropped(const packet_drop& d) override;
    void may_receive() override { resume(); }
    void tell_room() {
        datapath_->message_ready();
        resume();
    }
    void resume() {
        for (auto* const from : in_) from->resume();
    }
    void invalidated() override;
    void counter_read(std::uint32_t value) override { user_.counter_read(value); }
    // posted writes
    void finished(pcie::operation& o) override;
    marks written() const;
    bool in_memory(const marks& writes) const;
    void flush();
    void flushed(flush_read& r);

    void acknowledge(std::uint32_t tag) { datapath_->acknowledged(static_cast<std::uint16_t>(tag)); }
    void table_read() { datapath_->table_entry(entry_); }
    void again();

    core::scheduler& events_;
    pcie::function& function_;
    table_memory& tables_;
    const spec spec_;
    receive_user_if& user_;
    const std::string name_;
    receive_datapath_if* datapath_ = nullptr;
    std::vector<core::channel<torus_packet>*> in_;
    std::array<gpu_place, most_gpus> gpus_{};
    std::vector<slot> slots_;
    std::vector<slot*> free_;
    std::array<flush_read, most_gpus> flushes_of_;
    std::deque<slot*> completions_held_;  // until data is in GPUs' memories; in order
    std::optional<marks> invalidated_after_;
    marks told_{};           // writes before the last completion that has left
    marks refused_until_{};  // some of the writes up to there were refused
    core::sim_time flushing_since_{};
    core::sim_time word_{};
    std::uint32_t gets_ = 0;  // get requests in the datapath
    bool refused_ = false;
    core::sim_time last_left_{};  // when the last write left; if none is left, when the first of the next ones began
    std::uint64_t entry_ = 0;
    core::cancellable_calls<receive_port> calls_{events_, *this};
    core::timer<&receive_port::table_read> table_{events_, *this};
    core::timer<&receive_port::again> again_{events_, *this};
    core::timer<&receive_port::tell_room> room_{events_, *this};
    observe::counter data_, moves_, completions_, unattached_, flushes_, refused_writes_;
};

}  // namespace contraflow::nic
