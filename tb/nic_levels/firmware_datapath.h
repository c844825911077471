// SPDX-License-Identifier: Apache-2.0
// The receive datapath with firmware: input, check, write and retire of the pipeline, the look-up and get requests by a
// core. Buffers, rings and removals of translations are commands of the driver, which the core carries out before the
// look-up of any packet that comes after them. A ring is set up anew only while nothing is under way to it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "iss/elf_file.h"
#include "iss/routine_profile.h"
#include "nic/receive/receive_pipeline.h"
#include "nic_levels/nic_core.h"
#include "observe/trace.h"

namespace contraflow::iss {
class gdb_server;
}

namespace contraflow::nic_levels {

// A core's cycles from its first packet or message on, by routine; several runs add up.
struct core_profile {
    std::vector<iss::routine_profile::row> rows;
    std::uint64_t packets = 0;      // looked up
    std::uint64_t lookup_time = 0;  // ps from the earliest begin of each look-up to its answer
    void add(const nic_core& c);
    void add(const core_profile& other);

private:
    void add(const std::vector<iss::routine_profile::row>& more);
};

// Referenced objects must outlive the datapath; null: none.
struct core_options {
    nic_core_spec spec;
    const iss::elf_file* program = nullptr;
    iss::gdb_server* debugger = nullptr;
    observe::trace* trace = nullptr;
    core_profile* profile = nullptr;
};

// A NIC's core; the receive datapaths of its NIC at level firmware are served by it as well. The options outlive it.
nic::core_factory firmware_core(const core_options& options);

// The NIC's core; where there is no NIC around the datapath, a new one, with waves below its path. A NIC's core that
// has no firmware is a std::invalid_argument.
std::shared_ptr<nic_core> core_for(const nic::datapath_place& place, const core_options& options);

class firmware_datapath final : public nic::receive_datapath_if,
                                private nic::receive_client_if,
                                private nic::core_user_if {
public:
    // With the core of core_for().
    firmware_datapath(const nic::datapath_place& place, const core_options& options);

    nic_core& core() { return core_; }

    bool can_receive() override { return pipeline_.can_receive(); }
    void receive(std::span<const std::uint8_t> words, core::sim_time ago) override { pipeline_.receive(words, ago); }
    void dma_ready() override { pipeline_.dma_ready(); }
    void acknowledged(std::uint16_t tag) override { pipeline_.acknowledged(tag); }
    void message_ready() override { core_.may_get(); }
    void table_entry(std::uint64_t value) override { pipeline_.table_entry(value); }
    void set_buffer(unsigned index, const nic::buffer_entry& b) override { pipeline_.set_buffer(index, b); }
    void set_ring(unsigned ring, const nic::ring_place& place) override;
    void set_consumed(unsigned ring, std::uint32_t count) override { pipeline_.set_consumed(ring, count); }
    void invalidate(std::uint64_t root) override { pipeline_.invalidate(root); }

    // For the core, which looks up for it.
    void set_up_ring(unsigned ring, const nic::ring_place& place) { pipeline_.set_ring(ring, place); }
    const nic::receive_counters& counters() const override { return pipeline_.counters(); }
    void read_counter(unsigned number) override {
        core_.command({nic::nic_rx_registers::command_opcode_read_counter, number, {}, [this](std::uint32_t value) {
                           client_.counter_read(value);
                       }});
    }
    bool idle() const override { return pipeline_.idle() && core_.idle(); }
    void check(observe::conservation& checks) const override { pipeline_.check(checks); }
    bool control(core::control_verb verb) override { return pipeline_.control(verb); }
    void report_waits(std::vector<core::wait_edge>& edges) const override { pipeline_.report_waits(edges); }

private:
    bool take_dma(const nic::dma_request& r) override { return client_.take_dma(r); }
    bool take_message(const nic::core_message& m) override;
    void read_table(std::uint64_t address) override { client_.read_table(address); }
    void dropped(const nic::packet_drop& d) override { client_.dropped(d); }
    void may_receive() override { client_.may_receive(); }
    void invalidated() override { client_.invalidated(); }

    // nic::core_user_if, without a NIC: there is nothing to send.
    void translated(const std::optional<nic::source_extent>&) override {}
    nic::wanted_reads reads() const override { return {}; }
    void write_request(std::uint64_t) override {}
    void window_started() override {}
    bool take_get(const nic::core_message& m) override { return client_.take_message(m); }
    void message_taken() override { pipeline_.message_ready(); }

    nic::datapath_place inner(const nic::datapath_place& place) {
        return {place.events, place.path,       place.spec,  place.node, *this,
                place.tables, place.statistics, place.waves, nullptr};
    }

    nic::receive_client_if& client_;
    const bool alone_;  // there is no NIC
    const std::shared_ptr<nic_core> made_;
    nic_core& core_;
    nic::receive_pipeline pipeline_;
};

}  // namespace contraflow::nic_levels
