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

std::optional<std::string> selection::parameter(std::string_view key) const {
    if (entry_ == nullptr) return std::nullopt;
    auto values = spec_;
    const auto* const begin = static_cast<const std::byte*>(entry_->spec_in(values));
    for (const auto& f : entry_->parameters().fields)
        if (f.key == key && f.type->write) return f.type->write(begin + f.offset);
    return std::nullopt;
}

std::string selection::parameters_text() const {
    std::string text;
    if (entry_ == nullptr) return text;
    for (const auto& f : entry_->parameters().fields)
        if (const auto value = parameter(f.key))
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", f.key, *value);
    return text;
}

}  // namespace contraflow::workloads
