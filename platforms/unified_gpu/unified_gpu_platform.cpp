// SPDX-License-Identifier: Apache-2.0
#include "unified_gpu/unified_gpu_platform.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "face/errors.h"
#include "unified_gpu/checks.h"
#include "unified_gpu/study.h"

namespace contraflow::unified_gpu {
namespace {

// "1,2,4"
std::vector<unsigned> listed(std::string_view option, const std::string& text, unsigned gpus) {
    const auto refuse = [&](const std::string& why) {
        throw face::usage_error(fmt::format("{} {}: {}; GPUs 1 to {} are allowed, each once, such as {} 1{}", option,
                                            text.empty() ? "\"\"" : text, why, gpus, option, gpus > 1 ? ",2" : ""));
    };
    std::vector<unsigned> all;
    for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + 1) {
        end = text.find(',', at);
        const std::string word = text.substr(at, end == std::string::npos ? end : end - at);
        unsigned number = 0;
        const auto [stop, failure] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (failure != std::errc{} || stop != word.data() + word.size())
            refuse(fmt::format("{} is no GPU's number", config::quoted(word)));
        if (number == 0 || number > gpus) refuse(fmt::format("there is no GPU {}", number));
        if (std::find(all.begin(), all.end(), number) != all.end()) refuse(fmt::format("GPU {} twice", number));
        all.push_back(number);
    }
    return all;
}

}  // namespace

void unified_gpu_platform::options(CLI::App& app) {
    app.add_option("--record", record_, "write the accesses of the first run to FILE, for the workload `trace`")
        ->option_text("FILE");
    auto* const gpus = app.add_option("--gpus", gpus_,
                                      "as MGPUSim's: the host cuts kernels over these GPUs; memory is discrete unless "
                                      "--unified-mem is given")
                           ->option_text("1,2,...");
    app.add_option("--unified-gpus", unified_,
                   "as MGPUSim's: kernels run on one GPU that stands for these; memory is discrete unless "
                   "--unified-mem is given")
        ->option_text("1,2,...")
        ->excludes(gpus);
    app.add_flag("--unified-mem", unified_memory_, "memory: unified");
}

void unified_gpu_platform::prepare(config::loaded<experiment>& loaded, config::diagnostics& diag) {
    auto& e = loaded.value;
    if (gpus_ || unified_) {
        for (const char* key : {"members", "execution", "memory"})
            if (loaded.where(key).file == "--set")
                diag.error(loaded.where(key),
                           fmt::format("{} says what {} is", unified_ ? "--unified-gpus" : "--gpus", key),
                           "one of the two");
        e.members = unified_ ? listed("--unified-gpus", *unified_, e.gpus) : listed("--gpus", *gpus_, e.gpus);
        e.execution = unified_                ? host::execution_model::unified
                      : e.members.size() == 1 ? host::execution_model::one
                                              : host::execution_model::split;
        e.memory = host::memory_model::discrete;
        for (const char* key : {"members", "execution", "memory"}) loaded.mark_computed(key);
    }
    if (unified_memory_) {
        e.memory = host::memory_model::unified;
        loaded.mark_computed("memory");
    }
    check(loaded, diag);
}

int unified_gpu_platform::run(const config::loaded<experiment>& loaded, face::run_context& context) {
    std::unique_ptr<face::growing_file> record;
    if (record_) record = std::make_unique<face::growing_file>("--record", *record_);
    const int code = study(loaded.value, context, record.get()).run();
    // Work that goes on in another thread may still write to it.
    if (record && context.left_work_behind()) record.release()->discard();
    return code;
}

}  // namespace contraflow::unified_gpu
