// SPDX-License-Identifier: Apache-2.0
// The program of a NIC's core as users give it: a key of the configuration that names an ELF file, or the program that
// is built in; and --gdb PORT, which debugs it. What is wrong with a file is reported where the key stands; a core that
// is too small for the program says so when it is built.
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
    void load(config::loaded<Spec>& loaded, const std::string& key, std::optional<std::string>& file,
              config::diagnostics& diag) {
        try {
            read(file ? text::file_beside(loaded.where(key), *file) : std::string());
        } catch (const iss::elf_error& e) {
            diag.error(loaded.where(key), fmt::format("{}: {}", key, e.what()),
                       "an RV32IMC program in an ELF file is wanted");
            return;
        }
        const bool printed = face::is_given(*app_, "--print-config");  // the text may be kept in any folder
        if (!file || (!printed && !face::is_given(*app_, "--out"))) return;
        file = printed ? std::filesystem::weakly_canonical(path_).string() : copied;
        loaded.mark_computed(key);
    }
    // Instead, if nothing at this level of the receive side has a core: a program or a debugger for it is an error. The
    // keys are those of the part at `path`, which ends in a dot or is empty.
    template <class Spec>
    void refuse(const config::loaded<Spec>& loaded, const std::string& path, const std::optional<std::string>& file,
                const nic_levels::chosen_level& chosen, config::diagnostics& diag) const {
        const std::string level = path + "level", miss = path + "miss", other = "firmware, or lockstep with it";
        const bool rtl = nic_levels::has_rtl(chosen);
        if (debugs())
            throw face::usage_error(fmt::format("--gdb debugs firmware: --set {}={}{}", level, other,
                                                rtl ? fmt::format(", or --set {}=firmware", miss) : ""));
        if (!file) return;
        config::problem p{
            fmt::format("no core would run this program, as {} is {}", level, config::name_of(chosen.level)),
            {{path + "firmware", "none"}, {level, other}}};
        if (rtl) p.suspects.push_back({miss, "firmware"});
        loaded.report(p, diag);
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
