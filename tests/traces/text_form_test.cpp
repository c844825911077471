// SPDX-License-Identifier: Apache-2.0
// A trace as text reads back as written, and mistakes are reported with their place.
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text/text_fields.h"
#include "traces/text_form.h"
#include "traces/trace.h"

namespace contraflow::traces {
namespace {

using testing::HasSubstr;

trace read(const std::string& text) {
    std::istringstream in(text);
    std::ostringstream out;
    to_bytes(in, "t.txt", out);
    const auto contents = out.str();
    return trace(bytes(contents.begin(), contents.end()));
}

std::string complaint(const std::string& text) {
    try {
        read(text);
    } catch (const text::input_error& e) { return e.what(); }
    return {};
}

const std::string example = R"(array a0 4096
array a1 64
array a2 8 read_only
array a3 16 unmapped
host_write a0 0 4096 after 0
host_write a1 60 4 after 0
kernel copy grid 4x2x1 block 64x1x1 shared 128 after 0
wave 0 0
work 4
load 4 a0 0:4
+ load_uncached 8 a1 0 threads 0x3
store 4 a0 128:-4
ahead load 4 a0 0:4
+ load_uncached 8 a1 0 threads 0x3
work 2
ahead load 1 a1 5
use 1,3
use 2
wave 7 1
atomic add u32 a1 4,8,60 threads 0x80000011
barrier
fence
compute 100
host_write a1 0 4 after 1
kernel again grid 1x1x1 block 32x1x1 shared 0 after 1
wave 0 0
load 1 a1 5
host_write a0 8 8 after 2
)";

TEST(text_form, there_and_back_is_the_same) {
    const auto t = read(example);
    std::ostringstream out;
    to_text(t, out);
    EXPECT_EQ(out.str(), example);
}

TEST(text_form, short_forms_stand_for_long_ones) {
    std::ostringstream out;
    to_text(read("# a comment\n\narray x 64\narray y 4096\nkernel k block 48 grid 2\nwave 1 1\nwork 1\nwork 2\n"
                 "store 2 y 10:2 threads 16\nkernel k grid 1 block 1\n"),
            out);
    EXPECT_EQ(out.str(), "array a0 64\narray a1 4096\nkernel k grid 2x1x1 block 48x1x1 shared 0 after 0\nwave 1 1\n"
                         "work 3\nstore 2 a1 10:2 threads 0xffff\n"
                         "kernel k grid 1x1x1 block 1x1x1 shared 0 after 1\n");
}

TEST(text_form, mistakes_are_named_with_their_place) {
    const std::string head = "array x 64\nkernel k grid 2 block 64\nwave 0 0\n";
    EXPECT_EQ(complaint(head), "");
    EXPECT_THAT(complaint(""), HasSubstr("there is no kernel in it"));
    EXPECT_THAT(
        complaint("array x 64 readonly\n"),
        HasSubstr(
            "t.txt:1:12: 'readonly' is not what kernels may do with it; did you mean 'read_only'? unmapped, read_only "
            "are allowed"));
    EXPECT_THAT(complaint("load 4 x 0\n"), HasSubstr("t.txt:1:1: 'load' stands before the first wavefront"));
    EXPECT_THAT(complaint("\x1b[31m\n"), HasSubstr("'\\x1b[31m'"));  // never as a command to the terminal
    EXPECT_THAT(complaint("array x\xff 64\n"),
                HasSubstr("t.txt:1:8: not a text file: byte 0xff; text in UTF-8 is needed"));
    EXPECT_THAT(complaint("# \xff\narray x 64\n"), HasSubstr("there is no kernel in it")) << "in a comment, skipped";
    EXPECT_THAT(complaint("wave 0 0\n"), HasSubstr("t.txt:1:1: a wavefront of no kernel"));
    EXPECT_THAT(complaint("array x 64\narray x 64\n"), HasSubstr("t.txt:2:7: there are two arrays x"));
    EXPECT_THAT(complaint("kernel k grid 2\n"), HasSubstr("without a grid or a block"));
    EXPECT_THAT(complaint("kernel k grid 2 block 2048\n"), HasSubstr("the block is too large"));
    EXPECT_THAT(complaint("kernel k grid 2x2x2x2 block 1\n"), HasSubstr("three sides are allowed"));
    EXPECT_THAT(complaint("kernel k grid 2x0 block 1\n"), HasSubstr("t.txt:1:15: '2x0' is not a grid"));
    EXPECT_THAT(complaint("kernel k grid 1 block 1 after 1\n"), HasSubstr("t.txt:1:31: '1' is not a number"));
    EXPECT_THAT(complaint(head + "host_write x 60 5\n"), HasSubstr("t.txt:4:17: '5' is not a number of bytes"));
    EXPECT_THAT(complaint(head + "host_write x 0 4\nwave 1 0\n"), HasSubstr("a wavefront of no kernel"));
    EXPECT_THAT(complaint(head + "wave 2 0\n"), HasSubstr("t.txt:4:6: '2' is not the number of a CTA"));
    EXPECT_THAT(complaint(head + "wave 0 0\n"), HasSubstr("t.txt:4:8: wavefront 0 of CTA 0 comes twice"));
    EXPECT_THAT(complaint(head + "lod 4 x 0\n"), HasSubstr("t.txt:4:1: there is no 'lod'; did you mean 'load'?"));
    EXPECT_THAT(complaint(head + "atomic xor f32 x 0 threads 1\n"), HasSubstr("t.txt:4:12: there is no xor of f32"));
    EXPECT_THAT(complaint(head + "load 3 x 0\n"), HasSubstr("t.txt:4:6: elements have no such size"));
    EXPECT_THAT(complaint(head + "load 4 y 0\n"), HasSubstr("t.txt:4:8: there is no array 'y'"));
    EXPECT_THAT(complaint(head + "load 4 x 0:4\n"), HasSubstr("thread 16 is at byte 64 of 64"));
    EXPECT_THAT(complaint(head + "load 4 x 0:-4\n"), HasSubstr("thread 1 is at byte -4 of 64"));
    EXPECT_THAT(complaint(head + "load 4 x 0,4 threads 3\n"), HasSubstr("fewer offsets than threads"));
    EXPECT_THAT(complaint(head + "load 4 x 0,4,8,12 threads 3\n"), HasSubstr("more offsets than threads"));
    EXPECT_THAT(complaint(head + "load 4 x 0 threads 0\n"), HasSubstr("there are no such threads"));
    EXPECT_THAT(complaint(head + "load 4 x 0 threads 3 4\n"), HasSubstr("one field too many"));
    EXPECT_THAT(complaint(head + "load 4 x 0 lanes 3\n"), HasSubstr("'lanes' is called 'threads' now"));
    EXPECT_THAT(complaint(head + "load 4 x zero\n"), HasSubstr("'zero' is not an offset"));
    EXPECT_THAT(complaint(head + "+ load 4 x 0\n"), HasSubstr("no access that this one could join"));
    EXPECT_THAT(complaint(head + "atomic mul u32 x 0\n"), HasSubstr("'mul' is not an operation"));
    EXPECT_THAT(complaint(head + "compute 0\n"), HasSubstr("'0' is not a number of cycles"));
    EXPECT_THAT(complaint(head + "ahead store 4 x 0\n"), HasSubstr("'store' is no load"));
    EXPECT_THAT(complaint(head + "ahead load 4 x 0\nuse 1,2\n"), HasSubstr("t.txt:5:5: there is no load 2 loads ago"));
    EXPECT_THAT(complaint(head + "use 1\n"), HasSubstr("there is no load 1 loads ago"));
}

TEST(text_form, states_the_width_of_wavefronts_that_are_not_32_wide) {
    const std::string wide = "wave_width 64\narray a0 512\nkernel k grid 1x1x1 block 128x1x1 shared 0 after 0\n"
                             "wave 0 1\nload 4 a0 0:4\nstore 4 a0 0:8 threads 0x1ffffffff\n";
    const trace t = read(wide);
    EXPECT_EQ(t.wave_width(), 64u);
    std::ostringstream again;
    to_text(t, again);
    EXPECT_EQ(again.str(), wide);
    EXPECT_THAT(complaint("array a 4\nwave_width 64\n"), HasSubstr("t.txt:2:"));
    EXPECT_THAT(complaint("wave_width 48\n"), HasSubstr("wavefronts have no 48 threads; 32 and 64 are allowed"));
    EXPECT_THAT(complaint("wave_width 64\narray a 4\nkernel k grid 1 block 128\nwave 0 2\n"), HasSubstr("0 to 1"));
    EXPECT_THAT(complaint("array a 4\nkernel k grid 1 block 32\nwave 0 0\nload 4 a 0 threads 33\n"),
                HasSubstr("1 to 32, or 0x1 to 0xffffffff are allowed"));
}

}  // namespace
}  // namespace contraflow::traces
