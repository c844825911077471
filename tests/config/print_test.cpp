// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.h"

namespace contraflow::config {
namespace {

using config_test::arbitration;
using config_test::communication_spec;
using config_test::link_spec;
using config_test::rich_spec;
using config_test::tree_spec;
using config_test::try_load;

TEST(print, is_complete_and_says_where_values_come_from) {
    const auto [got, errors] = try_load<link_spec>("lane_rate: 10GB/s\n", {"lanes=8"});
    ASSERT_EQ(errors, "");
    EXPECT_EQ(print(got), "lanes: 8                                 # lanes in each direction [set]\n"
                          "lane_rate: 10GB/s                        # rate of a lane [file]\n"
                          "sample_time: 5000cycles                  # time between two decisions [default]\n"
                          "reversible: true                         # whether lanes may turn [default]\n");
    EXPECT_EQ(print(got.value), "lanes: 8                                 # lanes in each direction\n"
                                "lane_rate: 10GB/s                        # rate of a lane\n"
                                "sample_time: 5000cycles                  # time between two decisions\n"
                                "reversible: true                         # whether lanes may turn\n");
}

TEST(print, explains_the_keys_of_a_list_once) {
    rich_spec spec;
    spec.communications = {{"a", "b", core::bytes{1}, {}}, {"c", "d", core::bytes{2}, core::sim_time{5}}};
    EXPECT_THAT(print(spec),
                testing::EndsWith("communications:                          # who sends what to whom\n"
                                  "  - from: a                              # who sends\n"
                                  "    to: b                                # who receives\n"
                                  "    size: 1B                             # amount\n"
                                  "    start: null                          # when it begins; absent: at once\n"
                                  "  - from: c\n"
                                  "    to: d\n"
                                  "    size: 2B\n"
                                  "    start: 5ps\n"));
}

TEST(print, texts_in_quotes_where_yaml_would_see_something_else) {
    for (const auto* plain : {"a", "gpu0", "two-words", "a.b", "dir/file_1", "_x", "nullable", "year"}) {
        EXPECT_EQ(yaml_text(plain), plain);
    }
    for (const auto* text :
         {"",    "null", "Null", "~",    "true", "YES",  "off", "n",  "y",   "5",   "1e3",     "-", "- a",
          "a b", " a",   "a:",   "a: b", "#",    "a #b", "[",   "{a", "&a",  "*a",  "!t",      "|", ">",
          "'",   "@",    "`",    "%",    "0x1",  ".inf", "=",   "<<", "---", "...", "\xC3\xA4"}) {
        EXPECT_EQ(yaml_text(text), fmt::format("\"{}\"", text));
    }
    EXPECT_EQ(yaml_text("\"\\\n\t\x01\x7f"), R"("\"\\\n\t\x01\x7f")");
}

template <class S> void round_trip(const S& spec) {
    const auto text = print(spec);
    const auto [again, errors] = try_load<S>(text);
    ASSERT_EQ(errors, "") << text;
    EXPECT_TRUE(again.value == spec) << text << "\nbecame\n" << print(again.value);
    // The same from the form with origins.
    const auto [third, none] = try_load<S>(print(again));
    ASSERT_EQ(none, "");
    EXPECT_TRUE(third.value == spec) << print(again);
}

TEST(print, reads_back_to_the_same_texts) {
    rich_spec spec;
    for (int c = 0; c < 0x300; ++c) {
        std::string text;
        if (c < 0x80)
            text = std::string(1, static_cast<char>(c));
        else
            text = {static_cast<char>(0xc0 | (c >> 6)), static_cast<char>(0x80 | (c & 0x3f))};
        spec.labels.push_back(text);
        spec.labels.push_back(fmt::format("a{} b", text));
    }
    for (const auto* text : {"\xEF\xBB\xBF",
                             "x\xEF\xBB\xBF",
                             "\xE2\x80\xA8",
                             "\xE2\x80\xA9",
                             "\xF0\x9F\x98\x80",
                             "\r\n",
                             "a\\",
                             "\\n",
                             "a\n\n  b\n",
                             "  ",
                             "\t",
                             "'\"'",
                             "null",
                             "~",
                             "no",
                             "0x10",
                             "#",
                             "a: b",
                             "- ",
                             "{{",
                             "...",
                             "---"}) {
        spec.labels.emplace_back(text);
    }
    spec.title = std::string("nul \0 inside", 12);
    spec.tree.name = std::string(100'000, 'x');
    round_trip(spec);
}

// Values of a configuration drawn at random, extremes among them.
class draw {
public:
    explicit draw(std::uint64_t seed) : random_(seed) {}

    std::uint64_t below(std::uint64_t n) { return random_() % n; }
    std::uint64_t whole() { return below(8) == 0 ? std::numeric_limits<std::uint64_t>::max() : random_() >> below(64); }
    double real() {
        while (true) {
            const auto bits = random_();
            double value = 0;
            std::memcpy(&value, &bits, sizeof value);
            if (std::isfinite(value)) return below(3) == 0 ? static_cast<double>(below(1000)) / 8 : value;
        }
    }
    double positive(double least) { return std::max(least, below(2) == 0 ? std::abs(real()) * 1e-20 : real_rate()); }
    std::string text() {
        static constexpr std::string_view letters = "ab0:#-[]{},&*!|>'\"%@` \n\t\\~.=?\x01";
        std::string out;
        for (auto n = below(9); n > 0; --n) out += letters[below(letters.size())];
        return below(6) == 0 ? out + "\xC3\xA9" : out;
    }
    arbitration kind() { return static_cast<arbitration>(below(3)); }
    link_spec link() { return {1u << below(7), {positive(0.25e9)}, {whole()}, below(2) == 0}; }
    tree_spec tree(unsigned depth) {
        tree_spec t{text(), link(), {}};
        for (auto n = depth == 0 ? 0 : below(4); n > 0; --n) t.children.push_back(tree(depth - 1));
        return t;
    }
    rich_spec spec() {
        rich_spec s;
        s.title = text();
        s.inputs = static_cast<unsigned>(1 + below(64));
        s.tilt = static_cast<std::int8_t>(below(256));
        s.offset = static_cast<std::int64_t>(random_());
        s.seed = whole();
        s.share = static_cast<double>(random_() >> 11) * 0x1p-53;
        s.weights.assign(1 + below(40), 0);
        for (auto& w : s.weights) w = static_cast<unsigned>(1 + below(1000));
        for (auto n = below(5); n > 0; --n) s.labels.push_back(text());
        s.matrix.resize(below(4));
        for (auto& row : s.matrix) {
            for (auto n = below(12); n > 0; --n) row.push_back(real());
        }
        s.max_payload = {64u << below(7)};
        s.clock = {positive(0)};
        s.patience = {whole()};
        s.kind = kind();
        for (auto n = below(4); n > 0; --n) s.fallbacks.push_back(kind());
        if (below(2) == 0) s.socket_link = core::bandwidth{positive(1e-3)};
        if (below(2) == 0) s.spare = link();
        s.link = link();
        s.tree = tree(3);
        for (auto n = below(6); n > 0; --n) {
            communication_spec c{text(), text(), {1 + whole() % (1ull << 40)}, {}};
            if (below(2) == 0) c.start = core::sim_time{whole()};
            s.communications.push_back(std::move(c));
        }
        return s;
    }

private:
    double real_rate() { return static_cast<double>(below(1'000'000)) * 1e6; }
    std::mt19937_64 random_;
};

TEST(print, reads_back_to_the_same_values_whatever_they_are) {
    for (std::uint64_t seed = 0; seed < 300 && !HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        round_trip(draw(seed).spec());
    }
}

struct boxes_spec {
    std::vector<std::optional<link_spec>> maybe;
    std::vector<std::vector<link_spec>> grid;
    std::optional<std::vector<std::optional<unsigned>>> sizes;
    std::vector<std::vector<std::vector<std::string>>> deep;
    friend bool operator==(const boxes_spec&, const boxes_spec&) = default;

    static void describe(fields<boxes_spec>& f) {
        f("maybe", &boxes_spec::maybe);
        f("grid", &boxes_spec::grid);
        f("sizes", &boxes_spec::sizes);
        f("deep", &boxes_spec::deep);
    }
};

TEST(print, lists_and_optionals_inside_each_other) {
    round_trip(boxes_spec{});
    boxes_spec spec;
    spec.maybe = {link_spec{.lanes = 1}, std::nullopt, link_spec{.lanes = 2}};
    spec.grid = {{}, {link_spec{.lanes = 4}, link_spec{}}, {}};
    spec.sizes.emplace();
    spec.deep = {{}, {{}, {"a", "b: c"}}, {{"", std::string(100, 'x')}}};
    round_trip(spec);
    spec.sizes = {{1, std::nullopt, 3}};
    spec.deep = {{{"- x"}}};
    round_trip(spec);
    spec.sizes->resize(100);
    round_trip(spec);
}

TEST(print, a_struct_without_fields) {
    struct nothing {
        static void describe(fields<nothing>&) {}
    };
    EXPECT_EQ(print(nothing{}), "{}\n");
    EXPECT_EQ(config_test::errors_of<nothing>(print(nothing{})), "");
}

}  // namespace
}  // namespace contraflow::config
