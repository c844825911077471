// SPDX-License-Identifier: Apache-2.0
// What is wrong is refused, named at its place in the order of its queue pair, and changes nothing.
#include <array>
#include <functional>

#include "nic/queue_pair/nic_bench.h"

using namespace contraflow;
using namespace contraflow::nic;
using core::sim_time;
using nic::testing::bench;
using nic::testing::bench_spec;
using nic::testing::node;
using enum nic::work_status;

namespace {

using host::queue_pair_driver;

// What an entry is posted with, and what comes of it.
struct mistake {
    std::string name;
    work_status status;
    std::function<work_entry(bench&)> make;
};
void PrintTo(const mistake& m, std::ostream* to) { *to << m.name; }

queue_pair_driver::handle region(bench& b, unsigned n, const access_rights& rights, std::uint64_t length = 0) {
    // The first page of the data again, at another address.
    const auto h = b[n].driver->register_memory(
        {memory_space::host, 0x40'0000, {b[n].gpu_address(b[n].pages[0] * node::page)}, length, rights});
    b.sim.run();
    return h;
}
queue_pair_driver::handle nowhere(bench& b, unsigned n) {
    const auto h =
        b[n].driver->register_memory({memory_space::host, 0x40'0000, {0x7f'0000'0000}, 0, {true, true, true, true}});
    b.sim.run();
    return h;
}
work_entry to_region(work_entry e, std::uint32_t key) {
    e.remote_address = 0x40'0000;
    e.remote_key = key;
    return e;
}
work_entry from_region(work_entry e, std::uint32_t key) {
    e.local_address = 0x40'0000;
    e.local_key = key;
    return e;
}

const std::vector<mistake> mistakes{
    {"wrong_local_key", local_access,
     [](bench& b) {
         work_entry e = b.write(0, 0, 1, 0, 100);
         e.local_key ^= 1;
         return e;
     }},
    {"no_such_local_region", local_access,
     [](bench& b) {
         work_entry e = b.write(0, 0, 1, 0, 100);
         e.local_key = 0xffff'ff00;
         return e;
     }},
    {"source_out_of_bounds", local_access, [](bench& b) { return b.write(0, node::data_bytes - 99, 1, 0, 100); }},
    {"source_before_the_region", local_access, [](bench& b) { return b.write(0, std::uint64_t(0) - 1, 1, 0, 100); }},
    {"read_into_memory_without_the_right", local_access,
     [](bench& b) { return from_region(b.read(0, 0, 1, 0, 8), region(b, 0, {}).local_key); }},
    {"local_key_in_the_place_of_the_remote_one", remote_access,
     [](bench& b) {
         work_entry e = b.write(0, 0, 1, 0, 100);
         e.remote_key = b[1].data.local_key;
         return e;
     }},
    {"wrong_remote_key", remote_access,
     [](bench& b) {
         work_entry e = b.write(0, 0, 1, 0, 100);
         e.remote_key += 2;
         return e;
     }},
    {"target_out_of_bounds_by_its_last_byte", remote_access,
     [](bench& b) { return b.write(0, 0, 1, node::data_bytes - 9999, 10'000); }},
    {"inline_data_out_of_bounds", remote_access, [](bench& b) { return b.store(1, node::data_bytes - 7, 1); }},
    {"write_to_read_only_memory", remote_access,
     [](bench& b) {
         return to_region(b.write(0, 0, 1, 0, 100), region(b, 1, {true, true, false, true}).remote_key);
     }},
    {"read_without_the_right", remote_access,
     [](bench& b) {
         return to_region(b.read(0, 0, 1, 0, 100), region(b, 1, {true, false, true, true}).remote_key);
     }},
    {"atomic_without_the_right", remote_access,
     [](bench& b) {
         return to_region(b.add(0, 0, 1, 0, 1), region(b, 1, {true, true, true, false}).remote_key);
     }},
    {"beyond_a_region_that_ends_within_its_page", remote_access,
     [](bench& b) {
         return to_region(b.write(0, 0, 1, 0, 101), region(b, 1, {true, true, true, true}, 100).remote_key);
     }},
    {"key_of_memory_that_is_not_registered_any_more", remote_access,
     [](bench& b) {
         const auto h = region(b, 1, {true, true, true, true});
         b[1].driver->deregister(h);
         b.sim.run();
         return to_region(b.write(0, 0, 1, 0, 100), h.remote_key);
     }},
    {"key_of_an_earlier_registration", remote_access,
     [](bench& b) {
         const auto h = region(b, 1, {true, true, true, true});
         b[1].driver->deregister(h);
         region(b, 1, {true, true, true, true});
         return to_region(b.write(0, 0, 1, 0, 100), h.remote_key);
     }},
    {"atomic_that_is_not_aligned", remote_request, [](bench& b) { return b.add(0, 0, 1, 4, 1); }},
    {"source_on_no_device", local_memory,
     [](bench& b) { return from_region(b.write(0, 0, 1, 0, 100), nowhere(b, 0).local_key); }},
    {"read_from_no_device", remote_memory,
     [](bench& b) { return to_region(b.read(0, 0, 1, 0, 100), nowhere(b, 1).remote_key); }},
    {"atomic_on_no_device", remote_memory,
     [](bench& b) { return to_region(b.add(0, 0, 1, 0, 1), nowhere(b, 1).remote_key); }},
};

class errors : public ::testing::TestWithParam<mistake> {};
INSTANTIATE_TEST_SUITE_P(queue_pair, errors, ::testing::ValuesIn(mistakes), [](const auto& p) { return p.param.name; });

TEST_P(errors, end_their_entry_and_their_queue_pair_and_change_nothing) {
    bench_spec s;
    s.nic.retry_after = sim_time::from_us(50);
    bench b(s);
    b.connect(0, 0, 1, 0);
    b.connect(0, 1, 1, 1);
    for (unsigned n = 0; n < 2; ++n) b[n].fill(0, node::data_bytes, n);
    const work_entry wrong = GetParam().make(b);
    const auto mine = b[0].gpu, theirs = b[1].gpu;
    work_entry good = b.store(1, 512, 0x1111);
    good.signalled = false;
    b[0].post(0, good);
    b[0].post(0, wrong);
    for (unsigned i = 0; i < 3; ++i) {  // without a completion if they were done
        work_entry e = b.write(0, 0, 1, 1024 * i, 64);
        e.signalled = false;
        b[0].post(0, e);
    }
    b[0].put(1, b.store(1, 520, 0x2222));  // another queue pair
    b[0].ring(0);
    b.sim.run();
    const auto all = b[0].take(0);
    ASSERT_EQ(all.size(), 4u);
    EXPECT_EQ(all[0].status, GetParam().status) << to_text(all[0].status);
    EXPECT_EQ(all[0].number, 2u);
    for (unsigned i = 1; i < 4; ++i) {
        EXPECT_EQ(all[i].status, flushed);
        EXPECT_EQ(all[i].number, 2 + i);
    }
    EXPECT_EQ(b[0].take(1).size(), 1u);
    const auto state = b[0].nic->sends().status_of(0);
    EXPECT_EQ(state.state, queue_state::failed);
    EXPECT_EQ(state.fault, queue_fault::entry);
    EXPECT_EQ(state.entry, GetParam().status);
    EXPECT_EQ(state.number, 2u);
    EXPECT_EQ(b[0].nic->sends().status_of(1).state, queue_state::open);
    EXPECT_EQ(b[0].failures, 1u);
    // Rung for afterwards.
    b[0].put(0, b.store(1, 2000, 5));
    b.sim.run();
    const auto late = b[0].take(0);
    ASSERT_EQ(late.size(), 1u);
    EXPECT_EQ(late[0].status, flushed);
    // The two good stores, and nothing else.
    EXPECT_EQ(b[1].word(512), 0x1111u);
    EXPECT_EQ(b[1].word(520), 0x2222u);
    auto expected = theirs;
    for (unsigned i = 0; i < 8; ++i) {
        expected[b[1].place(512 + i)] = b[1].at(512 + i);
        expected[b[1].place(520 + i)] = b[1].at(520 + i);
    }
    // The other end hears of an error on PCIe after it has accepted later writes.
    for (unsigned i = 0; i < 3 && GetParam().status == remote_memory; ++i)
        for (unsigned j = 0; j < 64; ++j) expected[b[1].place(1024 * i + j)] = b[1].at(1024 * i + j);
    EXPECT_TRUE(std::equal(expected.begin(), expected.begin() + node::data_bytes, b[1].gpu.begin()));
    EXPECT_TRUE(std::equal(mine.begin(), mine.begin() + node::data_bytes, b[0].gpu.begin()));
    b.sim.run();
    b.expect_clean();

    // It can be opened anew.
    b.connect(0, 0, 1, 0);
    b[0].posted[0] = b[0].taken[0] = 0;
    std::fill_n(b[0].gpu.begin() + node::rings_at, node::ring_bytes, std::uint8_t{0});
    b[0].put(0, b.store(1, 2000, 5));
    b.sim.run();
    EXPECT_EQ(b[1].word(2000), 5u);
    EXPECT_EQ(b[0].take(0).size(), 1u);
}

TEST(errors_of_software, an_entry_that_is_not_ready_stops_its_queue_pair_there) {
    bench b;
    b.connect(0, 0, 1, 0);
    b[0].post(0, b.store(1, 0, 1));
    b[0].driver->doorbell(0, 3);  // 2 and 3 are not there
    b.sim.run();
    const auto all = b[0].take(0);
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0].status, done);
    EXPECT_EQ(all[1].status, bad_entry);
    EXPECT_EQ(all[1].number, 2u);
    EXPECT_EQ(all[2].status, flushed);
    EXPECT_EQ(b[0].nic->sends().status_of(0).entry, bad_entry);
    EXPECT_EQ(b[0].nic->sends().status_of(0).number, 2u);
    EXPECT_EQ(b[1].word(0), 1u);
    b.sim.run();
    b.expect_clean();
}

TEST(errors_of_software, an_entry_of_the_last_pass_over_the_ring_is_not_ready) {
    bench_spec s;
    s.entries = 4;
    bench b(s);
    b.connect(0, 0, 1, 0);
    for (unsigned i = 0; i < 4; ++i) b[0].post(0, b.store(1, 8 * i, i));
    b[0].ring(0);
    b.sim.run();
    EXPECT_EQ(b[0].take(0).size(), 4u);
    b[0].driver->doorbell(0, 5);  // entry 1 is still where 5 belongs
    b.sim.run();
    const auto all = b[0].take(0);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].status, bad_entry);
    EXPECT_EQ(all[0].number, 5u);
}

TEST(errors_of_software, a_doorbell_beyond_the_ring_fails_the_queue_pair) {
    bench_spec s;
    s.entries = 16;
    bench b(s);
    b.connect(0, 0, 1, 0);
    b[0].driver->doorbell(0, 17);
    b.sim.run();
    const auto state = b[0].nic->sends().status_of(0);
    EXPECT_EQ(state.state, queue_state::failed);
    EXPECT_EQ(state.fault, queue_fault::doorbell_overrun);
    EXPECT_EQ(state.number, 17u);
    EXPECT_TRUE(b[0].take(0).empty());
    EXPECT_EQ(b[0].failures, 1u);
    b.expect_clean();
    // The whole ring is not beyond it.
    b.connect(0, 1, 1, 1);
    for (unsigned i = 0; i < 16; ++i) b[0].post(1, b.store(1, 8 * i, i));
    b[0].ring(1);
    b.sim.run();
    EXPECT_EQ(b[0].take(1).size(), 16u);
    b.sim.run();
    b.expect_clean();
}

TEST(errors_of_software, a_doorbell_that_was_overtaken_changes_nothing) {
    bench b;
    b.connect(0, 0, 1, 0);
    for (unsigned i = 0; i < 4; ++i) b[0].post(0, b.store(1, 8 * i, i + 1));
    b[0].driver->doorbell(0, 4);
    b[0].driver->doorbell(0, 2);
    b.sim.run();
    b[0].driver->doorbell(0, 1);
    b.sim.run();
    EXPECT_EQ(b[0].take(0).size(), 4u);
    EXPECT_EQ(b[0].nic->sends().status_of(0).state, queue_state::open);
    b.sim.run();
    b.expect_clean();
}

TEST(errors_of_software, completions_that_are_not_taken_fail_the_queue_pair_and_none_is_lost) {
    bench_spec s;
    s.completions = 4;
    bench b(s);
    b.connect(0, 0, 1, 0);
    for (unsigned i = 0; i < 10; ++i) b[0].post(0, b.store(1, 8 * i, i + 1));
    b[0].ring(0);
    b.sim.run();
    const auto state = b[0].nic->sends().status_of(0);
    EXPECT_EQ(state.state, queue_state::failed);
    EXPECT_EQ(state.fault, queue_fault::completion_overrun);
    EXPECT_EQ(state.number, 5u);
    EXPECT_EQ(state.completions, 4u);
    EXPECT_THAT(b.waits(), ::testing::HasSubstr("send.queue[0] waits for room in its completion ring of software"));
    std::vector<queue_completion> all;
    for (unsigned i = 0; i < 4; ++i) {
        for (const auto& c : b[0].take(0)) all.push_back(c);
        b.sim.run();
    }
    ASSERT_EQ(all.size(), 10u);
    for (unsigned i = 0; i < 10; ++i) {
        EXPECT_EQ(all[i].number, i + 1);
        EXPECT_TRUE(all[i].status == (i < 5 ? done : all[i].status));
        if (all[i].status == done) { EXPECT_EQ(b[1].word(8 * i), i + 1); }
    }
    EXPECT_EQ(all[9].status, flushed);
    b.expect_clean();
}

TEST(errors_of_software, registers_refuse_what_is_not_valid) {
    bench b;
    const auto refused = [&] {
        for (const observe::stat_row& r : b.statistics.rows(b.sim.events().now()))
            if (r.path.find("nic0.refused_writes") != std::string::npos && r.metric == "count") return r.value;
        return -1.0;
    };
    const auto r = b[0].rings_of(0);
    const auto open = [&](std::uint32_t queue, const queue_setup& s) {
        const double before = refused();
        b[0].driver->open(queue, s);
        b.sim.run();
        return refused() - before;
    };
    const queue_setup good{r.entries_at, r.completions_at, 64, 64, 1, 0, 0, 0};
    queue_setup s = good;
    s.entries = 48;
    EXPECT_EQ(open(0, s), 1);
    s = good;
    s.completion_entries = 0;
    EXPECT_EQ(open(0, s), 1);
    s = good;
    s.send_ring += 8;
    EXPECT_EQ(open(0, s), 1);
    s = good;
    s.node = 0;  // itself
    EXPECT_EQ(open(0, s), 1);
    EXPECT_EQ(open(b.spec.nic.queues, good), 1);
    double before = refused();
    b[0].driver->doorbell(0, 1);  // not open
    b.sim.run();
    EXPECT_EQ(refused() - before, 1);
    EXPECT_EQ(open(0, good), 0);
    before = refused();
    b[0].driver->consumed(0, 1);  // nothing has completed
    b.sim.run();
    EXPECT_EQ(refused() - before, 1);
    // An entry from its middle; its first words alone are none.
    host::register_writer writes(*b[0].host_side);
    const std::uint64_t at = b[0].nic->register_address(0, queue_pair_nic::queue_register::entry);
    before = refused();
    for (const std::uint64_t offset : {32u, 0u, 8u}) {
        writes.write(at + offset, std::array<std::uint32_t, 2>{});
        b.sim.run();
    }
    EXPECT_EQ(refused() - before, 1) << "the one in the middle";
    EXPECT_EQ(b[0].ends.size(), 0u);
    // In use: it may not be opened anew or closed.
    b[0].post(0, b.store(1, 0, 1));
    b[0].ring(0);
    b.sim.run_to(b.sim.events().now() + sim_time::from_us(1));
    before = refused();
    b[0].driver->close(0);
    b[0].driver->open(0, good);
    b.sim.run_to(b.sim.events().now() + sim_time::from_us(1));
    EXPECT_EQ(refused() - before, 2);
}

TEST(errors_of_software, a_nic_that_takes_no_entries_with_doorbells_refuses_them) {
    bench_spec s;
    s.nic.pushed_entries = false;
    bench b(s);
    b.connect(0, 0, 1, 0);
    b[0].push(0, b.store(1, 0, 1));
    b.sim.run();
    EXPECT_EQ(b[0].ends.size(), 0u);
    EXPECT_EQ(b[1].word(0), 0u);
}

TEST(errors_of_software, the_driver_refuses_what_it_cannot_register) {
    bench_spec s;
    s.nic.regions = 2;
    bench b(s);
    auto& d = *b[0].driver;
    EXPECT_THROW(d.register_memory({memory_space::host, 5, {0}, 0, {}}), std::invalid_argument);
    EXPECT_THROW(d.register_memory({memory_space::host, 4096, {}, 0, {}}), std::invalid_argument);
    EXPECT_THROW(d.register_memory({memory_space::host, 4096, {0}, 4097, {}}), std::invalid_argument);
    const auto second = d.register_memory({memory_space::host, 4096, {0}, 0, {}});
    EXPECT_THROW(d.register_memory({memory_space::host, 8192, {0}, 0, {}}), std::invalid_argument);
    d.deregister(second);
    EXPECT_NE(d.register_memory({memory_space::host, 4096, {0}, 0, {}}).remote_key, second.remote_key);
}

// The other end sees packets of nobody it is connected to.
TEST(errors_of_software, packets_to_a_queue_pair_of_another_are_dropped) {
    bench_spec s;
    s.nodes = 3;
    s.nic.retry_after = sim_time::from_us(10);
    s.nic.retries = 1;
    bench b(s);
    b.connect(1, 0, 2, 0);
    const auto r = b[0].rings_of(0);
    b[0].driver->open(0, {r.entries_at, r.completions_at, 64, 64, 2, 0, s.first_sequence, 0});
    b[0].put(0, b.store(2, 0, 7));
    b[1].put(0, b.store(2, 8, 9));
    b.sim.run();
    EXPECT_EQ(b[2].word(0), 0u);
    EXPECT_EQ(b[2].word(8), 9u);
    EXPECT_EQ(b[0].take(0).at(0).status, retries_exceeded);
    EXPECT_EQ(b[1].take(0).at(0).status, done);
}

}  // namespace
