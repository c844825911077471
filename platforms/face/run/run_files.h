// SPDX-License-Identifier: Apache-2.0
// The files of a run directory, apart from the manifest.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "face/command_line/wave_request.h"
#include "face/results/report_data.h"
#include "observe/trace.h"
#include "observe/waves/wave_recording.h"

namespace contraflow::face {

// path,metric,unit,value of each row (RFC 4180), numbers in the shortest form that reads back the same.
std::string stats_csv(const std::vector<observe::stat_row>& rows);

// What a saved page says about its origin, label and value. It belongs to the page alone: the same results may be asked
// for in several ways.
using page_origin = std::vector<std::pair<std::string, std::string>>;

// config.yaml, summary.txt, report.json, stats.csv, report.html.
void write_run_files(const std::filesystem::path& directory, const report_data& report, const std::string& config,
                     const page_origin& origin = {});

// trace.json, which grows during the run, and the waves, which are written after it.
class signal_files {
public:
    signal_files(const std::filesystem::path& directory, bool trace, const std::optional<wave_request>& waves);
    observe::trace* trace() { return trace_.get(); }
    observe::wave_recording* waves() { return waves_ ? &recorded_ : nullptr; }
    // Completes them; throws output_error if anything could not be written. A warning where there is nothing to show.
    void finish(const std::vector<std::unique_ptr<wave::wave_source_if>>& sources, report_data& report);

private:
    std::filesystem::path directory_;
    std::ofstream trace_file_;
    std::unique_ptr<observe::trace> trace_;
    const std::optional<wave_request> waves_;
    observe::wave_recording recorded_;
};

}  // namespace contraflow::face
