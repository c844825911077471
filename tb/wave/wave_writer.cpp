// SPDX-License-Identifier: Apache-2.0
#include "wave/wave_writer.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace contraflow::wave {
namespace {

// Attaches sources to a file while it is written.
class attached {
public:
    attached(const std::vector<wave_source_if*>& sources, wave_file& file) : sources_(sources) {
        for (wave_source_if* s : sources_) s->attach(file);
    }
    ~attached() {
        for (wave_source_if* s : sources_) s->detach();
    }
    attached(const attached&) = delete;
    attached& operator=(const attached&) = delete;

private:
    const std::vector<wave_source_if*>& sources_;
};

}  // namespace

bool write_waves(const std::string& fst_path, const observe::wave_recording& recorded,
                 const std::vector<wave_source_if*>& sources, core::sim_time from, core::sim_time to) {
    wave_file file;
    const attached all(sources, file);
    const auto& signals = recorded.signals();
    std::vector<observe::signal_id> ids;
    for (const auto& s : signals) {
        ids.push_back(file.add(s.name, s.bits));
        file.set(ids.back(), s.first);
    }
    if (!file.open(fst_path)) return false;

    auto change = recorded.changes().begin();
    const auto last_change = recorded.changes().end();
    const auto apply = [&](core::sim_time until) {
        for (; change != last_change && change->at <= until; ++change) file.set(ids[change->signal], change->value);
    };
    // A heap with the source that changes next at its top, so only sources that change are asked.
    std::vector<std::pair<core::sim_time, wave_source_if*>> due;
    const auto later = [](const auto& a, const auto& b) { return a.first > b.first; };
    for (wave_source_if* s : sources) {
        s->go_to(from);
        due.emplace_back(s->next(), s);
    }
    std::make_heap(due.begin(), due.end(), later);
    for (core::sim_time now = from; now < to;) {
        apply(now);
        while (!due.empty() && due.front().first <= now) {
            std::pop_heap(due.begin(), due.end(), later);
            auto& [next, source] = due.back();
            while (next <= now) {
                source->advance();
                next = source->next();
            }
            std::push_heap(due.begin(), due.end(), later);
        }
        file.dump(now);
        now = change == last_change ? to : change->at;
        if (!due.empty()) now = std::min(now, due.front().first);
    }
    apply(to);
    file.dump(to);
    file.close();
    return true;
}

}  // namespace contraflow::wave
