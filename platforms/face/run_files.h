// SPDX-License-Identifier: Apache-2.0
// The files of a run directory, apart from the manifest.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "face/report_data.h"
#include "observe/trace.h"
#include "observe/waves.h"

namespace contraflow::face {

// path,metric,unit,value of each row (RFC 4180), numbers in the shortest form that reads back the same.
std::string stats_csv(const std::vector<observe::stat_row>& rows);

// config.yaml, summary.txt, report.json, stats.csv, report.html.
void write_run_files(const std::filesystem::path& directory, const report_data& report, const std::string& config);

// trace.json and waves.vcd, which grow during the run.
class signal_files {
public:
    signal_files(const std::filesystem::path& directory, bool trace, bool waves);
    observe::trace* trace() { return trace_.get(); }
    observe::waves* waves() { return waves_.get(); }
    // Completes them and adds waves.gtkw; throws output_error if anything could not be written.
    void finish();

private:
    std::filesystem::path directory_;
    std::ofstream trace_file_, waves_file_;
    std::unique_ptr<observe::trace> trace_;
    std::unique_ptr<observe::waves> waves_;
};

}  // namespace contraflow::face
