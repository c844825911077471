// SPDX-License-Identifier: Apache-2.0
// The memory side of a compute unit: takes instructions in the order of issue, joins threads to lines, sends one line
// request a cycle to the first-level cache and keeps a finite number outstanding. It translates virtual addresses: in
// no time by a page table that places a page for the first socket to touch it, or by a TLB and the levels below it.
// Requests that miss in the TLB wait while others continue; those for one page keep their order.
//
// A wavefront may have several loads under way. Its instructions are sent in their order, and one waits for an earlier
// access of its wavefront, while other wavefronts go on: a load if there are as many as allowed; a store or an atomic
// operation of bytes that are being loaded; of two loads of the same bytes the second one, if one of them passes copies
// in caches and the other one does not; a load or an atomic operation of bytes to which a store to a page that is
// not cached is under way. Accesses to such pages pass all caches.
#pragma once

#include <deque>
#include <exception>
#include <memory>
#include <vector>

#include "core/timer.h"
#include "core/waiting.h"
#include "gpu/compute_unit/access_fault.h"
#include "gpu/compute_unit/address_translator.h"
#include "gpu/compute_unit/coalescer.h"
#include "gpu/compute_unit/compute_unit_spec.h"
#include "gpu/compute_unit/request_profile.h"
#include "gpu/compute_unit/wavefront.h"
#include "memory/crossbar/address_map.h"
#include "memory/port/delay_line.h"
#include "memory/port/request_port.h"
#include "memory/vm/page_table.h"
#include "observe/conservation.h"

namespace contraflow::gpu {

class compute_unit;
struct translation_source;

// Shared by the compute units of a machine, in addition to the memory system's resources.
struct machine_memory {
    memory::page_table& pages;
    const memory::address_map& map;
    request_profile& profile;
    const translation_source* translation = nullptr;  // null: by `pages`, in no time; see gpu_translation
};

class load_store_unit final : private memory::request_owner_if, private memory::translation_client_if {
public:
    load_store_unit(const std::string& path, const memory::resources& shared, const compute_unit_spec& s,
                    const machine_memory& machine, compute_unit& owner);
    ~load_store_unit();

    memory::request_port l1;

    // An instruction of that wavefront, to be filled with accesses and begun by its number.
    memory_instruction& take_instruction(wavefront& w);
    unsigned number_of(const memory_instruction& i) const { return i.number; }
    void begin(unsigned instruction);
    // The time between an access's issue and begin().
    core::sim_time latency() const { return latency_; }
    // Calls `done` once every request in that range that is already translated has been answered. Requests that still
    // wait for translation do not count. Returns false, without a call, if there is no such request.
    bool drain(const memory::translation_range& which, core::callback done);
    // The first part of a shootdown: drops translations of earlier epochs. drain() follows after invalidate_latency();
    // once that is done, no access of this unit uses an older translation. Invalidate the levels below first.
    void invalidate(const memory::translation_range& which, std::uint64_t epoch);
    core::sim_time invalidate_latency() const;
    // Of a line of code or arguments that was answered with an error.
    access_fault refused_line(const wavefront& w, const char* what, const tlm::tlm_generic_payload& answered) const;
    // Null if translation takes no time.
    address_translator* translator() { return translator_.get(); }

    // While paused it sends no new requests. Requests translated meanwhile wait too; if a drain or shootdown covers
    // one, it asks for its page again.
    void pause(bool paused);
    void reset();

    unsigned outstanding() const { return static_cast<unsigned>(requests_.size() - free_.size()); }
    // Requests in memory: neither waiting for translation nor held by the pause.
    unsigned in_memory() const { return in_memory_; }
    std::uint64_t answered() const { return answered_total_; }
    // Whether a drain or a shootdown is in progress.
    bool draining() const { return !drains_.empty(); }
    const char* name() const { return l1.get_parent_object()->name(); }  // its unit's
    bool idle() const { return head_ == nullptr && outstanding() == 0; }
    void report_waits(const std::string& waiter, std::vector<core::wait_edge>& edges) const;
    void check(const std::string& path, observe::conservation& checks) const;

private:
    struct request {
        wavefront* wave = nullptr;
        wave_access* access = nullptr;  // null for a store, which may be complete before its answer
        access_kind kind = access_kind::load;
        bool remote = false;
        memory::memory_type type = memory::memory_type::cached;
        std::uint64_t translation = 0;  // sequence number of its translation in this unit; 0: not translated yet
        line_request line;
        memory::payload* sent = nullptr;
    };
    enum class stall { none, outstanding, cache, translation };

