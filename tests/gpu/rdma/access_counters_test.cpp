// SPDX-License-Identifier: Apache-2.0
// Access counters alone: the accesses they count, the times of their messages, and accesses without room in the table.
#include <vector>

#include <gtest/gtest.h>

#include "gpu/migration/page_migration_controller.h"
#include "gpu/rdma/access_counters.h"
#include "memory/transaction/payload.h"

namespace {

using namespace contraflow;
using namespace contraflow::gpu;

struct counted final : access_counter_sink_if {
    explicit counted(access_counters::spec s) : tested(statistics, "counters", s) { tested.set_sink(this); }
    void page_reached(unsigned gpu, std::uint64_t page) override {
        EXPECT_EQ(gpu, 3u);
        told.push_back(page);
    }
    void access(std::uint64_t address, unsigned unit = 0) {
        memory::payload& p = payloads.take();
        p.read(address, 64);
        p.extension().origin.unit = static_cast<std::uint16_t>(unit);
        tested.count(p.extension());
        p.release();
    }
    observe::statistics statistics;
    memory::payload_pool payloads;
    access_counters tested;
    std::vector<std::uint64_t> told;
};

access_counters::spec small(unsigned threshold, unsigned sets, unsigned ways) {
    access_counters::spec s;
    s.threshold = threshold;
    s.sets = sets;
    s.ways = ways;
    s.gpu = 3;
    return s;
}

TEST(access_counters, tell_each_time_a_page_has_been_reached_often_enough) {
    counted c(small(3, 4, 2));
    for (unsigned i = 0; i < 7; ++i) c.access(0x5000 + 64 * i);
    EXPECT_EQ(c.told, (std::vector<std::uint64_t>{0x5000, 0x5000}));
    EXPECT_EQ(c.tested.count_of(0x5000), 1u);
    EXPECT_EQ(c.tested.counted(), 7u);
    c.access(0x6000);
    EXPECT_EQ(c.tested.count_of(0x6fff), 1u);
    c.tested.clear(0x5000);
    EXPECT_EQ(c.tested.count_of(0x5000), 0u);
    EXPECT_EQ(c.tested.count_of(0x6000), 1u);
}

TEST(access_counters, count_units_only) {
    counted c(small(1, 4, 2));
    c.access(0x5000, page_migration_controller::unit_number);
    c.access(0x5000, 0xffff);  // a copy of the host's
    EXPECT_TRUE(c.told.empty());
    c.access(0x5000, 63);
    EXPECT_EQ(c.told.size(), 1u);
}

TEST(access_counters, a_page_without_room_takes_the_place_of_the_least_reached) {
    counted c(small(100, 1, 2));
    for (unsigned i = 0; i < 5; ++i) c.access(0x1000);
    c.access(0x2000);
    c.access(0x3000);
    EXPECT_EQ(c.tested.count_of(0x1000), 5u);
    EXPECT_EQ(c.tested.count_of(0x2000), 0u);
    EXPECT_EQ(c.tested.count_of(0x3000), 1u);
    for (const auto& row : c.statistics.rows({}))
        if (row.path == "counters.displaced") { EXPECT_EQ(row.value, 1); }
}

TEST(access_counters, reset_and_invalidate_clear_all_counts_and_nothing_else_is_taken) {
    for (const core::control_verb verb : {core::control_verb::reset, core::control_verb::invalidate}) {
        counted c(small(3, 1, 1));
        c.access(0x1000);
        EXPECT_TRUE(c.tested.control(verb));
        EXPECT_EQ(c.tested.count_of(0x1000), 0u);
    }
    counted c(small(3, 1, 1));
    for (const core::control_verb verb :
         {core::control_verb::pause, core::control_verb::drain, core::control_verb::enable, core::control_verb::flush})
        EXPECT_FALSE(c.tested.control(verb));
    EXPECT_THROW(counted(small(0, 1, 1)), std::invalid_argument);
    EXPECT_THROW(counted(small(1, 3, 1)), std::invalid_argument);
}

}  // namespace
