// SPDX-License-Identifier: Apache-2.0
#include "wave/wave_output.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <set>
#include <stdexcept>

#include "observe/waves/waves.h"
#include "wave/wave_writer.h"

namespace contraflow::wave {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_write(const fs::path& file) { throw std::runtime_error("cannot write " + file.string()); }

void write_text(const fs::path& file, const std::function<void(std::ostream&)>& write) {
    std::ofstream out(file, std::ios::binary);
    if (out) write(out);
    out.close();
    if (!out) cannot_write(file);
}

core::sim_time end_of(const observe::wave_recording& recorded, const std::vector<wave_source_if*>& sources) {
    core::sim_time end = recorded.begin();
    if (!recorded.changes().empty()) end = std::max(end, recorded.changes().back().at);
    for (const wave_source_if* s : sources) end = std::max(end, s->end());
    return std::min(end, recorded.end());
}

void write_vcd(std::ostream& out, const observe::wave_recording& recorded, core::sim_time end) {
    observe::waves vcd(out, recorded.begin());
    std::vector<observe::signal_id> ids;
    for (const auto& s : recorded.signals()) ids.push_back(vcd.add(s.name, s.bits));
    for (std::size_t i = 0; i < ids.size(); ++i) vcd.set(ids[i], recorded.begin(), recorded.signals()[i].first);
    for (const auto& c : recorded.changes()) vcd.set(ids[c.signal], c.at, c.value);
    vcd.close(end);
}

// Moves the groups of a scope and of its inner scopes.
void move_to_end(std::vector<observe::gtkw_group>& groups, const std::string& scope) {
    std::stable_partition(groups.begin(), groups.end(),
                          [&](const auto& g) { return g.name != scope && !g.name.starts_with(scope + '.'); });
}

// GTKWave's format: a line for each value, with its bits and its name.
void write_value_names(const fs::path& directory, const std::vector<observe::gtkw_group>& groups,
                       const fst_contents& contents) {
    std::set<std::string> wanted;
    for (const auto& g : groups)
        for (const auto& s : g.signals) wanted.insert(s.names);
    for (const auto& table : contents.value_names)
        if (wanted.erase(value_names_file(table)) != 0)
            write_text(directory / value_names_file(table), [&](std::ostream& out) {
                for (const auto& [value, name] : table.names) out << value << ' ' << name << '\n';
            });
}

}  // namespace

void write_wave_output(const wave_output& to, const observe::wave_recording& recorded,
                       const std::vector<wave_source_if*>& sources) {
    const core::sim_time from = recorded.begin(), end = end_of(recorded, sources);
    const fs::path fst = to.directory / (to.stem + ".fst"), vcd = to.directory / (to.stem + ".vcd");
    std::vector<observe::gtkw_signal> signals;
    for (const auto& s : recorded.signals()) signals.push_back({s.name, s.bits});
    observe::gtkw_view view{(to.as == format::fst ? fst : vcd).filename().string(),
                            from,
                            end,
                            to.marker,
                            observe::groups_by_scope(signals),
                            to.as == format::fst};
    if (to.as == format::vcd && sources.empty()) {
        write_text(vcd, [&](std::ostream& out) { write_vcd(out, recorded, end); });
    } else {
        if (!write_waves(fst.string(), recorded, sources, from, end)) cannot_write(fst);
        const auto contents = read_fst_contents(fst.string());
        if (!contents) cannot_write(fst);
        for (const wave_source_if* s : sources) {
            auto own = s->groups(*contents);
            const auto folded = std::stable_partition(own.begin(), own.end(), [](const auto& g) { return !g.closed; });
            view.groups.insert(view.groups.end(), own.begin(), folded);
            move_to_end(view.groups, s->scope());
            view.groups.insert(view.groups.end(), folded, own.end());
        }
        if (to.as == format::vcd) {
            write_value_names(to.directory, view.groups, *contents);
            if (!write_as_vcd(fst.string(), vcd.string())) cannot_write(vcd);
            fs::remove(fst);
        }
    }
    write_text(to.directory / (to.stem + ".gtkw"), [&](std::ostream& out) { observe::write_gtkw(out, view); });
}

}  // namespace contraflow::wave
