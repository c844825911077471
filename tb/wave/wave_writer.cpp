// SPDX-License-Identifier: Apache-2.0
#include "wave/wave_writer.h"

#include <algorithm>

#include "observe/wave_names.h"

namespace contraflow::wave {

bool write_waves(const std::string& fst_path, const observe::wave_recording& recorded,
                 const std::vector<wave_source_if*>& sources, core::sim_time from, core::sim_time to) {
    wave_file file;
    for (wave_source_if* s : sources) s->attach(file);
    const auto& signals = recorded.signals();
    std::vector<std::string_view> names;
    for (const auto& s : signals) names.push_back(s.name);
    std::vector<observe::signal_id> ids(signals.size());
    for (const auto index : observe::order_by_scope(names)) {
        ids[index] = file.add(signals[index].name, signals[index].bits);
        file.set(ids[index], signals[index].first);
    }
    if (!file.open(fst_path)) return false;

    auto change = recorded.changes().begin();
    const auto last_change = recorded.changes().end();
    const auto apply = [&](core::sim_time until) {
        for (; change != last_change && change->at <= until; ++change) file.set(ids[change->signal], change->value);
    };
    for (wave_source_if* s : sources) s->go_to(from);
    for (core::sim_time now = from; now < to;) {
        apply(now);
        for (wave_source_if* s : sources)
            while (s->next() <= now) s->advance();
        file.dump(now);
        core::sim_time next = change == last_change ? to : change->at;
        for (const wave_source_if* s : sources) next = std::min(next, s->next());
        now = next;
    }
    file.dump(to);
    file.close();
    return true;
}

}  // namespace contraflow::wave
