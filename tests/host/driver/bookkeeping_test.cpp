// SPDX-License-Identifier: Apache-2.0
// The published rules of unified GPUs, exactly: the workgroups of each GPU, the places of pages, the numbers of GPUs.
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/kernel/grid.h"
#include "host/driver/address_space.h"
#include "host/driver/gpu_directory.h"
#include "memory/vm/page_table.h"

namespace {

using namespace contraflow;
using namespace contraflow::host;
using gpu::cta_run;
using gpu::dim3;
using gpu::part_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<cta_run> cut(dim3 grid, unsigned parts) {
    std::vector<cta_run> runs;
    for (unsigned i = 0; i < parts; ++i) runs.push_back(part_of(cta_run{0, grid.count()}, i, parts));
    return runs;
}

// ---- workgroups

TEST(workgroups, of_32_on_four_gpus_each_gets_eight_in_a_row) {
    EXPECT_THAT(cut(32, 4), ElementsAre(cta_run{0, 8}, cta_run{8, 16}, cta_run{16, 24}, cta_run{24, 32}));
}

TEST(workgroups, of_grids_of_more_dimensions_are_cut_by_their_flattened_numbers) {
    EXPECT_EQ(cut({8, 4}, 4), cut(32, 4));
    EXPECT_EQ(cut({4, 4, 2}, 4), cut(32, 4));
    // x runs fastest: the third run of a 4 x 4 x 2 grid begins with the second plane.
    EXPECT_EQ((dim3{4, 4, 2}.place(cut({4, 4, 2}, 4)[2].begin)), (dim3{0, 0, 1}));
    EXPECT_EQ((dim3{8, 4}.place(cut({8, 4}, 4)[1].begin)), (dim3{0, 1, 0}));
}

TEST(workgroups, that_do_not_divide_make_the_first_runs_longer_by_one) {
    EXPECT_THAT(cut(10, 4), ElementsAre(cta_run{0, 3}, cta_run{3, 6}, cta_run{6, 8}, cta_run{8, 10}));
    EXPECT_THAT(cut({3, 5}, 4), ElementsAre(cta_run{0, 4}, cta_run{4, 8}, cta_run{8, 12}, cta_run{12, 15}));
    EXPECT_THAT(cut({1, 1, 3}, 4), ElementsAre(cta_run{0, 1}, cta_run{1, 2}, cta_run{2, 3}, cta_run{3, 3}));
    EXPECT_THAT(cut(7, 1), ElementsAre(cta_run{0, 7}));
}

TEST(workgroups, of_any_count_are_each_in_exactly_one_run) {
    for (std::uint64_t n = 0; n < 70; ++n)
        for (unsigned parts = 1; parts <= 9; ++parts) {
            std::uint64_t next = 100;
            for (unsigned i = 0; i < parts; ++i) {
                const cta_run r = part_of(cta_run{100, 100 + n}, i, parts);
                EXPECT_EQ(r.begin, next);
                EXPECT_EQ(r.count(), n / parts + (i < n % parts ? 1 : 0));
                next = r.end;
            }
            EXPECT_EQ(next, 100 + n);
        }
}

// ---- numbers

TEST(gpu_numbers, of_unified_gpus_follow_those_of_the_hardware) {
    gpu_directory d(8);
    EXPECT_EQ(d.create_unified(std::vector{2u, 3u, 5u, 6u, 7u}), 9u);
    EXPECT_EQ(d.create_unified(std::vector{8u, 1u}), 10u);
    EXPECT_THAT(d.members(9), ElementsAre(2, 3, 5, 6, 7));
    EXPECT_THAT(d.members(10), ElementsAre(8, 1));
    for (unsigned g = 1; g <= 8; ++g) {
        EXPECT_THAT(d.members(g), ElementsAre(g));
        EXPECT_FALSE(d.unified(g));
    }
    EXPECT_TRUE(d.unified(9) && d.unified(10));
    EXPECT_FALSE(d.unified(11));
}

TEST(gpu_numbers, lists_that_make_no_gpu_are_refused_and_use_up_no_number) {
    gpu_directory d(8);
    ASSERT_EQ(d.create_unified(std::vector{1u, 2u}), 9u);
    const auto refused = [&](std::vector<unsigned> members, const char* why) {
        EXPECT_THAT([&] { d.create_unified(members); }, ThrowsMessage<std::invalid_argument>(HasSubstr(why)));
    };
    refused({}, "of no GPUs");
    refused({3, 9}, "GPU 9 is a unified one");
    refused({3, 10}, "no GPU 10");
    refused({0}, "no GPU 0");
    refused({4, 5, 4}, "GPU 4 twice");
    EXPECT_THAT([&] { (void)d.members(10); }, ThrowsMessage<std::invalid_argument>(HasSubstr("no GPU 10, but 1 to 9")));
    EXPECT_THROW((void)d.members(0), std::invalid_argument);
    EXPECT_EQ(d.create_unified(std::vector{3u}), 10u);
    EXPECT_THROW(gpu_directory(0), std::invalid_argument);
}

// ---- pages

struct pages_of_8_gpus {
    static constexpr core::bytes memory{1u << 20};  // 256 pages a GPU
    observe::statistics statistics;
    memory::address_map map{8, memory, 1};
    memory::page_table table{statistics, "pages", {core::bytes{4096}, memory::placement::first_touch}, map};
    address_space space{table, map};

