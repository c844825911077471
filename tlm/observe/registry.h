// SPDX-License-Identifier: Apache-2.0
// Where the statistics of a run are registered: each belongs to a component, has a path, a unit and a sentence. They
// are written in the order of registration, so two runs of the same inputs print the same bytes.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/units.h"

namespace contraflow::observe {

// One number of the output: "k80_0.up.latency", "p50", "ns", "from the first byte to the last", 412.
struct stat_row {
    std::string path;
    std::string metric;
    std::string unit;
    std::string text;
    double value = 0;
};

class statistics;

// The base of all statistics; each lives in its component and unregisters when that is destroyed.
class statistic {
public:
    statistic(const statistic&) = delete;
    statistic& operator=(const statistic&) = delete;

    const std::string& path() const { return path_; }
    const std::string& unit() const { return unit_; }
    const std::string& text() const { return text_; }
    virtual void append_rows(core::sim_time end, std::vector<stat_row>& rows) const = 0;
    // Clears the counts. A value that holds over time (a gauge's) continues from `now`.
    virtual void reset(core::sim_time now) = 0;

protected:
    // An empty path, unit or text, or a path that is taken, is an error in the program: std::logic_error.
    statistic(statistics& group, std::string path, std::string unit, std::string text);
    virtual ~statistic();
    stat_row row(std::string_view metric, double value) const { return row(metric, unit_, value); }
    stat_row row(std::string_view metric, std::string_view unit, double value) const;

private:
    friend class statistics;
    statistics* group_;            // null once the registry is gone
    statistic* before_ = nullptr;  // in the order of registration
    statistic* after_ = nullptr;
    const std::string path_;
    const std::string& unit_;  // kept once for all instances of a component
    const std::string& text_;
};

class statistics {
public:
    statistics() = default;
    ~statistics();
    statistics(const statistics&) = delete;
    statistics& operator=(const statistics&) = delete;

    std::vector<stat_row> rows(core::sim_time end) const;
    // path,metric,unit,value: RFC 4180, numbers in the shortest form that reads back the same.
    void write_csv(std::ostream& out, core::sim_time end) const;
    // Ends a warm-up: everything counts from `now`.
    void reset(core::sim_time now = {});

private:
    friend class statistic;
    void add(statistic& s);
    void remove(statistic& s);

    // Linked, so that a machine's statistics go in any order in a time that is linear in their number.
    statistic* first_ = nullptr;
    statistic* last_ = nullptr;
    std::unordered_set<std::string_view> paths_;  // only looked up, never iterated
};

}  // namespace contraflow::observe
