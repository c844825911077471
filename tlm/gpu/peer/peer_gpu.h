// SPDX-License-Identifier: Apache-2.0
// A GPU as other devices on PCIe see it: BAR 0 with a page of registers for each requester, BAR 1 with their write
// windows, and BAR 2, which drivers call BAR1, with the aperture. peer_protocol.h defines the registers.
//
//   requester --8 bytes--> BAR 0: read_engine ---- posted writes of 64 bytes ----> requester's answer window
//             --register-> BAR 0: write_windows
//             --data-----> BAR 1: write_windows -> page
//             --reads----> BAR 2: aperture -> completions
//   driver ----register--> BAR 0: copy_engine -> the host's memory
#pragma once

#include "gpu/peer/aperture.h"
#include "gpu/peer/copy_engine.h"
#include "gpu/peer/peer_memory.h"
#include "gpu/peer/peer_spec.h"
#include "gpu/peer/read_engine.h"
#include "gpu/peer/write_windows.h"

namespace contraflow::gpu {

class peer_gpu final : public pcie::device_if, private pcie::requester_user_if, private pcie::region_if {
public:
    static constexpr unsigned registers_bar = 0, windows_bar = 1, aperture_bar = 2;
    // The function that the GPU needs in the address map.
    static pcie::function_spec place_of(const peer_spec& s);

    // `f` gives the largest payload of the GPU.
    peer_gpu(const sc_core::sc_module_name& name, const pcie::port::resources& shared, pcie::tlp_pool& pool,
             pcie::function::spec f, const pcie::address_map::function& place, const peer_spec& s);

    peer_memory& memory() { return memory_; }
    class aperture& bar1() {
        return aperture_;
    }
    copy_engine& copies() { return copies_; }
    const read_engine& reads() const { return reads_; }
    const write_windows& windows() const { return windows_; }
    const pcie::function& function() const { return function_; }
    // The bus addresses of a requester's registers and window.
    std::uint64_t registers_of(unsigned requester) const;
    std::uint64_t window_of(unsigned requester) const;
    std::uint64_t aperture_base() const { return function_.place().bars[aperture_bar].base; }

    // Resets the GPU while its link stays up: requests are dropped, windows closed, mappings removed, and reads of BAR1
    // answered as completer aborts. Memory keeps its bytes.
    void reset_engines();
    pcie::port& link() override { return function_.link(); }
    bool control(core::control_verb verb) override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;

private:
    // BAR 0.
    pcie::access_result write(std::uint64_t offset, const pcie::tlp& packet) override;
    pcie::access_result request(pcie::inbound_request& r, const pcie::tlp& packet) override;
    void fetch(const pcie::inbound_request& r, std::uint32_t from, std::uint8_t* to, std::uint32_t length) override;
    using pcie::requester_user_if::fetch;
    // Unused: each operation has an owner.
    void finished(pcie::operation&) override {}

    peer_memory memory_;
    pcie::function function_;
    read_engine reads_;
    write_windows windows_;
    class aperture aperture_;
    copy_engine copies_;
};

}  // namespace contraflow::gpu
