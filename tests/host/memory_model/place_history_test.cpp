// SPDX-License-Identifier: Apache-2.0
// The reference with which random programs are compared: histories made by hand, possible and impossible
// ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "place_history.h"

namespace {

using namespace contraflow;
using host::testing::place_access;
using host::testing::place_access_kind;
using host::testing::place_history;
using ::testing::HasSubstr;

// Wavefront, begin and end (ns). A CTA has ten wavefronts, each in a unit of its own.
place_access at(unsigned wave, unsigned from, unsigned to) {
    static std::uint32_t steps = 0;
    place_access a;
    a.wave = a.unit = wave;
    a.cta = wave / 10;
    a.step = ++steps;
    a.from = core::sim_time::from_ns(from);
    a.to = core::sim_time::from_ns(to);
    return a;
}
place_access store(place_access a, std::uint32_t v) {
    a.kind = place_access_kind::write;
    a.wrote = v;
    return a;
}
place_access uncached(place_access a, std::uint32_t v) {
    a.saw = v;
    return a;
}
// A load by a kernel that began at 1 ns.
place_access load(place_access a, std::uint32_t v, unsigned kernel_began = 1) {
    a.kind = place_access_kind::cached_read;
    a.copied_from = core::sim_time::from_ns(kernel_began);
    a.saw = v;
    return a;
}
place_access atomic(place_access a, std::uint32_t old, std::uint32_t v) {
    a.kind = place_access_kind::modify;
    a.saw = old;
    a.wrote = v;
    return a;
}
place_access in_phase(place_access a, std::uint32_t phase) {
    a.phase = phase;
    return a;
}

std::string wrong(std::initializer_list<place_access> all) {
    place_history h;
    for (const place_access& a : all) h.add(a);
    return h.contradiction();
}
#define MAY_BE(...) EXPECT_EQ(wrong({__VA_ARGS__}), "")
#define MAY_NOT_BE(text, ...) EXPECT_THAT(wrong({__VA_ARGS__}), HasSubstr(text))

TEST(place_history, what_the_home_has_is_what_was_written_last) {
    MAY_BE(uncached(at(1, 10, 20), 0));
    MAY_BE(store(at(1, 10, 20), 5), uncached(at(2, 21, 30), 5));
    MAY_NOT_BE("no order", store(at(1, 10, 20), 5), uncached(at(2, 21, 30), 0));
    MAY_BE(store(at(1, 10, 20), 5), uncached(at(2, 15, 30), 0));
    MAY_NOT_BE("no order", store(at(1, 10, 20), 5), store(at(2, 30, 40), 6), uncached(at(3, 50, 60), 5));
    MAY_BE(store(at(1, 10, 45), 5), store(at(2, 30, 40), 6), uncached(at(3, 50, 60), 5));
    MAY_NOT_BE("nobody wrote", uncached(at(1, 10, 20), 7));
    MAY_NOT_BE("before it was written", uncached(at(1, 10, 20), 7), store(at(2, 21, 30), 7));
}

TEST(place_history, all_see_the_same_order) {
    MAY_BE(store(at(1, 10, 90), 5), store(at(2, 10, 90), 6), uncached(at(3, 20, 25), 5), uncached(at(3, 30, 35), 6),
           uncached(at(4, 22, 26), 5), uncached(at(4, 31, 36), 6));
    MAY_NOT_BE("no order", store(at(1, 10, 90), 5), store(at(2, 10, 90), 6), uncached(at(3, 20, 25), 5),
               uncached(at(3, 30, 35), 6), uncached(at(4, 20, 25), 6), uncached(at(4, 30, 35), 5));
    // The same for copies, when only the order of each wavefront is known.
    MAY_NOT_BE("no order", store(at(10, 10, 90), 5), store(at(20, 10, 90), 6), load(at(30, 20, 80), 5),
               load(at(30, 20, 80), 6), load(at(40, 20, 80), 6), load(at(40, 20, 80), 5));
    MAY_NOT_BE("no order", store(at(1, 10, 90), 5), store(at(2, 10, 90), 6), uncached(at(3, 20, 25), 5),
               uncached(at(3, 30, 35), 6), uncached(at(3, 40, 45), 5));
    // 1 before 2 before 3 before 1: each of three wavefronts has seen two of them.
    MAY_NOT_BE("no order", store(at(10, 1, 90), 1), store(at(20, 1, 90), 2), store(at(30, 1, 90), 3),
               load(at(40, 5, 80), 1), load(at(40, 5, 80), 2), load(at(50, 5, 80), 2), load(at(50, 5, 80), 3),
               load(at(60, 5, 80), 3), load(at(60, 5, 80), 1));
}

TEST(place_history, a_copy_is_as_old_as_its_kernel_and_no_older) {
    place_history h;
    h.add(store(at(1, 10, 20), 5));
    h.add(load(at(20, 50, 60), 0));
    EXPECT_EQ(h.contradiction(), "");
    EXPECT_EQ(h.outdated_loads(), 1u);
    MAY_NOT_BE("no order", store(at(1, 10, 20), 5), load(at(20, 50, 60), 0, 30));
    MAY_BE(store(at(1, 10, 20), 5), store(at(1, 30, 40), 6), load(at(20, 50, 60), 5, 35));
    MAY_NOT_BE("no order", store(at(1, 10, 20), 5), store(at(1, 30, 40), 6), load(at(20, 50, 60), 5, 41));
    place_history fresh;
    fresh.add(store(at(1, 10, 20), 5));
    fresh.add(load(at(20, 15, 60), 0));
    EXPECT_EQ(fresh.contradiction(), "");
    EXPECT_EQ(fresh.outdated_loads(), 0u);  // memory may have held it
}

TEST(place_history, nobody_goes_back_in_time) {
    MAY_BE(store(at(1, 10, 20), 5), load(at(20, 30, 40), 0), load(at(20, 50, 60), 5));
    MAY_BE(store(at(1, 10, 20), 5), load(at(20, 30, 40), 5), load(at(30, 50, 60), 0));  // another unit may
    MAY_NOT_BE("", store(at(1, 10, 20), 5), load(at(20, 30, 40), 5), load(at(20, 50, 60), 0));
    MAY_NOT_BE("", store(at(1, 10, 20), 5), uncached(at(20, 30, 40), 5), load(at(20, 50, 60), 0));
    MAY_NOT_BE("", store(at(1, 10, 200), 5), load(at(1, 50, 60), 0));
    MAY_NOT_BE("", load(at(1, 5, 9), 6), store(at(1, 10, 200), 5), store(at(2, 3, 300), 6), load(at(1, 50, 60), 6));
    // Wavefronts of a CTA share a first-level cache, but only a barrier orders their accesses.
    MAY_BE(in_phase(store(at(10, 10, 20), 5), 0), in_phase(load(at(11, 30, 40), 0), 0));
    MAY_NOT_BE("", in_phase(store(at(10, 10, 20), 5), 0), in_phase(load(at(11, 30, 40), 0), 1));
}

TEST(place_history, a_unit_sees_what_it_stores_before_others_do) {
    MAY_BE(store(at(1, 10, 90), 5), load(at(1, 20, 30), 5), uncached(at(2, 40, 50), 0));
    MAY_NOT_BE("no order", store(at(1, 10, 90), 5), load(at(20, 20, 30), 5), uncached(at(2, 40, 50), 0));
    MAY_NOT_BE("no order", store(at(1, 10, 90), 5), uncached(at(1, 20, 30), 5), uncached(at(2, 40, 50), 0));
}

TEST(place_history, between_the_two_halves_of_an_atomic_operation_is_nothing) {
    MAY_BE(atomic(at(1, 10, 20), 0, 5), atomic(at(2, 10, 20), 5, 6), uncached(at(3, 30, 40), 6));
    MAY_NOT_BE("two atomic operations saw the same", atomic(at(1, 10, 20), 0, 5), atomic(at(2, 10, 20), 0, 6));
    MAY_NOT_BE("before it was written", atomic(at(1, 10, 20), 6, 5), atomic(at(2, 30, 40), 0, 6));
    MAY_NOT_BE("5 was over before", atomic(at(1, 10, 20), 0, 5), atomic(at(2, 10, 90), 5, 6),
               uncached(at(3, 50, 60), 0));
    MAY_NOT_BE("before itself", atomic(at(1, 10, 20), 6, 5), atomic(at(2, 10, 20), 5, 6));
    // 5, then 7, then 6, which the atomic operation made from 5.
    MAY_NOT_BE("no order", store(at(1, 1, 90), 5), atomic(at(2, 1, 90), 5, 6), store(at(3, 1, 90), 7),
               load(at(40, 5, 80), 5), load(at(40, 5, 80), 7), load(at(40, 5, 80), 6));
    MAY_BE(store(at(1, 1, 90), 5), atomic(at(2, 1, 90), 5, 6), store(at(3, 1, 90), 7), load(at(40, 5, 80), 5),
           load(at(40, 5, 80), 6), load(at(40, 5, 80), 7));
    MAY_NOT_BE("", atomic(at(1, 1, 90), 0, 5), atomic(at(2, 1, 90), 5, 6), load(at(40, 5, 80), 6),
               load(at(40, 5, 80), 5));
    // A lost store: the sum goes on without it.
    MAY_NOT_BE("no order", atomic(at(1, 1, 10), 0, 5), store(at(2, 20, 30), 7), atomic(at(3, 40, 50), 5, 6));
}

}  // namespace
