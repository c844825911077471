// SPDX-License-Identifier: Apache-2.0
#include "workloads/selection_check.h"

#include <stdexcept>

#include <fmt/format.h>

#include "gpu/kernel/ideal_machine.h"
#include "text/text_fields.h"
#include "traces/replay.h"

namespace contraflow::workloads {
namespace {

void check_file(selection& w, const config::location& at, const std::string& key, config::diagnostics& diag) {
    if (const std::string file = text::file_beside(at, *w.parameter(key)); file != *w.parameter(key)) w.set(key, file);
    try {
        gpu::ideal_machine machine;
        w.create()->prepare(machine.memory());
    } catch (const text::input_error& e) {
        text::report(e, at, diag);
    } catch (const traces::rights_not_kept&) {  // the real machine is checked when it exists
    } catch (const std::invalid_argument& e) { diag.error(at, e.what()); }
}

}  // namespace

void check(selection& w, const selection_place& in, config::diagnostics& diag) {
    for (const auto& p : config::below("workload", w.problems())) in.report(p);
    const auto count = std::to_string(in.gpus);
    if (w.parameter("sockets").value_or(count) != count) {
        if (in.where("workload.sockets") != in.where("workload")) {
            diag.error(in.where("workload.sockets"),
                       fmt::format("{} is laid out for {} sockets, and the machine has {}", w.name(),
                                   *w.parameter("sockets"), count),
                       fmt::format("leave workload.sockets out: it follows {}", in.count_key));
            return;
        }
        w.set("sockets", count);
        in.mark_computed("workload.sockets");
    }
    if (!w.parameter("file").value_or("").empty()) check_file(w, in.where("workload.file"), "file", diag);
    for (const char* source : {"matrix", "graph"}) {
        const auto path = [&](const char* key) { return fmt::format("workload.{}.{}", source, key); };
        const auto file = w.parameter(fmt::format("{}.file", source));
        if (!file) continue;
        const bool is_read = w.parameter(fmt::format("{}.kind", source)) == "file";
        if (!file->empty() && !is_read)
            diag.error(in.where(path("file")), "this file would not be read", fmt::format("{}: file", path("kind")));
        else if (is_read)
            check_file(w, in.where(file->empty() ? path("kind") : path("file")), fmt::format("{}.file", source), diag);
    }
}

}  // namespace contraflow::workloads
