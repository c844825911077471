// SPDX-License-Identifier: Apache-2.0
// A platform binary: derive from platform<Spec>, and let main() return contraflow::face::main(argc, argv, it).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "config/config.h"
#include "face/command_line/app.h"
#include "face/command_line/errors.h"
#include "face/run/program.h"
#include "face/run/run_context.h"

namespace contraflow::face {

template <class Spec> class platform {
public:
    virtual ~platform() = default;
    virtual std::string_view name() const = 0;
    // The binary's, by which its messages begin.
    virtual std::string_view file_name() const { return name(); }
    virtual std::string_view summary() const = 0;
    // The platform's own options (--cases, --topology, ...).
    virtual void options(CLI::App&) {}
    // The events that --wave-around takes. The platform reports each to waves() when it happens.
    virtual std::vector<std::string> wave_events() const { return {}; }
    // Whether --limit-time can end a run: one simulation, whose time the platform bounds by limit_time().
    virtual bool has_limit_time() const { return true; }
    // See program_if, for these three.
    virtual std::string_view why_no_waves() const { return ""; }
    virtual std::string_view why_no_trace() const { return why_no_waves(); }
    virtual std::string_view arguments_for_defaults() const { return ""; }
    // Runs after parsing: semantic checks with positions, imports that fill the spec.
    virtual void prepare(config::loaded<Spec>&, config::diagnostics&) {}
    // See program_if::results_form().
    virtual nlohmann::ordered_json results_form(const config::loaded<Spec>&) const { return nullptr; }
    // Returns an exit code.
    virtual int run(const config::loaded<Spec>& spec, run_context& context) = 0;
};

namespace detail {

template <class Spec> class bound_program final : public program_if {
public:
    explicit bound_program(platform<Spec>& p) : platform_(p) {}

    std::string_view name() const override { return platform_.name(); }
    std::string_view file_name() const override { return platform_.file_name(); }
    std::string_view summary() const override { return platform_.summary(); }
    void options(CLI::App& app) override { platform_.options(app); }
    std::vector<std::string> wave_events() const override { return platform_.wave_events(); }
    bool has_limit_time() const override { return platform_.has_limit_time(); }
    std::string_view why_no_waves() const override { return platform_.why_no_waves(); }
    std::string_view why_no_trace() const override { return platform_.why_no_trace(); }
    std::string_view arguments_for_defaults() const override { return platform_.arguments_for_defaults(); }

    std::string describe() const override { return config::describe<Spec>(); }
    nlohmann::ordered_json schema() const override { return config::json_schema<Spec>(platform_.name()); }
    bool has_seed() const override {
        return requires(const Spec& s) { s.seed; };
    }
    void load(const std::optional<config::source>& file, const std::vector<std::string>& sets,
              config::diagnostics& diag) override {
        loaded_ = config::load<Spec>(file, sets, diag);
    }
    void prepare(config::diagnostics& diag) override { platform_.prepare(*loaded_, diag); }
    void report(const config::problem& p, config::diagnostics& diag) const override { loaded_->report(p, diag); }
    std::string print_config() const override { return config::print(*loaded_); }
    nlohmann::ordered_json results_form() const override { return platform_.results_form(*loaded_); }
    std::uint64_t seed() const override {
        if constexpr (requires(const Spec& s) { s.seed; })
            return loaded_->value.seed;
        else
            return 0;
    }
    int run(run_context& context) override { return platform_.run(*loaded_, context); }

private:
    platform<Spec>& platform_;
    std::optional<config::loaded<Spec>> loaded_;
};

}  // namespace detail

template <class Spec> int main(int argc, char** argv, platform<Spec>& p) {
    detail::bound_program<Spec> bound(p);
    return run_program(argc, argv, bound);
}

}  // namespace contraflow::face
