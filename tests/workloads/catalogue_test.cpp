// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check.h"
#include "config/config.h"
#include "workloads/support/difference.h"

namespace contraflow::workloads {
namespace {

using testing::HasSubstr;

const std::filesystem::path project = std::filesystem::path(CF_TEST_DATA).parent_path().parent_path();
const std::filesystem::path pages_folder = project / "docs/workloads";

TEST(catalogue, names_are_found_and_unique) {
    std::set<std::string_view> names;
    for (const auto& e : all()) {
        EXPECT_EQ(find(e.name), &e);
        EXPECT_TRUE(names.insert(e.name).second) << e.name;
        EXPECT_FALSE(e.text.empty() || e.about.empty()) << e.name;
    }
    EXPECT_EQ(find("nothing"), nullptr);
}

// The files with that extension in a folder and below, by their name: the path below the folder without the extension.
std::map<std::string, std::string> files_below(const std::filesystem::path& folder, const std::string& extension) {
    std::map<std::string, std::string> found;
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder))
        if (file.path().extension() == extension)
            found[file.path().stem().string()] =
                file.path().lexically_relative(folder).replace_extension().generic_string();
    return found;
}

// A workload has a source, a line in the table, a page in a folder like the source's, and a line in the pages' table.
TEST(catalogue, holds_what_the_folders_hold) {
    std::ifstream in(pages_folder / "README.md");
    const std::string readme(std::istreambuf_iterator<char>(in), {});
    const auto sources = files_below(project / "sw/workloads", ".cpp"), pages = files_below(pages_folder, ".md");
    for (const auto& e : all()) {
        const std::string name(e.name);
        ASSERT_TRUE(sources.contains(name) && pages.contains(name)) << name;
        const std::string& place = sources.at(name);
        EXPECT_EQ(pages.at(name), place);
        EXPECT_THAT(readme, HasSubstr("| [" + name + "](" + place + ".md) | " + std::string(e.text) + " |"));
    }
    for (const auto& [name, place] : pages)
        EXPECT_TRUE(name == "README" || find(name) != nullptr) << name << " has a page and is not in the catalogue";
}

std::vector<std::string> parts_of(const std::string& text, const std::string& separator) {
    std::vector<std::string> parts;
    std::size_t begin = 0, end = 0;
    while ((end = text.find(separator, begin)) != std::string::npos) {
        parts.push_back(text.substr(begin, end - begin));
        begin = end + separator.size();
    }
    parts.push_back(text.substr(begin));
    return parts;
}

// Every scalar with its value, a nested one with a path such as `graph.kind`.
void write_values(const config::structure& members, const void* object, const std::string& before,
                  std::map<std::string, std::string>& out) {
    for (const auto& f : members.fields) {
        if (f.type->form == config::shape::structure) {
            write_values(f.type->members(), f.in(object), before + f.key + ".", out);
            continue;
        }
        const auto text = f.type->write(f.in(object));
        out["`" + before + f.key + "`"] = text.empty() ? "none" : text;
    }
    if (const auto part = members.part_of(object); part.members != nullptr)
        write_values(*part.members, part.object, before, out);
}

std::map<std::string, std::string> values_of(const workload_entry& e, workload_size size) {
    auto spec = e.sized(size);
    std::map<std::string, std::string> out;
    write_values(e.parameters(), e.spec_in(spec), "", out);
    return out;
}

// "| `ctas`, `block` | 512, 256 | 512, 256 | grid |": every parameter, with its values at both sizes.
TEST(catalogue, pages_give_every_parameter_as_it_is) {
    const auto pages = files_below(pages_folder, ".md");
    for (const auto& e : all()) {
        std::ifstream page(pages_folder / (pages.at(std::string(e.name)) + ".md"));
        std::map<std::string, std::string> small, paper;
        for (std::string line; std::getline(page, line);) {
            const auto cells = parts_of(line, " | ");
            if (!line.starts_with("| `") || cells.size() < 4) continue;
            const auto keys = parts_of(cells[0].substr(2), ", "), in_small = parts_of(cells[1], ", "),
                       in_paper = parts_of(cells[2], ", ");
            if (keys.size() != in_small.size() || keys.size() != in_paper.size()) continue;
            for (std::size_t i = 0; i < keys.size(); ++i) {
                small[keys[i]] = in_small[i];
                paper[keys[i]] = in_paper[i];
            }
        }
        for (const auto& [key, value] : values_of(e, workload_size::small))
            EXPECT_EQ(small[key], value) << e.name << key;
        for (const auto& [key, value] : values_of(e, workload_size::paper))
            EXPECT_EQ(paper[key], value) << e.name << key;
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

TEST(selection, a_preset_gives_a_matrix_its_kind_rows_and_entries_wherever_it_stands) {
    const auto chosen = workloads_test::selected("matrix: {seed: 7, preset: asic_320ks}\nname: spmv\nsize: paper\n");
    const auto text = config::print(chosen);
    for (const char* line : {"kind: circuit ", "rows: 321671 ", "entries: 1316085 ", "seed: 7 "})
        EXPECT_THAT(text, HasSubstr(line));
    EXPECT_TRUE(chosen.problems().empty());
    const auto changed = workloads_test::selected("name: spmv\nmatrix: {rows: 1000, preset: asic_320ks}\n");
    ASSERT_EQ(changed.problems().size(), 1u);
    EXPECT_TRUE(changed.problems()[0].names("matrix.entries"));
    EXPECT_THAT(config::print(workloads_test::selected("name: spmv\nsize: paper\n")), HasSubstr("rows: 131072 "));
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
