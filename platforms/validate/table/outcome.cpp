// SPDX-License-Identifier: Apache-2.0
#include "validate/table/outcome.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace contraflow::validate {
namespace {

nlohmann::ordered_json value_json(double value) {
    if (std::isfinite(value)) return value;
    return nullptr;
}

// Numbers by `form`, commas between.
template <class Form> std::string list_text(const std::vector<double>& values, Form form) {
    std::string text;
    for (const double v : values) text += (text.empty() ? "" : ", ") + (std::isfinite(v) ? form(v) : std::string("-"));
    return text.empty() ? "-" : text;
}

// The number with as many digits as its source prints.
std::string published_text(const row& r) {
    return with_unit(list_text(r.published, [](double v) { return fmt::format("{}", v); }), r.unit);
}

std::string measured_text(const outcome& o) { return with_unit(values_text(o.measured.values), o.of->unit); }

bool nothing_is_published(const row& r) {
    return std::all_of(r.published.begin(), r.published.end(), [](double v) { return std::isnan(v); });
}

// Of a row whose measured values lie in its band.
verdict verdict_in_band(const row& r) {
    if (nothing_is_published(r)) return verdict::holds;
    if (r.agrees.excludes(r.published)) return verdict::as_derived;
    switch (r.to_model) {
    case given::input: return verdict::input;
    case given::fitted: return verdict::fitted;
    case given::nothing: break;
    }
    return verdict::reproduced;
}

// "not reproduced: the formula gives 1.485"
std::string verdict_text(const outcome& o) {
    const bool explained = o.said != verdict::reproduced && o.said != verdict::report_only;
    return explained && !o.reason.empty() ? to_text(o.said) + ": " + o.reason : to_text(o.said);
}

std::string note_of(const outcome& o) {
    std::string note = o.measured.how;
    if (o.said == verdict::report_only && !o.reason.empty()) note += (note.empty() ? "" : " ") + o.reason;
    return note;
}

}  // namespace

nlohmann::ordered_json values_json(const std::vector<double>& values) {
    if (values.empty()) return nullptr;
    if (values.size() == 1) return value_json(values.front());
    auto list = nlohmann::ordered_json::array();
    for (const double v : values) list.push_back(value_json(v));
    return list;
}

std::string with_unit(const std::string& text, const std::string& unit) {
    return unit.empty() || text == "-" ? text : text + " " + unit;
}

std::string markdown_cell(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '|') out += '\\';
        out += c == '\n' ? ' ' : c;
    }
    return out;
}

outcome measure(const row& r, const run_environment& environment) {
    outcome o{&r, {}, verdict::failed, {}};
    try {
        o.measured = r.measure(environment);
    } catch (const stopped&) { throw; } catch (const std::exception& error) {
        o.reason = error.what();
        return o;
    }
    if (r.agrees.is_none())
        o.said = verdict::report_only;
    else if (!r.agrees.holds(o.measured.values))
        o.said = verdict::not_reproduced;
    else
        o.said = verdict_in_band(r);
    if (o.said != verdict::reproduced) o.reason = o.measured.reason;
    return o;
}

std::string to_text(verdict v) {
    switch (v) {
    case verdict::reproduced: return "reproduced";
    case verdict::fitted: return "fitted";
    case verdict::input: return "input";
    case verdict::as_derived: return "as derived";
    case verdict::holds: return "holds";
    case verdict::not_reproduced: return "not reproduced";
    case verdict::report_only: return "report only";
    case verdict::failed: break;
    }
    return "error";
}

std::string values_text(const std::vector<double>& values) {
    return list_text(values, [](double v) { return fmt::format("{:.5g}", v); });
}

face::table as_table(const std::vector<outcome>& outcomes) {
    face::table t;
    t.id = "validation";
    t.title = "Published and measured";
    for (const char* name : {"id", "what", "published", "measured", "band", "verdict"}) t.columns.push_back({name, ""});
    for (const outcome& o : outcomes)
        t.rows.push_back(
            {o.of->id, o.of->what, published_text(*o.of), measured_text(o), o.of->agrees.text(), verdict_text(o)});
    return t;
}

face::table notes_table(const std::vector<outcome>& outcomes) {
    face::table t;
    t.id = "how";
    t.title = "How each row was measured";
    t.columns = {{"id", ""}, {"how", ""}};
    for (const outcome& o : outcomes) t.rows.push_back({o.of->id, note_of(o)});
    t.on_terminal = false;
    return t;
}

