// SPDX-License-Identifier: Apache-2.0
// The contents of a trace's bytes, and the refusal of all other bytes.
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text/text_fields.h"
#include "traces/trace.h"

namespace contraflow::traces {
namespace {

using testing::HasSubstr;

bytes written() {
    std::ostringstream out;
    trace_writer w(out, gpu::default_wave_width);
    w.array(4096);
    w.launch({"first", {2, 1, 1}, {64, 1, 1}, core::bytes{100}, 0});
    w.array(128);
    w.protect(0, memory::access_rights::read);
    w.write({1, 8, 120, 1});
    w.launch({"second", {1, 2, 3}, {8, 4, 1}, core::bytes{}, 1});
    step s;
    step_encoder steps;
    steps.add(s);
    w.wave(0, 1, 1, steps);
    s.kind = step_kind::accesses;
    s.work = 300;
    s.accesses.resize(2);
    for (unsigned i = 0; i < gpu::default_wave_width; ++i) s.accesses[1].offset[i] = 4 * i;
    s.accesses[1].array = 1;
    steps.add(s);
    w.wave(0, 0, 1, steps);
    w.wave(1, 5, 0, steps);
    EXPECT_TRUE(w.end());
    const auto text = out.str();
    return {text.begin(), text.end()};
}

std::string refusal(bytes contents) {
    try {
        static_cast<void>(trace(std::move(contents)));
    } catch (const bad_trace& e) { return e.what(); }
    return {};
}

TEST(trace, holds_what_was_written) {
    const trace t(written());
    EXPECT_EQ(t.array_bytes(), (std::vector<std::uint64_t>{4096, 128}));
    EXPECT_EQ(t.array_rights(), (std::vector{memory::access_rights::read, memory::access_rights::read_write}));
    ASSERT_EQ(t.launches().size(), 2u);
    EXPECT_EQ(t.launches()[0].name, "first");
    EXPECT_EQ(t.launches()[0].shared, core::bytes{100});
    EXPECT_EQ(t.launches()[1].grid, gpu::dim3(1, 2, 3));
    EXPECT_EQ(t.launches()[1].ended, 1u);
    ASSERT_EQ(t.writes().size(), 1u);
    EXPECT_EQ(static_cast<const host_write&>(t.writes()[0]), (host_write{1, 8, 120, 1}));
    EXPECT_EQ(t.writes()[0].launches, 1u);
    EXPECT_EQ(t.waves(), 3u);
    EXPECT_EQ(t.steps(), 5u);
    step_decoder d;
    step s;
    t.read(t.launches()[0], 1, 1, d);
    ASSERT_TRUE(d.next(s));
    EXPECT_EQ(s.kind, step_kind::barrier);
    EXPECT_FALSE(d.next(s));
    t.read(t.launches()[1], 5, 0, d);
    ASSERT_TRUE(d.next(s));
    ASSERT_TRUE(d.next(s));
    EXPECT_EQ(s.work, 300u);
    ASSERT_EQ(s.accesses.size(), 2u);
    EXPECT_EQ(s.accesses[1].offset[31], 124u);
    t.read(t.launches()[0], 0, 0, d);  // the trace has no bytes of it
    EXPECT_FALSE(d.next(s));
}

TEST(trace, every_changed_byte_is_found) {
    const auto right = written();
    ASSERT_EQ(refusal(right), "");
    for (std::size_t i = 0; i < right.size(); ++i) {
        for (const unsigned change : {0x01u, 0x80u, 0xffu}) {
            auto wrong = right;
            wrong[i] = static_cast<std::uint8_t>(wrong[i] ^ change);
            EXPECT_NE(refusal(wrong), "") << "byte " << i << " by " << change;
        }
    }
}

TEST(trace, every_part_is_too_little_and_more_too_much) {
    auto contents = written();
    for (std::size_t n = 0; n < contents.size(); ++n)
        EXPECT_NE(refusal({contents.begin(), contents.begin() + static_cast<std::ptrdiff_t>(n)}), "") << n;
    contents.push_back(0);
    EXPECT_THAT(refusal(contents), HasSubstr("something after its end"));
}

TEST(trace, complaints_name_what_is_wrong) {
    auto other_version = written();
    other_version[magic.size()] = version + 1;
    EXPECT_THAT(refusal(other_version), HasSubstr("byte 8: version 4, and not 3"));
    auto other_width = written();
    other_width[magic.size() + 1] = 48;
    EXPECT_THAT(refusal(other_width), HasSubstr("byte 9: wavefronts of 48 threads, and not of 32 or 64"));
    auto other_sum = written();
    other_sum.back() ^= 1;
    EXPECT_THAT(refusal(other_sum), HasSubstr("its checksum differs"));

    std::ostringstream out;
    trace_writer w(out, gpu::default_wave_width);
    w.launch({"k", {1}, {32}, {}, 0});
    w.wave(0, 0, 0, step_encoder());
    w.wave(0, 0, 0, step_encoder());
    w.end();
    const auto twice = out.str();
    EXPECT_THAT(refusal({twice.begin(), twice.end()}), HasSubstr("wavefront 0 of CTA 0 comes twice"));
}

TEST(trace, a_launch_whose_name_is_no_text_is_refused) {
    std::ostringstream out;
    trace_writer w(out, gpu::default_wave_width);
    w.launch({"k\xff", {1}, {32}, {}, 0});
    w.wave(0, 0, 0, step_encoder());
    w.end();
    const auto odd = out.str();
    EXPECT_THAT(refusal({odd.begin(), odd.end()}), HasSubstr("the name of a launch is not UTF-8 text"));
}

TEST(trace, a_file_that_is_not_there_is_an_input_error) {
    EXPECT_THROW(read_file("no/such/file"), text::input_error);
    EXPECT_THROW(read_file(""), text::input_error);
}

TEST(byte_stream, numbers_of_all_lengths_survive) {
    bytes b;
    std::vector<std::uint64_t> numbers{0, 1, 127, 128, ~std::uint64_t{0}};
    for (unsigned i = 0; i < 64; ++i) numbers.push_back(std::uint64_t{0xdeadbeefcafef00d} >> i);
    for (const auto n : numbers) {
        put_number(b, n);
        put_signed(b, static_cast<std::int64_t>(n));
    }
    byte_reader in(b);
    for (const auto n : numbers) {
        EXPECT_EQ(in.number(), n);
        EXPECT_EQ(in.signed_number(), static_cast<std::int64_t>(n));
    }
    EXPECT_TRUE(in.at_end());
    EXPECT_THROW(in.byte(), bad_trace);
    const bytes too_long(11, 0xff), too_large{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
    EXPECT_THROW(byte_reader(too_long).number(), bad_trace);
    EXPECT_THROW(byte_reader(too_large).number(), bad_trace);
}

}  // namespace
}  // namespace contraflow::traces
