// SPDX-License-Identifier: Apache-2.0
#include "workloads/selection.h"

#include <stdexcept>

#include <fmt/format.h>

namespace contraflow::workloads {

std::vector<std::string> workload_name::choices() {
    std::vector<std::string> names;
    for (const auto& e : all()) names.emplace_back(e.name);
    return names;
}

selection::selection(std::string_view name, workload_size size) : name_{std::string(name)}, size_(size) {
    settle(*this);
    if (entry_ == nullptr) throw std::invalid_argument(fmt::format("no workload is called {}", name));
}

void selection::describe(config::fields<selection>& f) {
    f("name", &selection::name_).required().text("which one; its parameters are further keys here");
    f("size", &selection::size_).text("what its parameters are where they are not given");
}

void selection::settle(const selection& like) {
    entry_ = find(like.name_.text);
    spec_ = entry_ != nullptr ? entry_->sized(like.size_) : std::any();
}

config::chosen_part selection::chosen() {
    if (entry_ == nullptr) return {};
    return {&entry_->parameters(), entry_->spec_in(spec_)};
}

}  // namespace contraflow::workloads
