// SPDX-License-Identifier: Apache-2.0
// A GPU's PCIe path block (PPB): what comes over PCIe for the GPU's memory passes here, and neither the units nor the
// second-level cache see it.
//
//   PCIe --write--> BAR 0: [write combiner] --drains--+
//        --read---> BAR 0: [read cache] -----fills------> port of the crossbar -> memory
//        --write--> BAR 1: control register: invalidates the read cache and flushes the write combiner
//   GPU threads --flush()--------^
//
// The read cache is not coherent: a line stays until it is evicted or invalidated, whatever the GPU writes meanwhile.
// The write combiner joins writes to a line. Its entries leave in any order, but writes to a line keep theirs: an entry
// waits until the line's earlier write has reached memory. When a write has reached memory, the line leaves the read
// cache. A read does not look into the write combiner.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include <systemc>

#include "core/bounded_queue.h"
#include "core/control.h"
#include "core/timer.h"
#include "core/waiting.h"
#include "gpu/ppb/ppb_protocol.h"
#include "gpu/ppb/ppb_spec.h"
#include "gpu/ppb/write_combiner.h"
#include "memory/cache/cache.h"
#include "memory/port/intake.h"
#include "memory/port/request_port.h"
#include "memory/port/response_port.h"
#include "observe/conservation.h"
#include "observe/statistics.h"
#include "pcie/device/function.h"

