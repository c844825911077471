// SPDX-License-Identifier: Apache-2.0
#include "unified_gpu/unified_gpu_platform.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "unified_gpu/capacity_errors.h"
#include "unified_gpu/checks.h"
#include "unified_gpu/comparison.h"
#include "unified_gpu/machine_run.h"

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

std::string machine_text(const experiment& e) {
    const std::size_t working = members_of(e).size();
    const std::string gpus =
        e.gpus == 1 ? fmt::format("1 GPU x {} units", e.gpu.units)
                    : fmt::format("{}{} GPUs x {} units, {}", working < e.gpus ? fmt::format("{} of ", working) : "",
                                  e.gpus, e.gpu.units, network_name(e.network.kind));
    const auto execution = e.execution == host::execution_model::one     ? "on one of them"
                           : e.execution == host::execution_model::split ? "kernels cut by the host"
                                                                         : "as one GPU";
    return fmt::format("{}, {}, {} memory, pages of {}", gpus, execution,
                       e.memory == host::memory_model::unified ? "unified" : "discrete", to_text(e.page_size));
}

class policy_study final : public study::program_study<memory_policy, run_result> {
public:
    policy_study(const experiment& settings, face::run_context& context, face::growing_file* record)
        : program_study(settings, settings.gpus, context, record),
          settings_(settings) {}

private:
    run_result run_on(memory_policy policy, const study::run_request& asked) override {
        run_options options{{settings_.execution, settings_.memory, members_of(settings_)}, asked.limits, asked.seen};
        if (policy == memory_policy::one_gpu) {
            options.program.execution = host::execution_model::one;
            options.program.gpus = {1};
        }
        const machine_spec machine = machine_with(policy, settings_);
        const auto& w = asked.workload;
        try {
            return run_machine(machine, w, options);
        } catch (const host::gpu_memory_full& e) {
            throw face::configuration_error(capacity_error(e, w, machine));
        } catch (const memory::table_full& e) {
            throw face::configuration_error(capacity_error(e, w));
        } catch (const gpu::cta_too_large& e) {
            throw face::configuration_error(study::capacity_error(e, w, machine.gpu.unit));
        } catch (const traces::rights_not_kept& e) { throw face::configuration_error(capacity_error(e, w)); }
    }

    void begin_report() override {
        report().title = machine_text(settings_);
        report().levels = {
            {"GPUs", "TLM"},
            {"translation", settings_.translation.mode == gpu::translation_mode::timed ? "TLM" : "instant"},
            {"network", settings_.network.kind == network_kind::pcie ? "TLM, credit-accurate PCIe" : "TLM"}};
    }

    void add_comparison(const comparison& c) override {
        for (auto& line : headline_of(c, &c == &comparisons().front())) report().headline.push_back(std::move(line));
        face::section section{c.workload, c.workload, {}};
        section.items.emplace_back(comparison_table(c));
        section.items.emplace_back(levels_table(c));
        for (auto& table : {migration_table(c), stayed_table(c)})
            if (!table.rows.empty()) section.items.emplace_back(table);
        add_latency(c, section);
        add_pages(c, section);
        add_moves(c, section);
        add_traffic(c, section);
        add_path(c, section);
        report().sections.push_back(std::move(section));
    }

    nlohmann::ordered_json results_of_run(const comparison& c, const compared_run& run) const override {
        return unified_gpu::results_of_run(c, run);
    }

    const experiment& settings_;
};

}  // namespace

void unified_gpu_platform::options(CLI::App& app) {
    study_platform::options(app);
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

int unified_gpu_platform::run_study(const experiment& settings, face::run_context& context,
                                    face::growing_file* record) {
    return policy_study(settings, context, record).run();
}

}  // namespace contraflow::unified_gpu
