// SPDX-License-Identifier: Apache-2.0
// The host's memory for GPUs: it contains the page tables, at physical addresses from 0. Each walker with timed
// requests has a port: the IOMMU a near one, and the GPUs' own walkers one at the far end of a link that stands for
// PCIe. Without timed walkers it is only bytes.
#pragma once

#include <memory>

#include "core/control.h"
#include "core/waiting.h"
#include "memory/crossbar/crossbar.h"
#include "memory/dram/backing_store.h"
#include "memory/dram/dram.h"
#include "memory/dram/physical_memory_if.h"

namespace contraflow::host {

class host_memory final : public memory::physical_memory_if,
                          public core::waiter_if,
                          public core::controllable_if,
                          private memory::address_to_port_if {
public:
    struct spec {
        memory::dram_choice dram;
        memory::crossbar_spec link;  // from GPUs to it

        spec();
        static void describe(config::fields<spec>& f);
    };
    // `near`: ports next to it; `far`: ports over the link.
    host_memory(const memory::resources& shared, const spec& s, core::sim_time cycle, unsigned near, unsigned far);
    ~host_memory() override;

    core::bytes size() const { return {bytes().size()}; }
    void bind_near(memory::request_port& from, unsigned port) { from.bind(dram_->up(port)); }
    void bind_far(memory::request_port& from, unsigned port) { from.bind(link_->up(port)); }

    void debug_write(std::uint64_t physical, std::span<const std::byte> from) override;
    void debug_read(std::uint64_t physical, std::span<std::byte> to) const override;

    // Controls crossbar and memory; a reset keeps the contents.
    bool control(core::control_verb verb) override;
    bool idle() const { return (!dram_ || dram_->idle()) && (!link_ || link_->idle()); }
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    void check(observe::conservation& checks) const;
    const memory::dram* timed() const { return dram_.get(); }  // null if no walker uses timed requests

private:
    unsigned find(std::uint64_t address) const override { return bytes().contains(address, 1) ? 0 : nowhere; }
    std::uint64_t span(std::uint64_t address) const override {
        return bytes().contains(address, 1) ? bytes().base() + bytes().size() - address : 1;
    }
    memory::backing_store& bytes() { return dram_ ? dram_->bytes() : *bytes_; }
    const memory::backing_store& bytes() const { return dram_ ? dram_->bytes() : *bytes_; }

    std::unique_ptr<memory::backing_store> bytes_;  // or the bytes of `dram_`
    std::unique_ptr<memory::dram> dram_;
    std::unique_ptr<memory::crossbar> link_;
};

}  // namespace contraflow::host
