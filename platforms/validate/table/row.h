// SPDX-License-Identifier: Apache-2.0
// One row of the validation table: a published number, the experiment that measures our number, and the band in which
// the two agree. Bands are part of the claim: they are not widened to fit.
#pragma once

#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "face/results/report_data.h"

namespace contraflow::validate {

// In `published`: the value has no published counterpart.
inline constexpr double unpublished = std::numeric_limits<double>::quiet_NaN();

struct measurement {
    std::vector<double> values;
    std::string how;     // the runs: sizes, seeds, parameters
    std::string reason;  // why the values lie outside of the band, why there is none, or why the published ones do
    std::vector<face::section> details;  // further sections of the report about this row
};

// Thrown by an experiment that was asked to stop.
struct stopped : std::runtime_error {
    stopped() : std::runtime_error("stopped") {}
};

struct run_environment {
    unsigned jobs = 1;
    std::function<bool()> keep_going;  // empty: always
    void check() const {
        if (keep_going && !keep_going()) throw stopped();
    }
};

class band {
public:
    // To double rounding (1e-9 relative).
    static band exactly(std::vector<double> wanted);
    // Equal in the given digits.
    static band rounding_to(std::vector<double> wanted, unsigned decimals);
    static band between(double low, double high);
    // A pair for each value; the upper end may be infinite.
    static band all_between(const std::vector<std::pair<double, double>>& ranges);
    static band at_least(double low);
    // The row reports without a claim.
    static band none() { return {}; }

    bool is_none() const { return low_.empty(); }
    bool holds(const std::vector<double>& values) const;
    // Whether one of these, which are as many as the measured values, lies outside. A NaN is none.
    bool excludes(const std::vector<double>& published) const;
    const std::string& text() const { return text_; }

private:
    bool has(std::size_t i, double value) const { return value >= low_[i] && value <= high_[i]; }  // a NaN: no

    std::vector<double> low_, high_;
    std::string text_ = "none";
};

// How the published value of a row came into the model.
enum class given {
    nothing,
    input,   // a parameter has it, or follows from it
    fitted,  // a parameter was chosen so that the model returns it
};

struct row {
    std::string id;  // P6a: one of group P6
    std::string what;
    std::vector<double> published;
    std::string unit;
    band agrees;
    bool quick = true;  // long ones (over 30 s) run when named, or with --all
    measurement (*measure)(const run_environment&);
    given to_model = given::nothing;
};

// "P6" of "P6a"
std::string group_of(const std::string& id);
inline std::string group_of(const row& r) { return group_of(r.id); }

}  // namespace contraflow::validate
