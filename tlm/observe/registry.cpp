// SPDX-License-Identifier: Apache-2.0
#include "observe/registry.h"

#include <mutex>
#include <ostream>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

namespace contraflow::observe {
namespace {

std::string csv_field(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

// Kept until the process ends, because statistics may outlive their registry; only looked up, never iterated.
const std::string& kept_once(std::string text) {
    static std::mutex mutex;
    static std::unordered_set<std::string> all;
    const std::lock_guard lock(mutex);
    return *all.insert(std::move(text)).first;
}

}  // namespace

statistic::statistic(statistics& group, std::string path, std::string unit, std::string text)
    : group_(&group),
      path_(std::move(path)),
      unit_(kept_once(std::move(unit))),
      text_(kept_once(std::move(text))) {
    group.add(*this);
}

statistic::~statistic() {
    if (group_ != nullptr) group_->remove(*this);
}

stat_row statistic::row(std::string_view metric, std::string_view unit, double value) const {
    return {path_, std::string(metric), std::string(unit), text_, value};
}

statistics::~statistics() {
    for (statistic* s = first_; s != nullptr; s = s->after_) s->group_ = nullptr;
}

void statistics::add(statistic& s) {
    if (s.path_.empty()) throw std::logic_error("statistics: a statistic has no path");
    if (s.unit_.empty()) throw std::logic_error(fmt::format("statistics: '{}' has no unit", s.path_));
    if (s.text_.empty()) throw std::logic_error(fmt::format("statistics: '{}' has no text", s.path_));
    if (!paths_.insert(s.path_).second)
        throw std::logic_error(fmt::format("statistics: '{}' is registered twice", s.path_));
    s.before_ = last_;
    (last_ != nullptr ? last_->after_ : first_) = &s;
    last_ = &s;
}

void statistics::remove(statistic& s) {
    (s.before_ != nullptr ? s.before_->after_ : first_) = s.after_;
    (s.after_ != nullptr ? s.after_->before_ : last_) = s.before_;
    paths_.erase(s.path_);
}

std::vector<stat_row> statistics::rows(core::sim_time end) const {
    std::vector<stat_row> result;
    for (const statistic* s = first_; s != nullptr; s = s->after_) s->append_rows(end, result);
    return result;
}

void statistics::write_csv(std::ostream& out, core::sim_time end) const {
    out << "path,metric,unit,value\n";
    for (const auto& r : rows(end))
        out << fmt::format("{},{},{},{}\n", csv_field(r.path), csv_field(r.metric), csv_field(r.unit), r.value);
}

void statistics::reset(core::sim_time now) {
    for (statistic* s = first_; s != nullptr; s = s->after_) s->reset(now);
}

}  // namespace contraflow::observe
