// SPDX-License-Identifier: Apache-2.0
// The program of a NIC's core as users give it: a key of the configuration that names an ELF file, or the program that
// is built in; and --gdb PORT, which debugs it. Whatever is wrong with a file is a face::usage_error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "config/config.h"
#include "face/command_line/app.h"
#include "face/command_line/errors.h"
#include "face/run/run_context.h"
#include "iss/elf_file.h"
#include "iss/gdb_server.h"
#include "nic_levels/receive_level.h"
#include "text/text_fields.h"

namespace contraflow::firmware_report {

class firmware_input {
public:
    void add_to(CLI::App& app);
    bool debugs() const { return face::is_given(*app_, "--gdb"); }
    // Reads the file that this key names, relative to the configuration. With --out the key names a copy in the run
    // directory, so that the run can be repeated.
    template <class Spec>
    void load(config::loaded<Spec>& loaded, const std::string& key, std::optional<std::string>& file) {
        read(file ? text::file_beside(loaded.where(key), *file) : std::string());
        const bool printed = face::is_given(*app_, "--print-config");  // the text may be kept in any folder
        if (!file || (!printed && !face::is_given(*app_, "--out"))) return;
        file = printed ? std::filesystem::weakly_canonical(path_).string() : copied;
        loaded.mark_computed(key);
    }
    // Instead, if nothing at this level of the receive side has a core: a program or a debugger for it is an error.
    template <class Spec>
    void refuse(const config::loaded<Spec>& loaded, const std::string& key, const std::optional<std::string>& file,
                const std::string& level_key, nic_levels::receive_level level, config::diagnostics& diag) const {
        if (debugs())
            throw face::usage_error(
                fmt::format("--gdb debugs firmware: --set {}=firmware, or lockstep with it", level_key));
        if (file)
            loaded.report(
                {fmt::format("no core would run this program, as {} is {}", level_key, config::name_of(level)),
                 {{key, "none"}, {level_key, "firmware, or lockstep with it"}}},
                diag);
    }
    const iss::elf_file& program() const { return *program_; }
    // Null without --gdb. The run then begins when a debugger has connected, unless it is stopped before. The context
    // must outlive it.
    std::unique_ptr<iss::gdb_server> debugger(face::run_context& context, std::string_view platform) const;
    // Copies the file into the run directory.
    void keep(const std::filesystem::path& out) const;

private:
    static constexpr const char* copied = "firmware.elf";
    void read(const std::string& path);

    CLI::App* app_ = nullptr;
    int port_ = 0;
    std::string path_;  // empty: built in
    std::optional<iss::elf_file> program_;
};

}  // namespace contraflow::firmware_report
