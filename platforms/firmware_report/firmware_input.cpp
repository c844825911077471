// SPDX-License-Identifier: Apache-2.0
#include "firmware_report/firmware_input.h"

#include <iostream>
#include <system_error>

#include <CLI/App.hpp>
#include <fmt/ostream.h>

namespace contraflow::firmware_report {

void firmware_input::add_to(CLI::App& app) {
    app_ = &app;
    app.add_option("--gdb", port_, "wait for a debugger of the firmware on this TCP port; 0: any free one")
        ->check(CLI::Range(0, 65535))
        ->option_text("PORT");
}

void firmware_input::read(const std::string& path) {
    path_ = path;
    program_ = path.empty() ? nic_levels::built_in_firmware() : iss::elf_file::read(path);
}

std::unique_ptr<iss::gdb_server> firmware_input::debugger(face::run_context& context, std::string_view platform) const {
    if (!debugs()) return nullptr;
    try {
        auto server = std::make_unique<iss::gdb_server>(static_cast<std::uint16_t>(port_),
                                                        [&context] { return context.keep_going(); });
        context.erase_progress();
        fmt::print(std::cerr, "{}: waiting for a debugger: target remote localhost:{}\n", platform, server->port());
        return server;
    } catch (const std::system_error& e) {
        throw face::usage_error(fmt::format("--gdb {}: {}", port_, e.code().message()));
    }
}

void firmware_input::keep(const std::filesystem::path& out) const {
    if (path_.empty()) return;
    std::error_code error;
    std::filesystem::copy_file(path_, out / copied, error);
    if (error) throw face::output_error(fmt::format("{}: {}", path_, error.message()));
}

}  // namespace contraflow::firmware_report
