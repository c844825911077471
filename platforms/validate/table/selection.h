// SPDX-License-Identifier: Apache-2.0
// Which rows of the table to measure: by id, by group, or all.
#pragma once

#include <string>
#include <vector>

#include "config/fields.h"
#include "validate/table/row.h"

namespace contraflow::validate {

struct selection {
    std::vector<std::string> rows;
    bool all = false;

    static void describe(config::fields<selection>& f) {
        f("rows", &selection::rows).text("ids (P6a) or groups (P6) of rows to measure; empty: all that are quick");
        f("all", &selection::all).text("without named rows: also those that take over 30 s");
    }
};

// The rows in the table's order, each once. `unknown` receives the names that match no row.
std::vector<const row*> choose(const selection& wanted, const std::vector<row>& table,
                               std::vector<std::string>& unknown);

// "no row 'P66' (did you mean 'P6'?)"
std::string unknown_text(const std::string& name, const std::vector<row>& table);

}  // namespace contraflow::validate
