// SPDX-License-Identifier: Apache-2.0
// An IOMMU with a page table of 64 pages of 4 KiB in its own memory, and a requester.
#pragma once

#include "host/iommu/iommu.h"
#include "memory/bench.h"
#include "memory/dram/dram.h"
#include "memory/probe.h"
#include "memory/translation_support.h"

namespace contraflow::host::testing {

using memory::access_rights;
using memory::walk_kind;
using memory::testing::page_at;

inline constexpr std::uint64_t page_bytes = 4096, table_base = 0x100'0000;
inline constexpr core::sim_time ns(std::uint64_t n) { return core::sim_time::from_ns(n); }

struct bytes_of final : memory::physical_memory_if {
    explicit bytes_of(memory::dram& d) : home(d) {}
    void debug_write(std::uint64_t at, std::span<const std::byte> from) override {
        home.bytes().write(at, reinterpret_cast<const std::uint8_t*>(from.data()), from.size());
    }
    void debug_read(std::uint64_t at, std::span<std::byte> to) const override {
        home.bytes().read(at, reinterpret_cast<std::uint8_t*>(to.data()), to.size());
    }
    memory::dram& home;
};

struct recording_sink final : fault_sink_if {
    walk_verdict faulted(const memory::translation_request& r) override {
        faults.push_back(r.address);
        return on_fault;
    }
    walk_verdict found(memory::translation_request& r) override {
        pages.push_back(r.page.physical_page);
        return on_found;
    }
    walk_verdict on_fault = walk_verdict::answer, on_found = walk_verdict::answer;
    std::vector<std::uint64_t> faults, pages;
};

inline iommu::spec spec_of(walk_kind kind) {
    iommu::spec s;
    s.walks.kind = kind;
    s.distance = {140};
    return s;
}

struct iommu_machine : memory::testing::bench {
    explicit iommu_machine(const iommu::spec& s, std::uint64_t frames = 256)
        : home("home", shared, memory::dram_spec{}),
          bytes(home),
          table(bytes, table_base, {frames * page_bytes}),
          tested("iommu", shared, s, ns(1), table),
          gpu(sim.events(), tested.requests()) {
        if (tested.walk_port() != nullptr)
            connect(*tested.walk_port(), home.up());
        else
            connect((nobody = std::make_unique<memory::testing::probe>("nobody", *this))->port, home.up());
        for (std::uint64_t n = 0; n < 64; ++n) table.map(0, page_at(n * page_bytes, (1000 + n) * page_bytes));
    }
    ~iommu_machine() { expect_silence(); }
    void finish() {
        sim.run();
        EXPECT_EQ(gpu.done(), gpu.all().size());
        EXPECT_TRUE(tested.idle());
        EXPECT_EQ(payloads.in_flight(), 0u);
        observe::conservation checks;
        tested.check(checks);
        EXPECT_TRUE(checks.held());
    }
    const memory::walk_unit::statistics_set& walks() const { return tested.walks().statistics(); }

    std::unique_ptr<memory::testing::probe> nobody;
    memory::dram home;
    bytes_of bytes;
    memory::radix_table table;
    iommu tested;
    memory::testing::translation_requester gpu;
};

}  // namespace contraflow::host::testing
