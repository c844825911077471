// SPDX-License-Identifier: Apache-2.0
// The workload of a configuration: {name: multigrid, size: small, grid: 128}. The size gives every parameter a value;
// the other keys are the chosen workload's own. As a field of a platform's spec: f("workload", &spec::workload).
#pragma once

#include <any>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/fields.h"
#include "workloads/catalogue.h"

namespace contraflow::workloads {

struct workload_name {
    std::string text;
    static std::vector<std::string> choices();
};

class selection {
public:
    selection() = default;  // no workload; a configuration must name one
    explicit selection(std::string_view name, workload_size size = workload_size::small);

    static void describe(config::fields<selection>& f);
    void settle(const selection& like);
    config::chosen_part chosen();

    const std::string& name() const { return name_.text; }
    workload_size size() const { return size_; }
    const workload_entry& entry() const { return *entry_; }
    // A parameter as text; "matrix.file" names that of a part. None if this workload has no such parameter.
    std::optional<std::string> parameter(std::string_view path) const;
    // False if there is no such parameter, or if it can't have that value.
    bool set(std::string_view path, const std::string& value);
    // "grid 1024, dimensions 2": all of them.
    std::string parameters_text() const;
    // Problems that span its parameters.
    std::vector<config::problem> problems() const {
        return entry_ == nullptr ? std::vector<config::problem>() : entry_->problems(spec_);
    }
    std::unique_ptr<workload_if> create() const { return entry_->create(spec_); }

private:
    workload_name name_;
    workload_size size_ = workload_size::small;
    const workload_entry* entry_ = nullptr;
    std::any spec_;  // the entry's
};

}  // namespace contraflow::workloads
