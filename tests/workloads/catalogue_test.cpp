// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check.h"
#include "config/config.h"
#include "workloads/difference.h"

namespace contraflow::workloads {
namespace {

using testing::HasSubstr;

const std::filesystem::path project = std::filesystem::path(CF_TEST_DATA).parent_path().parent_path();

TEST(catalogue, names_are_found_and_unique) {
    std::set<std::string_view> names;
    for (const auto& e : all()) {
        EXPECT_EQ(find(e.name), &e);
        EXPECT_TRUE(names.insert(e.name).second) << e.name;
        EXPECT_FALSE(e.text.empty() || e.about.empty()) << e.name;
    }
    EXPECT_EQ(find("nothing"), nullptr);
}

// A workload is a file, a line in the table, a page, and a line in the pages' table.
TEST(catalogue, holds_what_the_folders_hold) {
    std::ifstream in(project / "docs/workloads/README.md");
    const std::string readme(std::istreambuf_iterator<char>(in), {});
    for (const auto& e : all()) {
        const std::string name(e.name);
        EXPECT_TRUE(std::filesystem::exists(project / "sw/workloads" / (name + ".cpp"))) << name;
        EXPECT_TRUE(std::filesystem::exists(project / "docs/workloads" / (name + ".md"))) << name;
        EXPECT_THAT(readme, HasSubstr("| [" + name + "](" + name + ".md) | " + std::string(e.text) + " |"));
    }
    for (const auto& page : std::filesystem::directory_iterator(project / "docs/workloads")) {
        const auto name = page.path().stem().string();
        EXPECT_TRUE(name == "README" || find(name) != nullptr) << name << " has a page and is not in the catalogue";
    }
}

// The pages' tables give every parameter with the values of both sizes.
TEST(catalogue, pages_name_every_parameter) {
    for (const auto& e : all()) {
        std::ifstream in(project / "docs/workloads" / (std::string(e.name) + ".md"));
        const std::string page(std::istreambuf_iterator<char>(in), {});
        for (const auto& key : e.parameters().keys()) EXPECT_THAT(page, HasSubstr("`" + key + "`")) << e.name;
    }
}

TEST(catalogue, every_parameter_is_explained_and_can_be_set) {
    for (const auto& e : all()) {
        for (const auto& f : e.parameters().fields) EXPECT_FALSE(f.text.empty()) << e.name << "." << f.key;
        for (const auto size : {workload_size::small, workload_size::paper}) {
            const selection chosen(e.name, size);
            const auto text = config::print(chosen);
            EXPECT_EQ(config::print(workloads_test::selected(text)), text);
        }
    }
}

TEST(selection, size_gives_what_is_not_given) {
    const auto text = config::print(workloads_test::selected("name: triad\nsize: paper\npasses: 7\n"));
    EXPECT_THAT(text, HasSubstr("passes: 7 "));
    EXPECT_THAT(text, HasSubstr("n: 2097152 "));
}

TEST(selection, copies_are_independent) {
    selection a("triad");
    selection b = a;
    const auto before = config::print(a);
    const auto part = b.chosen();
    const auto* n = part.members->find("n");
    ASSERT_NE(n, nullptr);
    *static_cast<std::uint64_t*>(n->in(part.object)) = 5;
    EXPECT_EQ(config::print(a), before);
    EXPECT_NE(config::print(b), before);
}

TEST(selection, of_an_unknown_workload_is_an_error_with_a_position) {
    config::diagnostics diag;
    config::load<selection>(config::source{"p.yaml", "size: small\nname: traid\nn: 3\n"}, {}, diag);
    std::ostringstream out;
    diag.print(out);
    EXPECT_THAT(out.str(), HasSubstr("p.yaml:2:7: error: name: 'traid' is not a choice"));
    EXPECT_THAT(out.str(), HasSubstr("did you mean 'triad'?"));
    EXPECT_EQ(diag.errors(), 1u);
    EXPECT_THROW(selection("traid"), std::invalid_argument);
}

TEST(difference, first_element_that_is_wrong) {
    EXPECT_EQ(difference("c", std::vector<int>{1, 2, 3}, {1, 2, 3}), "");
    EXPECT_EQ(difference("c", std::vector<int>{1, 5, 6}, {1, 2, 3}), "c[1] is 5, not 2");
    EXPECT_EQ(difference("c", std::vector<int>{1}, {1, 2}), "c has 1 elements, not 2");
    EXPECT_EQ(difference("x", {1.0, 2.0}, {1.0, 2.0 + 5e-10}, 1e-10, 10), "");
    EXPECT_EQ(difference("x", {1.0, 2.5}, {1.0, 2.0}, 1e-10, 10), "x[1] is 2.5, not 2");
    EXPECT_NE(difference("x", {std::nan("")}, {1.0}, 1e-10, 10), "");
}

}  // namespace
}  // namespace contraflow::workloads
