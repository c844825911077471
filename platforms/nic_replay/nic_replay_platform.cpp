// SPDX-License-Identifier: Apache-2.0
#include "nic_replay/nic_replay_platform.h"

#include <CLI/App.hpp>
#include <fmt/format.h>

#include "face/run/run_directory.h"
#include "firmware_report/difference_waves.h"
#include "firmware_report/packet_case.h"
#include "iss/rv32_core.h"
#include "nic_replay/start.h"
#include "replay/played_cases.h"
#include "runner/run.h"

namespace contraflow::nic_replay {
namespace {

// Those of the datapath, below the case's index in the file.
void add_statistics(face::report_data& report, std::size_t place, nic::replay_outcome& o) {
    for (auto& row : o.statistics) {
        row.path = fmt::format("case[{}].{}", place, row.path);
        report.statistics.push_back(std::move(row));
    }
    o.statistics.clear();
}

}  // namespace

void nic_replay_platform::options(CLI::App& app) {
    input_.add_to(app, "the receive datapath: firmware on the core, the model, RTL, or two compared",
                  "firmware|tlm|rtl|lockstep");
    firmware_.add_to(app);
}

// The RTL has fixed sizes, and a case may need more.
void nic_replay_platform::check_sizes(const config::loaded<replay_spec>& loaded, config::diagnostics& diag) const {
    const replay_spec& s = loaded.value;
    if (const auto problem =
            problem_of_choice(s.chosen(), [&](std::string_view key) { return loaded.origin(key) == "set"; }))
        return loaded.report(*problem, diag);
    if (const auto problem = problem_of(s.chosen(), s.datapath)) {
        auto seen = config::below("datapath", {*problem}).front();
        seen.suspects.push_back({"level", "firmware or tlm"});
        return loaded.report(seen, diag);
    }
    const auto& cases = input_.cases();
    if (!nic_levels::has_rtl(s.chosen())) return;
    for (std::size_t i = 0; input_.fit() && i < cases.size(); ++i) check_buffers(i, s.datapath.buffers, diag);
}

// In a case that has more than RTL with that many buffers.
void nic_replay_platform::check_buffers(std::size_t i, std::uint32_t buffers, config::diagnostics& diag) const {
    const auto& all = input_.cases()[i].buffers;
    for (std::size_t j = 0; j < all.size(); ++j) {
        const auto check = [&](const char* key, unsigned is, unsigned count) {
            if (is < count) return;
            const auto has = fmt::format("0 to {}", count - 1);
            input_.report(fmt::format("[{}].buffers[{}].{}", input_.place(i), j, key),
                          fmt::format("{}, and the RTL is built for {}", is, has),
                          fmt::format("allowed there: {}, or level firmware or tlm", has), diag);
        };
        check("index", all[j].first, buffers);
        check("ring", all[j].second.ring, nic_levels::rtl_rings);
    }
}

void nic_replay_platform::prepare(config::loaded<replay_spec>& loaded, config::diagnostics& diag) {
    input_.prepare(loaded, diag, nic::parse_receive_cases);
    check_sizes(loaded, diag);
    const bool hardware = loaded.value.level != nic_levels::receive_level::firmware;
    const auto around = config::below("around", problems_of(loaded.value.around, hardware));
    for (const auto& p : around) loaded.report(p, diag);
    // Between two steps that count as progress a packet of 258 words may come in, wait for the one before, and go out.
    const auto& e = loaded.value;
    const core::sim_time packet = e.datapath.clock.time_of({4 * 258});
    if (around.empty() && packet >= e.around.watchdog)
        loaded.report(
            {fmt::format("the longest packet may take {} at {:g} MHz, and the watchdog ends a run after {} without "
                         "progress",
                         core::to_text(packet), e.datapath.clock.hz / 1e6, core::to_text(e.around.watchdog)),
             {{"around.watchdog", "more than " + core::to_text(packet)}, {"datapath.clock", "a higher one"}}},
            diag);
    for (const auto& p : config::below("core.core", problems_of(loaded.value.core.core))) loaded.report(p, diag);
    if (has_core(loaded.value.chosen()))
        firmware_.load(loaded, "firmware", loaded.value.firmware, diag);
    else
        firmware_.refuse(loaded, "", loaded.value.firmware, loaded.value.chosen(), diag);
}

std::optional<nic::replay_outcome> nic_replay_platform::play(const nic::receive_case& c, const replay_spec& spec,
                                                             const nic_levels::core_options& core,
                                                             face::run_context& context, runner::run_outcome& r,
                                                             nic_levels::level_difference& between) const {
    using verdict = observe::watchdog::verdict;
    firmware_report::difference_waves waves(spec.chosen(), context);
    nic_levels::rtl_recordings rtl;
    try {
        auto o = nic::replay(
            c, spec.datapath, receive_factory(spec.chosen(), core, between, &rtl), spec.around,
            [&] { return !between.ended && context.keep_going(); }, waves.sink(), context.limit_time());
        waves.keep(rtl, o.end);
        r.end = r.fault_at = o.end;
        r.difference = between.text;
        if (r.difference.empty() && o.failure) std::rethrow_exception(o.failure);
        if (r.difference.empty() && o.complete) return o;
        r.verdict = o.hang.empty() ? verdict::stopped : verdict::stalled;
        r.hang = std::move(o.hang);
        r.wait_chain = std::move(o.wait_chain);
    } catch (const iss::firmware_crash& e) { r.fault = e.what(); } catch (const iss::killed_by_debugger& e) {
        r.verdict = verdict::stopped;
        r.stopped_while = e.meanwhile();
    } catch (const iss::elf_error& e) { throw face::usage_error(e.what()); }
    return {};
}

int nic_replay_platform::run(const config::loaded<replay_spec>& loaded, face::run_context& context) {
    const replay_spec& spec = loaded.value;
    const auto& cases = input_.cases();
    if (context.trace() != nullptr && cases.size() != 1) throw face::usage_error("--trace shows one case: --only NAME");
    if (context.waves() != nullptr && cases.size() != 1) throw face::usage_error("--wave shows one case: --only NAME");
    firmware_report::keep_around_event(spec.chosen(), context);
    if (firmware_.debugs() && cases.size() != 1) throw face::usage_error("--gdb debugs one case: --only NAME");
    const auto server = firmware_.debugger(context, name());
    nic_levels::core_profile profile;
    nic_levels::core_options core;
    core.spec = spec.core;
    core.program = has_core(spec.chosen()) ? &firmware_.program() : nullptr;
    core.debugger = server.get();
    core.trace = context.trace();
    core.profile = &profile;

    std::vector<played_case> played;
    std::string actions = "[";
    runner::run_outcome last;
    nic_levels::level_difference between;
    runner::one_by_one(context, cases.size(), "cases", [&](std::size_t i) {
        auto outcome = play(cases[i], spec, core, context, last, between);
        if (!outcome) return false;
        actions += fmt::format("{}{}", played.empty() ? "\n" : ",\n", nic::to_json(cases[i].name, outcome->result));
        add_statistics(context.report(), input_.place(i), *outcome);
        played.emplace_back(cases[i], std::move(*outcome));
        return true;
    });
    const std::size_t wrong = fill(context.report(), spec, played, cases.size(), profile);
    const int code = replay::judge(last, cases, played.size(), wrong, context);
    if (between.alone) firmware_report::keep_packet(*between.alone, spec.chosen(), context);
    if (context.out()) {
        face::write_file(*context.out() / "actions.json", actions + "\n]\n");
        input_.keep(*context.out());
        firmware_.keep(*context.out());
    }
    return code;
}

int start(int argc, char** argv) {
    nic_replay_platform platform;
    return face::main(argc, argv, platform);
}

}  // namespace contraflow::nic_replay