namespace contraflow::gpu {

class path_block final : public sc_core::sc_module,
                         public core::waiter_if,
                         public core::controllable_if,
                         public memory::request_owner_if,
                         private pcie::region_if,
                         private memory::response_owner_if {
public:
    static constexpr unsigned memory_bar = 0, control_bar = 1;
    // The unit number in its requests.
    static constexpr std::uint16_t unit_number = 0xfffd;

    path_block(const sc_core::sc_module_name& name, const memory::resources& shared, const ppb_spec& s);
    ~path_block() override;

    // The BARs that the GPU's function needs.
    static std::vector<pcie::bar_spec> bars(const ppb_spec& s);
    // Both before the first request. The port's owner is this block; it needs a number other than ~0.
    void connect(memory::request_port& port) { port_ = &port; }
    void connect(pcie::function& function);

    // What a write to the control register does, for the GPU's own threads and the end of a kernel: `done` is called
    // when every write that is in the combiner now has reached memory and the read cache has been invalidated.
    void flush(core::callback done);
    // A write to the control page. False: it is refused, and `done` is not called.
    bool write_control(std::uint64_t offset, std::uint64_t word, core::callback done);

    const memory::cache& read_cache() const { return cache_; }
    const write_combiner& combiner() const { return combiner_; }
    const ppb_spec& configuration() const { return spec_; }
    // Grows while anything moves.
    std::uint64_t moved() const { return lines_read_ + drained_; }
    // Whether no request is in progress, and the combiner is empty.
    bool idle() const;

    // pause: sends nothing to memory; drain: takes nothing more over PCIe; invalidate: the read cache, at once. A reset
    // drops everything; the memory, the function and the GPU's threads must be reset together with it.
    bool control(core::control_verb verb) override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    // Holds when idle.
    void check(observe::conservation& checks) const;

    struct statistics_set {
        statistics_set(observe::statistics& group, const std::string& path);
        observe::counter writes, written_bytes, joined, overwritten_bytes, drained_bytes, timeouts, evictions, flushed,
            reads, read_bytes, atomics, flushes, refused, failed, held_writes, held_reads;
        observe::gauge entries, writing, reading;
        observe::histogram read_latency, stay, flush_time;
    };
    const statistics_set& statistics() const { return statistics_; }

private:
    static constexpr unsigned inner = ~0u;  // number of the port to the read cache
    static constexpr std::uint32_t fill_mark = ~std::uint32_t{0};

    // The control register behind BAR 1. A write stays at the front of the link's buffer until the flush has ended, so
    // everything behind it waits as the ordering rules of PCIe ask.
    class control_page final : public pcie::region_if {
    public:
        explicit control_page(path_block& owner) : owner_(owner) {}
        pcie::access_result write(std::uint64_t offset, const pcie::tlp& packet) override;
        pcie::access_result request(pcie::inbound_request& r, const pcie::tlp& packet) override;
        void fetch(const pcie::inbound_request& r, std::uint32_t from, std::uint8_t* to, std::uint32_t length) override;
        void reset() { at_ = state::idle; }
        bool holds() const { return at_ == state::under_way; }
        core::sim_time since() const { return since_; }

    private:
        enum class state : std::uint8_t { idle, under_way, ended };
        void ended();
        path_block& owner_;
        state at_ = state::idle;
        core::sim_time since_{};
    };

    struct read {  // over PCIe, while it is being answered
        pcie::inbound_request* of = nullptr;
        std::uint64_t offset = 0;                          // in memory
        std::uint32_t length = 0, asked = 0, missing = 0;  // bytes
        bool failed = false;
        core::sim_time since{};
        std::vector<std::uint8_t> bytes;
    };
    struct line_read {
        memory::payload* sent = nullptr;
        std::uint32_t read = 0;
    };
    struct atomic {
        pcie::inbound_request* of = nullptr;
        memory::atomic_request what;
        std::array<std::uint8_t, 8> operand{};
        std::uint32_t length = 0;
        core::sim_time since{};
    };
    struct line_write {  // under way to memory: a drained entry, or an atomic operation
        memory::payload* sent = nullptr;
        std::uint64_t line = 0;
        std::uint64_t order = 0;  // of the entry; 0: an atomic operation
        pcie::inbound_request* answers = nullptr;
    };
    struct flush_request {
        std::uint64_t last_order = 0;  // the youngest entry that it waits for
        core::callback done;
        core::sim_time since{};
    };

    // the memory's BAR
    pcie::access_result write(std::uint64_t offset, const pcie::tlp& packet) override;
    pcie::access_result request(pcie::inbound_request& r, const pcie::tlp& packet) override;
    void fetch(const pcie::inbound_request& r, std::uint32_t from, std::uint8_t* to, std::uint32_t length) override;
    void answered(pcie::inbound_request& r) override;
    pcie::access_result begin_read(pcie::inbound_request& r);
    pcie::access_result begin_atomic(pcie::inbound_request& r, const pcie::tlp& packet);
    bool accept(std::uint64_t line, const memory::byte_mask& bytes, const std::uint8_t* data);
    pcie::access_result hold(pcie::credit_class c);

    // the ports
    bool response_arrived(unsigned port, memory::memory_extension& request) override;
    void request_port_ready(unsigned) override { run(); }
    bool request_arrived(unsigned port, memory::memory_extension& fill) override;
    void response_port_ready(unsigned) override {}
    void blocking_access(unsigned port, tlm::tlm_generic_payload& trans, sc_core::sc_time& delay) override;
    unsigned debug_access(unsigned port, tlm::tlm_generic_payload& trans) override;

    void run();
    void arm() { run_.arm_by(events_.now()); }
    void ask_for_lines();
    void send_to_memory();
    bool send_next();
    void send_fill(memory::memory_extension& fill);
    std::size_t choose_drain();
    void drain(std::size_t place);
    bool atomic_may_go() const;
    void send_atomic();
    void send_write(memory::payload& p, const line_write& w);
    void line_arrived(std::uint32_t number);
    void write_arrived(std::uint32_t number);
    void end_read(std::uint32_t number);
    void end_flushes();
    bool under_way(std::uint64_t line) const;
    std::uint64_t line_of(std::uint64_t offset) const { return offset & ~(spec_.line.count - 1); }
    void tell_held();
    void reset();

    core::scheduler& events_;
    memory::payload_pool& payloads_;
    const ppb_spec spec_;
    statistics_set statistics_;
    write_combiner combiner_;
    memory::cache cache_;
    memory::request_port to_cache_;
    memory::response_port fills_;
    memory::request_port* port_ = nullptr;
    pcie::function* function_ = nullptr;
    control_page control_{*this};

    std::uint32_t taken_ = 0;  // bytes of the write at the front of the link's buffer that have been taken
    bool needs_room_ = false;  // it waits for an entry
    std::array<bool, pcie::credit_classes> held_{};
    std::array<core::sim_time, pcie::credit_classes> held_since_{};

    std::vector<read> reads_;
    std::vector<std::uint32_t> free_reads_;
    core::bounded_queue<std::uint32_t> asking_;  // reads whose lines have not all been asked for
    std::vector<line_read> lines_;
    std::vector<std::uint32_t> free_lines_;
    core::bounded_queue<atomic> atomics_;  // not sent yet
    core::sim_time next_line_{};

    std::vector<line_write> writes_;
    std::vector<std::uint32_t> free_writes_;
    std::deque<flush_request> flushes_;
    bool fill_turn_ = true;
    core::sim_time next_send_{};
    core::timer<&path_block::run> run_;
    memory::intake intake_;

    std::uint64_t lines_read_ = 0, drained_ = 0;
    std::uint64_t requests_taken_ = 0, requests_answered_ = 0;
    std::uint64_t sent_ = 0, acknowledged_ = 0;
    std::uint64_t bytes_in_ = 0, bytes_joined_ = 0, bytes_out_ = 0;
    std::uint64_t flushes_begun_ = 0, flushes_ended_ = 0;
};

}  // namespace contraflow::gpu