    std::vector<unsigned> gpus_of(std::uint64_t address, unsigned pages) const {
        std::vector<unsigned> out;
        for (unsigned i = 0; i < pages; ++i) out.push_back(space.gpu_of(1, address + i * 4096));
        return out;
    }
};

TEST(pages, of_16_kib_on_a_unified_gpu_of_four_lie_one_on_each) {
    pages_of_8_gpus p;
    const std::vector<unsigned> members{1, 2, 3, 4};
    const auto a = p.space.allocate(1, {16384}, members);
    EXPECT_THAT(p.gpus_of(a, 4), ElementsAre(1, 2, 3, 4));
    // The GPU's number is in the high bits; no two pages are neighbours in physical memory.
    for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(p.space.physical(1, a + i * 4096), std::uint64_t{i + 1} << 20);
    const auto b = p.space.allocate(1, {16384}, members);
    EXPECT_EQ(b, a + 16384);
    for (unsigned i = 0; i < 4; ++i)
        EXPECT_EQ(p.space.physical(1, b + i * 4096 + 5), (std::uint64_t{i + 1} << 20) + 4096 + 5);
}

TEST(pages, go_round_the_members_as_they_are_listed) {
    pages_of_8_gpus p;
    const auto a = p.space.allocate(1, {6 * 4096 + 1}, std::vector{7u, 2u, 5u});
    EXPECT_THAT(p.gpus_of(a, 6), ElementsAre(7, 2, 5, 7, 2, 5));
    EXPECT_EQ(p.space.gpu_of(1, a + 6 * 4096), 7u);  // the page that holds one byte
    EXPECT_THROW((void)p.space.physical(1, a + 6 * 4096 + 1), std::out_of_range);
    EXPECT_EQ(p.space.free_pages(7), 253u);
    EXPECT_EQ(p.space.free_pages(1), 256u);
}

TEST(pages, of_a_single_gpu_follow_one_another) {
    pages_of_8_gpus p;
    const auto a = p.space.allocate(1, {3 * 4096}, std::vector{3u});
    for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(p.space.physical(1, a + i * 4096), (3u << 20) + i * 4096);
}

TEST(pages, stand_in_the_table_that_units_translate_by) {
    pages_of_8_gpus p;
    const auto a = p.space.allocate(1, {2 * 4096}, std::vector{4u, 6u});
    EXPECT_EQ(p.table.translate(a + 4096 + 8, 0), (6u << 20) + 8);
    p.space.free(1, a);
    EXPECT_THROW((void)p.table.translate(a, 0), std::out_of_range);
    EXPECT_THROW((void)p.space.physical(1, a), std::out_of_range);
    EXPECT_GT(p.space.allocate(1, {1}, std::vector{4u}), a);  // the address is not used again, its frame is
    EXPECT_EQ(p.space.free_pages(4), 255u);
}

TEST(pages, of_one_process_are_not_anothers) {
    pages_of_8_gpus p;
    const auto a = p.space.allocate(1, {100}, std::vector{1u});
    EXPECT_THROW((void)p.space.physical(2, a), std::out_of_range);
    EXPECT_THROW(p.space.free(2, a), std::invalid_argument);
    EXPECT_THROW(p.space.free(1, a + 4), std::invalid_argument);
    EXPECT_NO_THROW((void)p.space.range_of(1, a, 100));
    EXPECT_THROW((void)p.space.range_of(1, a + 1, 100), std::out_of_range);
    EXPECT_THROW((void)p.space.range_of(1, a - 1, 1), std::out_of_range);
    EXPECT_THROW((void)p.space.range_of(1, a + 50, ~std::uint64_t{0}), std::out_of_range);
}

TEST(pages, that_find_no_room_leave_nothing_behind) {
    pages_of_8_gpus p;
    p.space.allocate(1, {250 * 4096}, std::vector{2u});
    try {
        p.space.allocate(1, {14 * 4096}, std::vector{1u, 2u});  // 7 each
        FAIL();
    } catch (const gpu_memory_full& full) {
        EXPECT_EQ(full.gpu(), 2u);
        EXPECT_EQ(full.wanted().count, 7u * 4096);
        EXPECT_EQ(full.free().count, 6u * 4096);
        EXPECT_THAT(full.what(), HasSubstr("the memory of GPU 2 is full: 28KiB more are wanted, 24KiB are free"));
    }
    EXPECT_EQ(p.space.free_pages(1), 256u);
    EXPECT_EQ(p.space.free_pages(2), 6u);
    EXPECT_NO_THROW(p.space.allocate(1, {12 * 4096}, std::vector{1u, 2u}));
}

// A mapper that fails at the n-th page.
class short_table final : public memory::page_mapper_if {
public:
    std::uint64_t page_size() const override { return 4096; }
    void map(std::uint32_t, std::uint64_t, std::uint64_t) override {
        if (mapped == 3) throw std::runtime_error("no room in the table");
        ++mapped;
    }
    void unmap(std::uint32_t, std::uint64_t) override { --mapped; }
    void remap(std::uint32_t, std::uint64_t, std::uint64_t) override {}
    int mapped = 0;
};

TEST(pages, that_the_table_cannot_take_leave_nothing_behind) {
    short_table table;
    address_space space(table, memory::address_map(2, {1u << 20}, 1));
    EXPECT_THROW(space.allocate(1, {5 * 4096}, std::vector{1u, 2u}), std::runtime_error);
    EXPECT_EQ(table.mapped, 0);
    EXPECT_EQ(space.free_pages(1) + space.free_pages(2), 512u);
    EXPECT_NO_THROW(space.allocate(1, {3 * 4096}, std::vector{1u, 2u}));
}

TEST(pages, that_move_have_one_frame_at_a_time) {
    pages_of_8_gpus p;
    const auto a = p.space.allocate(1, {3 * 4096}, std::vector{1u});
    const auto to = p.space.move_page(1, a + 4096 + 77, 5);
    EXPECT_EQ(to, 5u << 20);
    EXPECT_THAT(p.gpus_of(a, 3), ElementsAre(1, 5, 1));
    EXPECT_EQ(p.table.translate(a + 4096, 0), to);
    EXPECT_EQ(p.space.free_pages(1), 254u);
    EXPECT_EQ(p.space.free_pages(5), 255u);
    p.space.allocate(1, {255 * 4096}, std::vector{5u});
    EXPECT_THROW(p.space.move_page(1, a, 5), gpu_memory_full);
    EXPECT_THAT(p.gpus_of(a, 3), ElementsAre(1, 5, 1));
}

TEST(page_table, maps_each_page_once) {
    pages_of_8_gpus p;
    p.table.map(1, address_space::first_address, 4096);
    EXPECT_THROW(p.table.map(1, address_space::first_address, 8192), std::logic_error);
    EXPECT_THROW(p.table.map(1, address_space::first_address + 5, 8192), std::logic_error);
    EXPECT_THROW(p.table.map(1, 4096, 8192), std::logic_error);
    EXPECT_THROW(p.table.remap(1, address_space::first_address + 4096, 8192), std::logic_error);
    EXPECT_THROW(p.table.unmap(1, address_space::first_address + 4096), std::logic_error);
    p.table.unmap(1, address_space::first_address);
    EXPECT_THROW(p.table.unmap(1, address_space::first_address), std::logic_error);
}

}  // namespace
