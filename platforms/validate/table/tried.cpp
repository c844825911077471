// SPDX-License-Identifier: Apache-2.0
#include "validate/table/tried.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/counted.h"
#include "validate/table/outcome.h"

namespace contraflow::validate {
namespace {

const char* verdict_of(const tried& t) {
    if (!t.error.empty()) return "error";
    return t.held ? "holds" : "does not hold";
}
std::string verdict_text(const tried& t) {
    return t.error.empty() ? verdict_of(t) : fmt::format("{}: {}", verdict_of(t), t.error);
}

const char* name_of(relation r) {
    switch (r) {
    case relation::equal: return "equal";
    case relation::at_most: return "at most";
    case relation::at_least: break;
    }
    return "at least";
}

// "within 2 %", "at most, within 1 %", "exactly"
std::string allowed_text(const experiment& e) {
    const std::string within = e.tolerance == 0 ? "exactly" : fmt::format("within {:.3g} %", e.tolerance * 100);
    return e.holds_if == relation::equal ? within : fmt::format("{}, {}", name_of(e.holds_if), within);
}

std::string expected_text(const tried& t) { return with_unit(values_text(t.found.expected), t.of->unit); }
std::string measured_text(const tried& t) { return with_unit(values_text(t.found.measured), t.of->unit); }
std::string error_text(const tried& t) {
    const double error = largest_error(t.found);
    return t.error.empty() && std::isfinite(error) ? fmt::format("{:+.2f} %", error * 100) : "-";
}

std::vector<std::string> models_of(const std::vector<tried>& all) {
    std::vector<std::string> models;
    for (const tried& t : all)
        if (const auto m = group_of(*t.of); std::find(models.begin(), models.end(), m) == models.end())
            models.push_back(m);
    return models;
}

face::chart chart_of(const std::string& model, const std::vector<tried>& all) {
    face::chart chart;
    chart.id = "physics_" + model;
    chart.title = model + ": measured over expected";
    chart.type = face::chart::kind::bar;
    chart.x = {"experiment", ""};
    chart.y = {"measured over expected", "x"};
    chart.series.push_back({"measured over expected", {}});
    for (const tried& t : all) {
        if (group_of(*t.of) != model) continue;
        const std::string name = t.of->id.substr(model.size() + 1);
        const std::size_t pairs = std::min(t.found.expected.size(), t.found.measured.size());
        for (std::size_t i = 0; i < pairs; ++i) {
            const double ratio = t.found.measured[i] / t.found.expected[i];
            if (!std::isfinite(ratio)) continue;
            chart.series[0].points.emplace_back(static_cast<double>(chart.categories.size()), ratio);
            chart.categories.push_back(pairs == 1 ? name : fmt::format("{} {}", name, i + 1));
        }
    }
    return chart;
}

}  // namespace

tried try_out(const experiment& e, const run_environment& environment) {
    tried t{&e, {}, false};
    try {
        t.found = e.measure(environment);
        t.held = holds(e, t.found);
    } catch (const stopped&) { throw; } catch (const std::exception& error) {
        t.error = error.what();
    }
    return t;
}

face::table as_table(const std::vector<tried>& all) {
    face::table table;
    table.id = "physics";
    table.title = "Experiments with a known answer";
    for (const char* name : {"id", "what", "formula", "expected", "measured", "off by", "allowed", "verdict"})
        table.columns.push_back({name, ""});
    for (const tried& t : all)
        table.rows.push_back({t.of->id, t.of->what, t.of->formula, expected_text(t), measured_text(t), error_text(t),
                              allowed_text(*t.of), verdict_text(t)});
    return table;
}

face::section as_charts(const std::vector<tried>& all) {
    face::section section{"charts", "By model", {}};
    for (const auto& model : models_of(all))
        if (auto chart = chart_of(model, all); !chart.categories.empty()) section.items.emplace_back(std::move(chart));
    return section;
}

nlohmann::ordered_json as_json(const std::vector<tried>& all) {
    auto rows = nlohmann::ordered_json::array();
    for (const tried& t : all)
        rows.push_back({{"id", t.of->id},
                        {"expected", values_json(t.found.expected)},
                        {"measured", values_json(t.found.measured)},
                        {"unit", t.of->unit},
                        {"relation", name_of(t.of->holds_if)},
                        {"tolerance", t.of->tolerance},
                        {"verdict", verdict_of(t)},
                        {"detail", t.error.empty() ? t.found.detail : t.error}});
    return rows;
}

std::string count_text(const std::vector<tried>& all) {
    const auto held =
        static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const tried& t) { return t.held; }));
    std::string text =
        fmt::format("{}: {}", core::counted(all.size(), "experiment"), core::counted(held, "holds", "hold"));
    if (held != all.size()) text += fmt::format(", {}", core::counted(all.size() - held, "does not", "do not"));
    return text + ".";
}

std::string as_page(const std::vector<tried>& all) {
    std::string page =
        "# Experiments with a known answer\n\n"
        "Written by `./contraflow validate --physics --doc docs/physics.md`; a test compares it with what the program\n"
        "measures. The configuration of each experiment gives its answer by arithmetic: a stream over a link, a load\n"
        "through known parts, Little's law, twice as much of something. A model that fails one has a fault, whatever\n"
        "published numbers it reproduces. Values of a row belong together pair by pair: each measured one is compared "
        "with\nthe expected one in its place.\n\n"
        "To add one: a row in the list of the model's file in `platforms/validate/physics`, with the formula in words\n"
        "and a function that returns what is expected and what was measured:\n\n"
        "```cpp\n"
        "{\"link.reads\", \"reads of another GPU's memory over one link\", \"lanes x rate x line / (line + header)\", "
        "\"GB/s\",\n"
        " relation::equal, 0.02, [](const run_environment& e) -> answer {\n"
        "     const auto s = machine_of(\"gpus: 2, network: {kind: fully_connected}\");\n"
        "     return {{64 * 128.0 / (128 + 16)}, {flow_of(s, {.ctas = 64, .from = 1}, e).gb_per_s}, \"\"};\n"
        " }},\n"
        "```\n\n"
        "`machine_of` reads a configuration of numa_gpu, `flow_of` measures a stream, `latency_ns` a chain of loads. "
        "All\nbytes are checked.\n";
    page += fmt::format("\n{}\n\n", count_text(all));
    for (const auto& model : models_of(all)) {
        page += fmt::format("## {}\n\n", model);
        if (!chart_of(model, all).categories.empty())
            page += fmt::format("![measured over expected](physics/{}.svg)\n\n", model);
        page += "| id | what | formula | expected | measured | off by | allowed | verdict "
                "|\n|---|---|---|---|---|---|---|---|\n";
        for (const tried& t : all) {
            if (group_of(*t.of) != model) continue;
            page += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", t.of->id, markdown_cell(t.of->what),
                                markdown_cell(t.of->formula), expected_text(t), measured_text(t), error_text(t),
                                allowed_text(*t.of), markdown_cell(verdict_text(t)));
        }
        page += "\n";
    }
    page.pop_back();
    return page;
}

}  // namespace contraflow::validate
