// SPDX-License-Identifier: Apache-2.0
// The tables of a report, and the statistics of the same run from which a test computes their cells anew.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "face/command.h"

namespace contraflow::test {

class report_statistics {
public:
    report_statistics(const nlohmann::json& report, const std::string& stats_csv) : report_(report) {
        std::istringstream lines(stats_csv);
        std::string line;
        std::getline(lines, line);
        EXPECT_EQ(line, "path,metric,unit,value");
        while (std::getline(lines, line)) {
            const auto end = line.rfind(','), unit = line.rfind(',', end - 1), metric = line.rfind(',', unit - 1);
            values_[{line.substr(0, metric), line.substr(metric + 1, unit - metric - 1)}] =
                std::stod(line.substr(end + 1));
        }
        EXPECT_FALSE(values_.empty());
    }

    double value(const std::string& path, const std::string& metric = "count") const {
        const auto at = values_.find({path, metric});
        if (at != values_.end()) return at->second;
        ADD_FAILURE() << "no statistic " << path << " " << metric;
        return 0;
    }
    // The sum, or the maximum, over all paths of that form.
    double sum(const std::string& form, const std::string& metric = "count") const {
        return over(form, metric, [](double a, double b) { return a + b; });
    }
    double most(const std::string& form, const std::string& metric) const {
        return over(form, metric, [](double a, double b) { return std::max(a, b); });
    }

    const nlohmann::json& table(const std::string& id) const {
        static const nlohmann::json none = {{"rows", nlohmann::json::array()}};
        for (const auto& s : report_["sections"])
            for (const auto& i : s["items"])
                if (i["kind"] == "table" && i["id"] == id) return i;
        ADD_FAILURE() << "no table " << id;
        return none;
    }
    // The cells of a row by the names of their columns; the second of two equal names has a 2 behind it.
    static std::map<std::string, nlohmann::json> cells(const nlohmann::json& table, const nlohmann::json& row) {
        std::map<std::string, nlohmann::json> all;
        for (std::size_t c = 0; c < row.size(); ++c) {
            std::string name = table["columns"][c]["name"];
            if (all.contains(name)) name += " 2";
            all[name] = row[c];
        }
        return all;
    }

    using row = std::map<std::string, nlohmann::json>;
    // All rows of a table.
    std::vector<row> rows(const std::string& id) const {
        std::vector<row> all;
        const nlohmann::json& of = table(id);
        for (const auto& r : of["rows"]) all.push_back(cells(of, r));
        return all;
    }

private:
    template <class Join> double over(const std::string& form, const std::string& metric, Join join) const {
        const std::regex wanted(form);
        double all = 0;
        bool any = false;
        for (const auto& [key, value] : values_) {
            if (key.second != metric || !std::regex_match(key.first, wanted)) continue;
            all = any ? join(all, value) : value;
            any = true;
        }
        EXPECT_TRUE(any) << "no statistic of the form " << form << " " << metric;
        return all;
    }

    nlohmann::json report_;
    std::map<std::pair<std::string, std::string>, double> values_;
};

// Equal but for the order in which a sum was made.
inline void expect_cell(const nlohmann::json& cell, double wanted, const std::string& what) {
    ASSERT_TRUE(cell.is_number()) << what << ": " << cell;
    EXPECT_NEAR(cell.get<double>(), wanted, 1e-9 * std::abs(wanted)) << what;
}

}  // namespace contraflow::test
