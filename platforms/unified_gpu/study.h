// SPDX-License-Identifier: Apache-2.0
// All runs of a configuration, one after the other, and what they say together.
#pragma once

#include <vector>

#include "face/growing_file.h"
#include "face/run_context.h"
#include "unified_gpu/comparison.h"
#include "unified_gpu/experiment.h"
#include "unified_gpu/machine_run.h"

namespace contraflow::unified_gpu {

class study {
public:
    // `record`: takes the accesses of the first run; null: nobody does.
    study(const experiment& settings, face::run_context& context, face::growing_file* record);

    // An exit code.
    int run();

private:
    void run_one(const workloads::selection& w, memory_policy policy);
    void keep_record(face::growing_file& file, const run_result& r, const std::string& what);
    void judge(run_result& r, const std::string& what);
    void tell_what_is_not_shown(const run_result& r, const std::string& what);
    int finish();
    void summarise(const comparison& c);

    const experiment& settings_;
    face::run_context& context_;
    face::growing_file* record_;
    face::report_data& report_;
    std::vector<comparison> all_;
    bool traced_ = false;
    int code_ = 0;
};

}  // namespace contraflow::unified_gpu
