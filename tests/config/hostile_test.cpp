// SPDX-License-Identifier: Apache-2.0
// Inputs made to break a reader: each is refused with an error, soon, and in little memory.
#include <ctime>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.h"

namespace contraflow::config {
namespace {

using config_test::errors_of;
using config_test::printed;
using config_test::rich_spec;
using testing::HasSubstr;

constexpr std::size_t large = 2'200'000;

std::string repeat(const std::string& what, std::size_t size) {
    std::string out;
    out.reserve(size + what.size());
    while (out.size() < size) out += what;
    return out;
}

struct refusal {
    std::string errors;
    double processor_time_s;
};

refusal refuse(const std::string& text) {
    const auto begin = std::clock();
    auto errors = errors_of<rich_spec>(text);
    return {std::move(errors), static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC};
}

// What ordinary text of that size takes here and now; a step that is quadratic in the size takes thousands of times
// that.
double ordinary_time_s() {
    static const double time = refuse("weights: [1" + repeat(",1", large / 2) + "]").processor_time_s;
    return time;
}

// The error message. Fails if it takes much more processor time than ordinary text.
std::string soon(const std::string& text) {
    const auto got = refuse(text);
    EXPECT_LT(got.processor_time_s, 30 * ordinary_time_s());
    EXPECT_LT(got.errors.size(), 100'000u);
    return got.errors;
}

TEST(hostile, nesting) {
    for (const auto* opening : {"[", "{", "- ", "? ", "[{", "{a: [", "{a: {", "- [", "[\n", "- - {? ", "[[] ,"}) {
        EXPECT_THAT(soon(repeat(opening, large)),
                    testing::AnyOf(HasSubstr("nested deeper than 64 levels"), HasSubstr("not valid YAML")))
            << opening;
    }
    EXPECT_THAT(soon(repeat("[", 15 << 20)), HasSubstr("nested deeper than 64 levels"));
    std::string staircase;
    for (std::size_t i = 0; i < 2000; ++i) staircase += std::string(i, ' ') + "a:\n";
    EXPECT_THAT(soon(staircase), HasSubstr("p.yaml:65:65: error: nested deeper than 64 levels"));
}

TEST(hostile, nesting_up_to_the_limit_is_fine) {
    const auto matrix = [](std::size_t depth) {
        return "matrix: " + std::string(depth, '[') + std::string(depth, ']');
    };
    EXPECT_THAT(soon(matrix(60)), testing::Not(HasSubstr("nested")));
    EXPECT_THAT(soon(matrix(64)), HasSubstr("nested deeper than 64 levels"));
}

TEST(hostile, aliases) {
    std::string laughs = "a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha]\n";
    for (int i = 1; i < 12; ++i) {
        laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
        for (int k = 0; k < 9; ++k) laughs += (k == 0 ? "*a" : ", *a") + std::to_string(i - 1);
        laughs += "]\n";
    }
    EXPECT_THAT(soon(laughs), HasSubstr("p.yaml:2:10: error: aliases ('*name') are not accepted"));
    EXPECT_THAT(soon("&a [*a]"), HasSubstr("aliases"));
    EXPECT_THAT(soon("tree: &t {name: a}\nlabels: [*t]\n"), HasSubstr("p.yaml:2:10: error: aliases"));
    EXPECT_THAT(soon("a: &a 1\nb:\n" + repeat("- *a\n", large)), HasSubstr("p.yaml:3:3: error: aliases"));
}

TEST(hostile, many_values) {
    EXPECT_THAT(soon(repeat("-\n", large)), HasSubstr("more than 1000000 values"));
    EXPECT_THAT(soon("- [1" + repeat(",1", large) + "]"), HasSubstr("a list or map in brackets is too long"));
    EXPECT_THAT(soon("{a" + repeat(",a", large) + "}"), HasSubstr("a list or map in brackets is too long"));
    EXPECT_THAT(soon("weights: [1" + repeat(",1", large) + "]"), HasSubstr("more than 1000000 values"));
    std::string unknown;
    for (int i = 0; i < 200'000; ++i) unknown += "weigh" + std::to_string(i) + ": 1\n";
    EXPECT_THAT(soon(unknown), HasSubstr("and 199801 more\n"));
    EXPECT_THAT(soon("{" + repeat("inputs: 1, ", 400'000) + "}"), HasSubstr("duplicate key 'inputs'"));
}

TEST(hostile, long_texts) {
    const std::string ending = "\ntree: {name: a}\n";
    EXPECT_EQ(soon("title: " + std::string(large, 'x') + ending), "");
    EXPECT_EQ(soon("title: \"" + std::string(large, 'x') + "\"" + ending), "");
    EXPECT_EQ(soon("title: >\n" + repeat("  x y\n", large) + ending), "");
    EXPECT_EQ(soon(repeat("\n", large) + ending), "");
    EXPECT_EQ(soon("#" + std::string(large, '#') + ending), "");
    EXPECT_THAT(soon("inputs: " + std::string(large, '9') + ending), HasSubstr("does not fit"));
    EXPECT_THAT(soon(std::string(large, 'k') + ": 1"), HasSubstr("error"));
    EXPECT_THAT(soon("? " + std::string(large, 'k') + "\n: 1\n"), HasSubstr("unknown key 'kkk"));
    EXPECT_THAT(soon("title: \"" + repeat("x\n ", large)), HasSubstr("quote is missing"));
    for (const auto* text :
         {"!a ", "&a ", "\t", ":", "%X\n", "---\n", "\r", "*", "\"", "'", "|\n", "? - ", "a: ", "<<: "}) {
        EXPECT_THAT(soon(repeat(text, large)), HasSubstr("error")) << text;
    }
}

TEST(hostile, texts_that_are_none) {
    EXPECT_EQ(soon(""),
              "p.yaml: error: the file is empty; a configuration has at least one key, such as 'name: value'\n");
    EXPECT_THAT(soon(" \n\t\r\n"), HasSubstr("the file is empty"));
    EXPECT_THAT(soon("# a\n# b\n"), HasSubstr("holds nothing but comments"));
    EXPECT_THAT(soon("---\n"), HasSubstr("not a map of keys and values"));
    EXPECT_THAT(soon(std::string("a: \0b", 5)),
                HasSubstr("p.yaml:1:4: error: not a text file: byte 0x00\n    1 | a: ?b\n"));
    for (const auto* bytes : {"\xff\xfe", "a\x80", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                              "\xf8\x88\x80\x80\x80", "\xc3", "\xe2\x82", "a: \xf0\x9f\x98"}) {
        EXPECT_THAT(soon(bytes), HasSubstr("not a text file")) << bytes;
    }
    EXPECT_THAT(soon(std::string(largest_text + 1, 'x')), HasSubstr("the text is larger than 16 MiB"));
}

class files : public testing::Test {
protected:
    files() : folder_(testing::TempDir() + "contraflow_config_" + std::to_string(::getpid())) {
        std::filesystem::create_directories(folder_);
    }
    ~files() override { std::filesystem::remove_all(folder_); }

    std::string write(const std::string& name, const std::string& text) {
        const auto path = folder_ / name;
        std::ofstream(path, std::ios::binary) << text;
        return path.string();
    }
    static std::string read(const std::string& path) {
        diagnostics diag;
        const auto got = read_source(path, diag);
        EXPECT_EQ(got.has_value(), !diag.failed());
        return got ? got->text : printed(diag);
    }
    std::filesystem::path folder_;
};

TEST_F(files, are_read_whole) {
    const auto text = "a: 1\r\n" + repeat("# x\n", 300'000);
    EXPECT_EQ(read(write("good.yaml", text)), text);
}

TEST_F(files, that_are_none) {
    const auto missing = (folder_ / "missing.yaml").string();
    EXPECT_EQ(read(missing), missing + ": error: cannot be read: No such file or directory\n");
    EXPECT_EQ(read(folder_.string()), folder_.string() + ": error: is a directory; name a YAML file in it\n");
    EXPECT_THAT(read(""), HasSubstr("error: "));
    EXPECT_THAT(read(write("empty.yaml", "")), HasSubstr("the file is empty"));
    EXPECT_THAT(read(write("binary.yaml", std::string("\x7f"
                                                      "ELF\x02\x01\x01\0\0",
                                                      9))),
                HasSubstr("binary.yaml:1:8: error: not a text file: byte 0x00"));
    EXPECT_THAT(read("/dev/zero"), HasSubstr("larger than 16 MiB"));
}

TEST_F(files, that_are_huge_are_not_read_to_the_end) {
    const auto path = write("huge.yaml", "[");
    std::filesystem::resize_file(path, std::uintmax_t{1} << 36);  // sparse
    // 64 GiB would not fit: this ends before that or not at all.
    EXPECT_THAT(read(path), HasSubstr("larger than 16 MiB"));
}

TEST_F(files, that_fail_while_they_are_read) {
    EXPECT_EQ(read("/proc/self/mem"), "/proc/self/mem: error: cannot be read: Input/output error\n");
}

}  // namespace
}  // namespace contraflow::config
