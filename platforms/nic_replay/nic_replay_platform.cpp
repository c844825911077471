// SPDX-License-Identifier: Apache-2.0
#include "nic_replay/nic_replay_platform.h"

#include <filesystem>
#include <iostream>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "face/run/run_directory.h"
#include "iss/rv32_core.h"
#include "runner/run.h"

namespace contraflow::nic_replay {
namespace {

constexpr const char* copied_firmware = "firmware.elf";

}  // namespace

void nic_replay_platform::options(CLI::App& app) {
    input_.add_to(app, "who looks packets up: firmware on the core, the model, or both compared",
                  "firmware|tlm|lockstep");
    app.add_option("--gdb", port_, "wait for a debugger of the firmware on this TCP port; 0: any free one")
        ->check(CLI::Range(0, 65535))
        ->option_text("PORT");
}

void nic_replay_platform::prepare(config::loaded<replay_spec>& loaded, config::diagnostics& diag) {
    input_.prepare(loaded, diag, nic::parse_receive_cases);
    load_firmware(loaded);
}

void nic_replay_platform::load_firmware(config::loaded<replay_spec>& loaded) {
    replay_spec& spec = loaded.value;
    if (!has_core(spec.level)) {
        if (input_.given("--gdb")) throw face::usage_error("--gdb debugs firmware: --level firmware or lockstep");
        return;
    }
    try {
        if (!spec.firmware) {
            program_ = nic_levels::built_in_firmware();
            return;
        }
        program_path_ = replay::relative_to(loaded.where("firmware"), *spec.firmware);
        program_ = iss::elf_file::read(program_path_);
    } catch (const iss::elf_error& e) { throw face::usage_error(e.what()); }
    if (input_.given("--out")) {
        spec.firmware = copied_firmware;
        loaded.mark_computed("firmware");
    }
}

std::unique_ptr<iss::gdb_server> nic_replay_platform::debugger(face::run_context& context) const {
    if (!input_.given("--gdb")) return nullptr;
    if (input_.cases().size() != 1) throw face::usage_error("--gdb debugs one case: --only NAME");
    try {
        auto server = std::make_unique<iss::gdb_server>(static_cast<std::uint16_t>(port_));
        context.erase_progress();
        fmt::print(std::cerr, "nic_replay: waiting for a debugger: target remote localhost:{}\n", server->port());
        return server;
    } catch (const std::system_error& e) {
        throw face::usage_error(fmt::format("--gdb {}: {}", port_, e.code().message()));
    }
}

// None: it did not end by itself; `end` has the reason.
std::optional<nic::replay_outcome> nic_replay_platform::play(const nic::receive_case& c, const replay_spec& spec,
                                                             const nic_levels::core_options& core,
                                                             face::run_context& context, ending& end) const {
    try {
        std::string difference;
        auto o = nic::replay(
            c, spec.datapath, receive_factory(spec.level, core, difference), spec.around,
            [&] { return difference.empty() && context.keep_going(); }, context.waves());
        if (!difference.empty()) {
            end = {fmt::format("{}: {}", c.name, difference), face::exit_checks_failed};
            return {};
        }
        if (o.failure) std::rethrow_exception(o.failure);
        if (o.complete) return o;
        end = {fmt::format("{}: stopped at {}", c.name, core::rounded_text(o.time)), face::exit_stopped};
        if (o.hang.empty()) return {};
        end = {fmt::format("{}: no progress: {}", c.name, o.hang), face::exit_no_progress};
        for (const auto& line : o.wait_chain) end.what += "; " + line;
    } catch (const iss::firmware_crash& e) {
        end = {fmt::format("{}: FAULT: {}", c.name, e.what()), face::exit_checks_failed};
    } catch (const iss::killed_by_debugger& e) {
        end = {fmt::format("{}: {}", c.name, e.what()), face::exit_stopped};
    } catch (const iss::elf_error& e) { throw face::usage_error(e.what()); }
    return {};
}

int nic_replay_platform::run(const config::loaded<replay_spec>& loaded, face::run_context& context) {
    const replay_spec& spec = loaded.value;
    const auto& cases = input_.cases();
    if (context.trace() != nullptr && cases.size() != 1) throw face::usage_error("--trace shows one case: --only NAME");
    if (context.waves() != nullptr && cases.size() != 1) throw face::usage_error("--wave shows one case: --only NAME");
    if (!context.wave_event().empty())
        context.waves()->keep_around(context.wave_event(), core::sim_time::from_us(5), core::sim_time::from_us(1));
    const auto server = debugger(context);
    nic_levels::core_profile profile;
    nic_levels::core_options core;
    core.spec = spec.core;
    core.program = program_ ? &*program_ : nullptr;
    core.debugger = server.get();
    core.trace = context.trace();
    core.profile = &profile;

    std::vector<played_case> played;
    std::string actions = "[";
    ending end;
    runner::one_by_one(context, cases.size(), "cases", [&](std::size_t i) {
        auto outcome = play(cases[i], spec, core, context, end);
        if (!outcome) return false;
        actions += fmt::format("{}{}", played.empty() ? "\n" : ",\n", nic::to_json(cases[i].name, outcome->result));
        played.emplace_back(cases[i], std::move(*outcome));
        return true;
    });
    const std::size_t wrong = fill(context.report(), spec.level, played, cases.size(), profile);
    if (!end.what.empty()) context.report().headline.push_back(end.what);
    if (context.out()) {
        face::write_file(*context.out() / "actions.json", actions + "\n]\n");
        input_.keep(*context.out());
        if (!program_path_.empty()) {
            std::error_code error;
            std::filesystem::copy_file(program_path_, *context.out() / copied_firmware, error);
            if (error) throw face::output_error(fmt::format("{}: {}", program_path_, error.message()));
        }
    }
    if (end.code != face::exit_ok) return end.code;
    if (played.size() < cases.size()) return face::exit_stopped;
    return wrong == 0 ? face::exit_ok : face::exit_checks_failed;
}

}  // namespace contraflow::nic_replay
