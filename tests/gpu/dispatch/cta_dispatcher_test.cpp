// SPDX-License-Identifier: Apache-2.0
// The socket that runs each CTA, the places of pages that follow from it, and the steps between kernels.
#include <gtest/gtest.h>

#include "gpu/timed_machine.h"

namespace {

using namespace contraflow;
using namespace contraflow::gpu;
using gpu::testing::machine_spec;
using gpu::testing::timed_machine;

// The socket that ran each CTA, found from the place of the page that the CTA touched first.
std::vector<unsigned> sockets_of_ctas(machine_spec s, dim3 grid) {
    s.pages.page_size = {4096};
    timed_machine m(s);
    auto x = m.memory.allocate<float>(grid.count() * 1024);
    m.run(grid, 32, [=](wave w) -> kernel { co_await w.load(x, w.cta() * 1024); });
    std::vector<unsigned> out;
    for (std::uint64_t c = 0; c < grid.count(); ++c) out.push_back(m.map.socket_of(*m.pages.find(x.address(c * 1024))));
    EXPECT_TRUE(m.conserved());
    return out;
}

machine_spec four_sockets(cta_order order) {
    machine_spec s;
    s.sockets = 4;
    s.dispatcher.order = order;
    return s;
}

TEST(cta_dispatcher, cuts_a_grid_into_one_run_a_socket) {
    const auto ran = sockets_of_ctas(four_sockets(cta_order::contiguous), 32);
    for (unsigned c = 0; c < 32; ++c) EXPECT_EQ(ran[c], c / 8);
}

TEST(cta_dispatcher, the_first_sockets_take_what_is_left_over) {
    EXPECT_EQ(sockets_of_ctas(four_sockets(cta_order::contiguous), 10),
              (std::vector<unsigned>{0, 0, 0, 1, 1, 1, 2, 2, 3, 3}));
    EXPECT_EQ(sockets_of_ctas(four_sockets(cta_order::contiguous), 3), (std::vector<unsigned>{0, 1, 2}));
}

TEST(cta_dispatcher, cuts_grids_of_more_dimensions_by_their_flattened_numbers) {
    const auto ran = sockets_of_ctas(four_sockets(cta_order::contiguous), {3, 2, 2});
    EXPECT_EQ(ran, (std::vector<unsigned>{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3}));
}

TEST(cta_dispatcher, round_robin_gives_each_socket_one_in_turn) {
    const auto ran = sockets_of_ctas(four_sockets(cta_order::round_robin), {5, 2});
    for (unsigned c = 0; c < 10; ++c) EXPECT_EQ(ran[c], c % 4);
}

TEST(cta_dispatcher, fills_units_breadth_first_and_every_cta_runs_once) {
    machine_spec s;
    s.units = 3;
    s.unit.cta_slots = 2;
    timed_machine m(s);
    auto seen = m.memory.allocate<std::uint32_t>(50);
    m.run(50, 32, [=](wave w) -> kernel { co_await w.atomic_add(seen, w.cta(), 1, mask::thread(0)); });
    EXPECT_EQ(m.memory.read(seen), std::vector<std::uint32_t>(50, 1));
    EXPECT_EQ(m.target->sources.size(), 6u);
    timed_machine three(s);
    three.run(3, 32, [=](wave w) -> kernel { co_await w.compute(1); });
    EXPECT_GT(three.units[0]->instructions(), 0u);
    EXPECT_GT(three.units[1]->instructions(), 0u);
    EXPECT_GT(three.units[3]->instructions(), 0u);
}

TEST(cta_dispatcher, a_launch_has_its_cost_and_ctas_their_interval) {
    machine_spec s;
    s.sockets = s.units = 1;
    s.dispatcher.launch_cost = {500};
    s.dispatcher.cta_interval = {10};
    timed_machine m(s);
    EXPECT_EQ(m.run(4, 32, [](wave w) -> kernel { co_await w.compute(5); }).ps, (500u + 3 * 10 + 5) * 1000);
    EXPECT_EQ(m.host.launches().front().begun.ps, 500'000u);
    EXPECT_EQ(m.host.launches().front().ended_at.ps, 535'000u);
}

TEST(cta_dispatcher, kernels_follow_one_another_in_order) {
    timed_machine m;
    auto x = m.memory.allocate<std::uint32_t>(1);
    auto program = [&](gpu_system_if& gpu) -> host_task {
        auto a = gpu.launch({"a", 8, 64, [=](wave w) -> kernel { co_await w.atomic_add(x, 0, 1); }});
        auto b = gpu.launch({"b", 1, 1, [=](wave w) -> kernel { co_await w.atomic_exchange(x, 0, 7); }});
        co_await b;
        EXPECT_EQ(gpu.memory().read(x, 0), 7u);
        co_await a;
    };
    m.run(program(m.host));
    EXPECT_LE(m.host.launches()[0].ended_at, m.host.launches()[1].begun);
}

// Takes time at both boundaries, and logs them.
class slow_boundary final : public kernel_boundary_if {
public:
    slow_boundary(timed_machine& m, std::string name, std::string& log, unsigned ns)
        : machine_(m),
          name_(std::move(name)),
          log_(log),
          ns_(ns) {}
    bool kernel_begins(const kernel_launch& k) override { return note("+", k); }
    bool kernel_ends(const kernel_launch& k) override { return note("-", k); }

private:
    bool note(const char* what, const kernel_launch& k) {
        log_ += name_ + what + k.name() + " ";
        if (ns_ == 0) return true;
        kernel_ = &k;
        machine_.sim.events().after<&slow_boundary::done>(core::sim_time::from_ns(ns_), this);
        return false;
    }
    void done() { machine_.dispatcher.boundary_done(*kernel_); }

    timed_machine& machine_;
    std::string name_;
    std::string& log_;
    unsigned ns_;
    const kernel_launch* kernel_ = nullptr;
};

TEST(cta_dispatcher, waits_for_what_has_to_happen_between_kernels) {
    machine_spec s;
    s.dispatcher.launch_cost = {100};
    timed_machine m(s);
    std::string log;
    slow_boundary a(m, "a", log, 0), b(m, "b", log, 40), c(m, "c", log, 70);
    m.dispatcher.add_boundary(a);
    m.dispatcher.add_boundary(b);
    m.dispatcher.add_boundary(c);
    auto program = [&](gpu_system_if& gpu) -> host_task {
        co_await gpu.launch({"k", 2, 32, [&](wave w) -> kernel {
                                 log += "run ";
                                 co_await w.compute(10);
                             }});
        log += "host ";
        co_await gpu.launch({"l", 1, 32, [&](wave) -> kernel { co_return; }});
    };
    const core::sim_time took = m.run(program(m.host));
    EXPECT_EQ(log, "a+k b+k c+k run run a-k b-k c-k host a+l b+l c+l a-l b-l c-l ");
    EXPECT_EQ(took.ps, (100u + 70 + 10 + 70 + 100 + 70 + 70) * 1000);
}

TEST(paged_memory, what_the_host_writes_decides_no_place_and_moves_with_the_first_touch) {
    timed_machine m;
    std::vector<std::uint32_t> values(3 * 16384);
    for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = i ^ 0x5a5a;
    auto x = m.memory.upload(values);
    EXPECT_EQ(m.memory.read(x), values);
    EXPECT_FALSE(m.pages.find(x.address()));
    // The second socket's CTA reads the first page, the first socket's the last one.
    m.run(2, 32, [=](wave w) -> kernel { co_await w.load(x, w.cta() == 0 ? 2 * 16384 : 0); });
    EXPECT_EQ(m.map.socket_of(*m.pages.find(x.address(0))), 1u);
    EXPECT_EQ(m.map.socket_of(*m.pages.find(x.address(2 * 16384))), 0u);
    EXPECT_FALSE(m.pages.find(x.address(16384)));
    EXPECT_EQ(m.memory.read(x), values);
    m.memory.write(x, 0, 1u);
    m.memory.write(x, 16384, 2u);
    EXPECT_EQ(m.memory.read(x, 0), 1u);
    EXPECT_EQ(m.memory.read(x, 16384), 2u);
    EXPECT_THROW(m.memory.read_bytes(8, std::as_writable_bytes(std::span(values))), std::out_of_range);
}

TEST(paged_memory, interleaved_pages_go_round_the_sockets) {
    machine_spec s;
    s.sockets = 4;
    s.pages.placement = memory::placement::interleaved;
    s.pages.page_size = {4096};
    timed_machine m(s);
    auto x = m.memory.allocate<float>(8 * 1024);
    m.run(1, 32, [=](wave w) -> kernel {
        for (auto i : w.share(x.size())) co_await w.load(x, i);
    });
    for (unsigned p = 0; p < 8; ++p) EXPECT_EQ(m.map.socket_of(*m.pages.find(x.address(p * 1024))), p % 4);
    EXPECT_GT(m.profile.count(access_kind::load, true), m.profile.count(access_kind::load, false));
}

}  // namespace
