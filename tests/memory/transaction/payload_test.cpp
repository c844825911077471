// SPDX-License-Identifier: Apache-2.0
// Payloads are reused and lie in one block, and their milestones cover their whole life without gaps.
#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "memory/cache/cached_memory.h"
#include "memory/transaction/payload.h"

using namespace contraflow;
using namespace contraflow::memory;

namespace {

// An extension that another model attaches while the transaction is under way.
struct remark : tlm::tlm_extension<remark> {
    explicit remark(unsigned& count) : freed(count) {}
    tlm_extension_base* clone() const override { return new remark(*this); }
    void copy_from(const tlm_extension_base&) override {}
    void free() override {
        ++freed;
        delete this;
    }
    unsigned& freed;
};

TEST(payload_pool, uses_a_payload_again_and_clears_what_it_carried) {
    payload_pool pool;
    payload& first = pool.take();
    first.write(0x100, 128);
    first.extension().policy = cache_policy::bypass;
    first.extension().push_route(7);
    first.extension().times.begin({5});
    first.extension().milestone(stage::l1, {9});
    EXPECT_EQ(pool.in_flight(), 1u);
    first.release();
    EXPECT_EQ(pool.in_flight(), 0u);
    payload& again = pool.take();
    EXPECT_EQ(&again, &first);
    EXPECT_EQ(pool.size(), 1u);
    EXPECT_EQ(again.extension().policy, cache_policy::cached);
    EXPECT_FALSE(again.extension().has_route());
    EXPECT_EQ(again.extension().times.total().ps, 0u);
    again.read(0x200, 4);
    EXPECT_EQ(again.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
    EXPECT_EQ(again.get_byte_enable_ptr(), nullptr);
    again.release();
}

TEST(payload_pool, holds_a_payload_until_the_last_reference_is_gone) {
    payload_pool pool;
    payload& p = pool.take();
    p.acquire();
    p.release();
    EXPECT_EQ(pool.in_flight(), 1u);
    EXPECT_NE(&pool.take(), &p);
    p.release();
    EXPECT_EQ(&pool.take(), &p);
}

TEST(payload_pool, gives_back_as_release_does) {
    payload_pool pool;
    payload& p = pool.take();
    p.acquire();
    pool.release(p);
    EXPECT_EQ(pool.in_flight(), 1u);
    pool.release(p);
    EXPECT_EQ(pool.in_flight(), 0u);
    EXPECT_EQ(&pool.take(), &p);
    EXPECT_EQ(p.get_ref_count(), 1);
    p.release();
    EXPECT_EQ(pool.in_flight(), 0u);
}

TEST(payload_pool, removes_the_extensions_of_others_when_a_payload_is_given_back) {
    payload_pool pool;
    unsigned freed = 0;
    for (unsigned round = 1; round <= 2; ++round) {
        payload& p = pool.take();
        p.set_auto_extension(new remark(freed));
        round == 1 ? p.release() : pool.release(p);
        EXPECT_EQ(freed, round);
        EXPECT_EQ(p.get_extension<remark>(), nullptr);
        EXPECT_EQ(p.get_extension<memory_extension>(), &p.extension());
    }
}

TEST(payload_pool, has_byte_enables_for_as_many_as_use_them_at_once) {
    payload_pool pool;
    std::vector<payload*> all;
    for (unsigned round = 0; round < 2; ++round) {
        for (unsigned i = 0; i < 100; ++i) {
            all.push_back(&pool.take());
            all.back()->write(0, 128);
            if (i < 40) continue;
            std::fill_n(all.back()->enables(), 128, static_cast<std::uint8_t>(i));
            all.back()->use_enables();
        }
        for (unsigned i = 0; i < 100; ++i) {
            const std::uint8_t* const enables = all[i]->get_byte_enable_ptr();
            if (i < 40)
                EXPECT_EQ(enables, nullptr);
            else
                EXPECT_EQ(std::count(enables, enables + 128, i), 128) << i;
            all[i]->release();
        }
        all.clear();
        EXPECT_EQ(pool.enables_size(), 60u);
    }
}

// What only other requests need lies in lines of the host's cache of its own.
TEST(payload, a_read_of_a_line_in_the_memory_leaves_what_it_does_not_need_alone) {
    memory::testing::cached_memory m(memory::testing::first_level());
    payload& p = m.b.payloads.take();
    p.modify(0, 8, {atomic_op::compare_exchange, operand_type::u64, 0x1234});
    std::fill_n(p.enables(), 8, std::uint8_t{0xff});
    p.extension().times.begin({});
    for (std::size_t i = 0; i < stage_count; ++i) p.extension().milestone(static_cast<stage>(i), {100 * (i + 1)});
    for (unsigned i = 0; i < 16; ++i) p.extension().push_route(0xfeed);
    for (unsigned i = 0; i < 16; ++i) p.extension().pop_route();
    p.release();
    const auto lines = [&](std::size_t first, std::size_t end) {
        const auto* const begin = reinterpret_cast<const std::uint8_t*>(&p);
        return std::vector<std::uint8_t>(begin + 64 * first, begin + 64 * end);
    };
    const auto further = lines(1, 2);
    const auto rest = lines(4, 6);
    const auto enables = lines(8, 9);
    ASSERT_GT(std::count(rest.begin(), rest.end(), 100), 0);
    const auto& a = m.p.read(256, 128);
    m.b.sim.run();
    ASSERT_EQ(a.request, &p);
    EXPECT_EQ(a.value, (std::uint64_t{260} << 32) + 256);
    EXPECT_EQ(lines(1, 2), further);
    EXPECT_EQ(lines(4, 6), rest);
    EXPECT_EQ(lines(8, 9), enables);
}

TEST(payload, finds_its_extension_where_everybody_looks_for_it) {
    payload_pool pool;
    payload& p = pool.take();
    EXPECT_EQ(extension_of(p), &p.extension());
    EXPECT_EQ(&p.extension().carrier(), &p);
    p.release();
}

TEST(payload, a_copy_has_an_extension_of_its_own) {
    payload_pool pool;
    payload& p = pool.take();
    p.modify(0x40, 8, {atomic_op::add, operand_type::u64, 0});
    p.extension().virtual_address = 0xabc;
    {
        tlm::tlm_generic_payload copy;
        copy.deep_copy_from(p);
        ASSERT_NE(extension_of(copy), nullptr);
        EXPECT_NE(extension_of(copy), &p.extension());
        EXPECT_EQ(extension_of(copy)->virtual_address, 0xabcu);
        EXPECT_EQ(extension_of(copy)->atomic().op, atomic_op::add);
    }
    EXPECT_EQ(p.extension().virtual_address, 0xabcu);
    p.release();
}

TEST(payload, more_data_or_hops_than_there_is_room_for_are_refused) {
    payload_pool pool;
    payload& p = pool.take();
    EXPECT_THROW(p.read(0, payload::max_bytes + 1), std::length_error);
    for (unsigned i = 0; i < 16; ++i) p.extension().push_route(i);
    EXPECT_THROW(p.extension().push_route(16), std::length_error);
    for (unsigned i = 16; i > 0; --i) {
        EXPECT_EQ(p.extension().last_route(), i - 1);
        EXPECT_EQ(p.extension().pop_route(), i - 1);
    }
    EXPECT_THROW(p.extension().pop_route(), std::logic_error);
    p.release();
}

TEST(payload_pool, lends_an_extension_and_takes_it_back) {
    payload_pool pool;
    tlm::tlm_generic_payload foreign;
    memory_extension& e = pool.lend(foreign);
    EXPECT_EQ(extension_of(foreign), &e);
    EXPECT_EQ(pool.lent(), 1u);
    pool.take_back(e);
    EXPECT_EQ(extension_of(foreign), nullptr);
    EXPECT_EQ(pool.lent(), 0u);
    EXPECT_EQ(&pool.lend(foreign), &e);
    pool.take_back(e);
}

TEST(milestones, tile_a_life_with_a_fill_request_in_the_middle) {
    milestones m;
    m.begin({100});
    m.add(stage::coalescer, {130});
    m.add(stage::l1, {150});
    milestones fill;
    fill.begin({150});
    fill.add(stage::crossbar, {170});
    fill.add(stage::l2, {175});
    fill.add(stage::crossbar, {180});
    m.absorb(fill);
    m.add(stage::l1, {200});
    EXPECT_EQ(m.spent(stage::coalescer).ps, 30u);
    EXPECT_EQ(m.spent(stage::l1).ps, 40u);
    EXPECT_EQ(m.spent(stage::crossbar).ps, 25u);
    EXPECT_EQ(m.spent(stage::l2).ps, 5u);
    EXPECT_EQ(m.total().ps, 100u);
    EXPECT_TRUE(m.tile());
}

TEST(milestones, stays_of_a_recorded_life_follow_one_another) {
    milestones m;
    m.begin({100});
    m.record();
    m.add(stage::coalescer, {130});
    m.add(stage::merge, {130});
    m.add(stage::l1, {150});
    milestones fill;
    fill.begin({150});
    fill.record();
    fill.add(stage::crossbar, {170});
    fill.add(stage::link, {175});
    fill.add(stage::crossbar, {180});
    fill.add(stage::crossbar, {185});
    m.absorb(fill);
    m.add(stage::l1, {200});
    const std::vector<stay> expected{{stage::coalescer, {100}, {130}}, {stage::l1, {130}, {150}},
                                     {stage::crossbar, {150}, {170}},  {stage::link, {170}, {175}},
                                     {stage::crossbar, {175}, {185}},  {stage::l1, {185}, {200}}};
    EXPECT_EQ(m.stays(), expected);
    EXPECT_TRUE(m.tile());
    milestones copy = m;
    EXPECT_EQ(copy.stays(), expected);
    copy = milestones();
    EXPECT_FALSE(copy.recorded());
    copy = m;
    EXPECT_EQ(copy.stays(), expected);
    m.begin({300});
    m.add(stage::l1, {310});
    EXPECT_FALSE(m.recorded());
    EXPECT_TRUE(m.stays().empty());
}

TEST(milestones, tile_any_number_of_stages_and_any_length_of_stay) {
    milestones m;
    for (int life = 0; life < 2; ++life) {  // each use starts without the data of the one before
        m.begin({7});
        core::sim_time now{7};
        for (unsigned round = 1; round < 4; ++round)
            for (std::size_t i = 0; i < stage_count; ++i) m.add(static_cast<stage>(i), now += {round * (i + 1)});
        m.add(stage::dram, now += core::sim_time::from_us(100'000));
        m.add(stage::link, now += core::sim_time::from_us(200));
        m.add(stage::link, now += core::sim_time::from_us(200));
        EXPECT_EQ(m.spent(stage::l1).ps, 6u * 2);
        EXPECT_EQ(m.spent(stage::response_link).ps, 6u * (static_cast<std::size_t>(stage::response_link) + 1));
        EXPECT_EQ(m.spent(stage::dram).ps, 6u * 9 + 100'000'000'000);
        EXPECT_EQ(m.spent(stage::link).ps, 6u * 6 + 400'000'000);
        EXPECT_TRUE(m.tile());
        milestones whole;
        whole.begin({7});
        whole.absorb(m);
        const milestones copy = whole;
        EXPECT_TRUE(copy.tile());
        for (std::size_t i = 0; i < stage_count; ++i)
            EXPECT_EQ(copy.spent(static_cast<stage>(i)), m.spent(static_cast<stage>(i)));
        whole.begin({});
        EXPECT_EQ(whole.total().ps, 0u);
        whole = m;
        EXPECT_EQ(whole.total(), m.total());
        EXPECT_EQ(whole.begun().ps, 7u);
    }
}

TEST(milestones, every_stage_has_a_name_of_its_own) {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < stage_count; ++i) names.insert(stage_name(static_cast<stage>(i)));
    EXPECT_EQ(names.size(), stage_count);
    EXPECT_FALSE(names.contains(""));
    EXPECT_EQ(stage_name(stage::remote_dram), "remote_dram");
    EXPECT_EQ(stage_name(stage::response_link), "response_link");
}

}  // namespace