    bool response_arrived(unsigned port, memory::memory_extension& answered) override;
    void request_port_ready(unsigned port) override;
    void answered(memory::translation_request& question) override;
    void accepted(memory::translation_request& held, core::sim_time since) override;

    void pump();
    void enqueue(memory_instruction& i);
    bool next_access(memory_instruction& i);
    void all_sent(wavefront& w, wave_access& a);
    void end(memory_instruction& i);
    void completed(wavefront& w, wave_access& a);
    std::uint32_t take_request();
    void send_line(memory_instruction& i);
    void send_translated();
    // The fault's text: the wavefront, the access, the error, the expectation.
    access_fault fault(const wavefront& w, const char* what, std::uint64_t address, unsigned length,
                       access_fault::reason why, const std::string& wrong, const std::string& expected) const;
    access_fault fault(const wavefront& w, access_kind kind, const line_request& line, access_fault::reason why,
                       const std::string& wrong, const std::string& expected) const;
    access_fault page_fault(const request& r, const memory::translation_request& answered) const;
    [[noreturn]] void refuse_misaligned(const wavefront& w, const wave_access& a, const line_request& line) const;
    memory::page_table::location translate_at_once(const wavefront& w, const wave_access& a, const line_request& line);
    void pass_caches(request& r, memory::memory_type type);
    const line_request& line_of(memory_instruction& i) const;
    bool must_wait(memory_instruction& i) const;
    bool waits_for_own_store(memory_instruction& i) const;
    bool waits_for_own_load(memory_instruction& i) const;
    void hold(memory_instruction& i);
    void try_again(wavefront& w);
    void acknowledged(memory::memory_extension& store);
    void end(std::uint32_t number, memory::memory_extension& answered);
    void trace_begin(memory::memory_extension& request, core::sim_time begun, bool translated) const;
    template <class Which> void ask_again(Which which);
    void send(request& r, std::uint64_t physical);
    void complete(std::uint32_t number, bool with_data);
    void drained(const request& r);
    void stop_translated();
    void give_up(memory_instruction& i);
    void stop(stall why);
    void end_stall();

    const memory::resources shared_;
    const compute_unit_spec& spec_;
    const machine_memory machine_;
    compute_unit& owner_;
    const std::unique_ptr<address_translator> translator_;
    const core::sim_time latency_;

    std::vector<request> requests_;
    std::vector<std::uint32_t> free_;
    std::deque<memory_instruction> instructions_;
    std::vector<unsigned> free_instructions_;
    memory_instruction* head_ = nullptr;
    memory_instruction* tail_ = nullptr;
    core::sim_time next_send_{};
    core::timer<&load_store_unit::pump> pump_at_;
    bool paused_ = false;
    stall stalled_ = stall::none;
    core::sim_time stalled_since_{};
    memory::payload_fifo translated_;  // not sent yet
    unsigned asking_ = 0;              // questions that the TLB holds back
    unsigned in_memory_ = 0;
    std::uint64_t translations_ = 0;
    memory::delay_line<load_store_unit, &load_store_unit::acknowledged> acknowledgements_;

    struct range_drain {
        memory::translation_range which;
        core::callback done;
        std::uint64_t last = 0;  // the newest translation that it covers
        std::uint64_t left = 0;  // requests
    };
    std::vector<range_drain> drains_;

    observe::counter loads_;
    observe::counter stores_;
    observe::counter atomics_;
    observe::counter threads_;
    observe::counter stalled_outstanding_;
    observe::counter stalled_cache_;
    std::unique_ptr<observe::counter> stalled_translation_;
    std::uint64_t sent_total_ = 0;
    std::uint64_t answered_total_ = 0;
};

}  // namespace contraflow::gpu
