// SPDX-License-Identifier: Apache-2.0
// The catalogue's entry of a workload. A class W provides all of it: `struct spec` with describe() (config/fields.h),
// `static spec sized(workload_size)`, and a constructor from a spec. The spec may have problems(), for conflicting
// values.
#pragma once

#include <any>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "config/fields.h"
#include "config/tree/problem.h"
#include "workloads/support/workload_if.h"

namespace contraflow::workloads {

// small: for tests; paper: touches more than the caches hold.
enum class workload_size : std::uint8_t { small, paper };

// The purpose of the program: links of sockets whose lanes turn (published gains are means over these programs), or
// many GPUs as one.
enum class suite : std::uint8_t { links, gpus };

struct workload_entry {
    std::string_view name;
    std::string_view text;   // its task, in one line
    std::string_view about;  // the programs it stands for
    suite chosen_for = suite::links;
    const config::structure& (*parameters)() = nullptr;
    std::any (*sized)(workload_size) = nullptr;  // a spec
    void* (*spec_in)(std::any& spec) = nullptr;
    std::vector<config::problem> (*problems)(const std::any& spec) = nullptr;  // between its values
    std::unique_ptr<workload_if> (*create)(const std::any& spec) = nullptr;
};

template <class W>
workload_entry entry_of(std::string_view name, std::string_view text, std::string_view about,
                        suite chosen_for = suite::links) {
    using spec = typename W::spec;
    return {name,
            text,
            about,
            chosen_for,
            []() -> const config::structure& { return config::structure_of<spec>(); },
            [](workload_size s) { return std::any(W::sized(s)); },
            [](std::any& s) -> void* { return &std::any_cast<spec&>(s); },
            [](const std::any& s) -> std::vector<config::problem> {
                if constexpr (requires(const spec& of) { of.problems(); })
                    return std::any_cast<const spec&>(s).problems();
                else
                    return {};
            },
            [](const std::any& s) -> std::unique_ptr<workload_if> {
                return std::make_unique<W>(std::any_cast<const spec&>(s));
            }};
}

}  // namespace contraflow::workloads

template <> struct contraflow::config::enum_names<contraflow::workloads::workload_size> {
    static constexpr std::array names{std::pair{contraflow::workloads::workload_size::small, "small"},
                                      std::pair{contraflow::workloads::workload_size::paper, "paper"}};
};
