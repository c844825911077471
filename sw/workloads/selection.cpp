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

namespace {

// "matrix.file" in a spec.
config::structure::place find_in(const config::structure& s, void* spec, std::string_view path) {
    const auto dot = path.find('.');
    const auto found = s.find_in(spec, path.substr(0, dot));
    if (found.member == nullptr || dot == std::string_view::npos) return found;
    if (found.member->type->form != config::shape::structure) return {};
    return find_in(found.member->type->members(), found.value, path.substr(dot + 1));
}

}  // namespace

std::optional<std::string> selection::parameter(std::string_view path) const {
    if (entry_ == nullptr) return std::nullopt;
    auto values = spec_;
    const auto found = find_in(entry_->parameters(), entry_->spec_in(values), path);
    if (found.member == nullptr || found.member->type->write == nullptr) return std::nullopt;
    return found.member->type->write(found.value);
}

bool selection::set(std::string_view path, const std::string& value) {
    if (entry_ == nullptr) return false;
    const auto found = find_in(entry_->parameters(), entry_->spec_in(spec_), path);
    return found.member != nullptr && found.member->type->read != nullptr &&
           found.member->type->read(value, false, found.value).empty();
}

std::string selection::parameters_text() const {
    std::string text;
    if (entry_ == nullptr) return text;
    for (const auto& f : entry_->parameters().fields)
        if (const auto value = parameter(f.key))
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", f.key, *value);
    for (const char* source : {"matrix", "graph"})
        if (const auto kind = parameter(fmt::format("{}.kind", source)))
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", source,
                                *kind == "file" ? *parameter(fmt::format("{}.file", source)) : *kind);
    return text;
}

}  // namespace contraflow::workloads