nlohmann::ordered_json as_json(const std::vector<outcome>& outcomes) {
    auto rows = nlohmann::ordered_json::array();
    for (const outcome& o : outcomes)
        rows.push_back({{"id", o.of->id},
                        {"published", values_json(o.of->published)},
                        {"measured", values_json(o.measured.values)},
                        {"unit", o.of->unit},
                        {"band", o.of->agrees.text()},
                        {"verdict", to_text(o.said)},
                        {"reason", o.reason}});
    return rows;
}

std::string as_page(const std::vector<outcome>& outcomes) {
    std::string page =
        "# The published numbers, and ours\n\n"
        "Written by `./contraflow validate --doc docs/validation.md`, which runs the experiment behind every row. A\n"
        "test compares this page with what the program measures, but for the rows that take long: those that run "
        "every\n"
        "workload many times (L6 to L8b), and those of large grids and matrices (G5, G7, G8b). All of it takes\n"
        "some 50 minutes of a core.\n\n"
        "*Reproduced*: the published and the measured value lie in the band. *Fitted*: so do they, but a parameter "
        "was\n"
        "chosen to get this value. *Input*: so do they, but the model was given this value. *As derived*: the band is\n"
        "around what follows from the source's own rules and figures (L4: from Amdahl's law), the measured value lies\n"
        "in it, and the published one does not. *Holds*: nothing is published, and the measured value lies in a band\n"
        "of ours. *Not reproduced*: a measured value lies outside of the band. *Report only*: there is no band, and\n"
        "the notes below say why.\n\n"
        "Rows A: R. Ammendola et al., \"GPU peer-to-peer techniques applied to a cluster interconnect\" (APEnet+), on\n"
        "nodes of torus_nic by its shipped configurations. Four values are fitted, each to the row that says so\n"
        "([assumptions](assumptions.md#an-rdma-nic-and-gpus-as-peers)). Rows F: predictions for machines that are not\n"
        "measured there.\n\n"
        "Rows D: Y. Kim et al., \"Ramulator: A Fast and Extensible DRAM Simulator\" (IEEE CAL 2015), table 3: the "
        "range\n"
        "that five open simulators of a DDR3 channel give.\n\n"
        "Rows G: \"GPU Initiated OpenSHMEM: Correct and Efficient Intra-Kernel Networking for dGPUs\", on the shipped\n"
        "configurations of gpu_shmem. Two values are fitted, each to the row that says so\n"
        "([assumptions](assumptions.md#kernels-that-talk-to-the-network)).\n\n"
        "Rows M: \"Multi-GPU Support in MGPUSim\" (chapter 6), on machines of unified_gpu with two units a GPU, or on\n"
        "the shipped `r9_nano.yaml`. What counts is what the machine did: whose unit made a request, what page table\n"
        "and memory hold, by which instances a request came. Where nothing is published, the band is ours.\n\n"
        "Rows P: M. Martinasso et al., \"A PCIe Congestion-Aware Performance Model for Densely Populated Accelerator\n"
        "Servers\". T1 and T2 are its servers, `platforms/pcie_tree/t1.yaml` and `t2.yaml`; `0->1` is a send from GPU "
        "0\n"
        "to GPU 1. Rows B: its effective bandwidth. What P6b and P7b depend on (the report of the rows has the "
        "figures):\n\n"
        "![Slowdown by the receive buffer and by the latency of the root complex, with its cutting and without: "
        "buffers "
        "of 6400 B and more change nothing, and no latency does](studies/pcie_sensitivity.svg)\n\n"
        "How far closed form and TLM are apart (P11):\n\n"
        "![Histogram of the differences: most communications are less than 5 % apart; and the share at most 15 % apart "
        "by the number of communications of a graph](studies/closed_form.svg)\n\n"
        "Rows L: \"Asymmetric Links for TMS-GPUs\", on the default machine of numa_gpu with the policy `published`\n"
        "unless a row says otherwise. Sizes are small; the programs at size\n"
        "`paper` are in [workloads](workloads/README.md#what-they-do-to-links).\n\n"
        "Rows R: time of the NIC's receive datapath in RTL over that of its TLM model, which claims to be within 2 "
        "%.\n\n"
        "| id | what | published | measured | band | verdict |\n|---|---|---|---|---|---|\n";
    for (const outcome& o : outcomes)
        page +=
            fmt::format("| {} | {} | {} | {} | {} | {} |\n", o.of->id, markdown_cell(o.of->what), published_text(*o.of),
                        measured_text(o), markdown_cell(o.of->agrees.text()), markdown_cell(verdict_text(o)));
    page += "\n## How each was measured\n\n";
    for (const outcome& o : outcomes) page += fmt::format("- **{}**: {}\n", o.of->id, note_of(o));
    return page;
}

}  // namespace contraflow::validate
