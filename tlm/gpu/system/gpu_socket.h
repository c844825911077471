// SPDX-License-Identifier: Apache-2.0
// A GPU socket: compute units with their caches, a crossbar, banks of the second level, memory, and the RDMA engine at
// the network. With coherence remote_caching, a cache of remote lines is before each of its ports.
//
//   unit - l1 \             / bank - dram
//   unit - l1 - crossbar --- bank - dram
//   rdma -----/             \ [remote bank -] rdma
//   [instruction cache] /   \ [io_port]
//   [scalar cache] ----/
//
// The last two are of each shader array.
// A data_fabric that reorders may lie between a first level and the crossbar.
// If translation takes time, its units have TLBs, and a shared level below them.
#pragma once

#include <memory>
#include <vector>

#include "core/control.h"
#include "core/waiting.h"
#include "gpu/compute_unit/compute_unit.h"
#include "gpu/compute_unit/shader_array.h"
#include "gpu/rdma/rdma_engine.h"
#include "gpu/system/gpu_spec.h"
#include "gpu/system/local_or_remote.h"
#include "gpu/translation/gpu_translation.h"
#include "memory/cache/cache.h"
#include "memory/crossbar/crossbar.h"
#include "memory/dram/dram.h"
#include "memory/transaction/protocol_checker.h"

namespace contraflow::gpu {

class gpu_socket final : public sc_core::sc_module,
                         public core::waiter_if,
                         public core::controllable_if,
                         private memory::request_owner_if {
public:
    // `net`: null for a single socket.
    gpu_socket(const sc_core::sc_module_name& name, const memory::resources& shared, const gpu_spec& s, unsigned number,
               const machine_memory& machine, net::network_if* net, cta_sink_if& sink);
    ~gpu_socket() override;

    std::vector<std::unique_ptr<compute_unit>>& units() { return units_; }
    rdma_engine* rdma() { return rdma_.get(); }
    // Null if translation takes no time.
    gpu_translation* translation() { return translation_.get(); }
    const std::vector<std::unique_ptr<memory::cache>>& first_level() const { return l1_; }
    const std::vector<std::unique_ptr<shader_array>>& shader_arrays() const { return arrays_; }
    // Of each of these.
    const std::vector<std::unique_ptr<memory::cache>>& instruction_caches() const { return l1i_; }
    const std::vector<std::unique_ptr<memory::cache>>& scalar_caches() const { return l1s_; }
    const std::vector<std::unique_ptr<memory::cache>>& second_level() const { return l2_; }
    const std::vector<std::unique_ptr<memory::cache>>& remote_caches() const { return remote_; }
    memory::dram& memory() { return *dram_; }
    // A port of the crossbar for a client other than the units (a DMA engine, a page migration controller). Each of the
    // spec's client_ports has at most one owner.
    memory::request_port& client_port(memory::request_owner_if& owner, unsigned number = 0) {
        client_owners_.at(number) = &owner;
        return *client_ports_[number];
    }

    // The crossbar's output for bus addresses; only with io_port. Its owner binds it.
    memory::request_port& io_port() { return crossbar_->down(io_output_); }

    // transport_dbg with memory as this socket's units see it beyond their first level; any length.
    void debug_access(tlm::tlm_command command, std::uint64_t address, std::uint8_t* data, std::size_t length);
    // Invalidates copies that other sockets or earlier kernels may have made stale.
    void invalidate_copies();

    // Pause, drain and enable act on the units; flush writes the second level back to memory. A reset loses dirty data
    // in caches.
    bool control(core::control_verb verb) override;
    bool idle() const;
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    void check(observe::conservation& checks) const;
    std::uint64_t outstanding() const;  // line requests of its units
    // With check_protocol, one for each pair of sockets.
    const std::vector<std::unique_ptr<memory::protocol_checker>>& checkers() const { return checkers_; }

private:
    bool response_arrived(unsigned port, memory::memory_extension& request) override {
        return client_owners_[port]->response_arrived(port, request);
    }
    void request_port_ready(unsigned port) override { client_owners_[port]->request_port_ready(port); }

    void reset();
    // Binds them, with a checker between them if configured.
    void join(memory::request_port& from, memory::response_port& to);
    void build_units(const memory::resources& shared, const gpu_spec& s, const machine_memory& machine,
                     cta_sink_if& sink);
    void build_arrays(const memory::resources& shared, const gpu_spec& s, request_profile& profile, unsigned input);
    void build_memory(const memory::resources& shared, const gpu_spec& s);
    void build_rdma(const memory::resources& shared, const gpu_spec& s, net::network_if& net);

    const unsigned number_;
    const bool check_protocol_;
    const memory::address_map& map_;
    memory::interleave banks_;
    memory::interleave link_ports_;
    unsigned io_output_;
    local_or_remote routes_;
    socket_of_address homes_;
    std::unique_ptr<gpu_translation> translation_;
    std::vector<std::unique_ptr<compute_unit>> units_;
    std::vector<std::unique_ptr<memory::cache>> l1_;
    std::unique_ptr<code_memory> code_;  // null without shader arrays
    std::vector<std::unique_ptr<shader_array>> arrays_;
    std::vector<std::unique_ptr<memory::cache>> l1i_, l1s_;  // theirs
    std::unique_ptr<memory::crossbar> crossbar_;
    std::vector<std::unique_ptr<memory::cache>> l2_;
    std::vector<std::unique_ptr<memory::data_fabric>> fabric_;  // none, or one for each unit
    std::unique_ptr<memory::dram> dram_;
    std::vector<std::unique_ptr<memory::cache>> remote_;
    std::unique_ptr<rdma_engine> rdma_;
    std::vector<std::unique_ptr<memory::request_port>> client_ports_;  // the first also for debug accesses
    std::vector<memory::request_owner_if*> client_owners_;
    std::vector<std::unique_ptr<memory::protocol_checker>> checkers_;
};

}  // namespace contraflow::gpu
