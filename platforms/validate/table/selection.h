// SPDX-License-Identifier: Apache-2.0
// Which rows of a table to measure: by id, by group, or all. A table is a list of rows or of experiments.
#pragma once

#include <string>
#include <vector>

#include "config/fields.h"
#include "validate/table/experiment.h"
#include "validate/table/row.h"

namespace contraflow::validate {

struct selection {
    std::vector<std::string> rows;
    bool all = false;
    bool physics = false;

    static void describe(config::fields<selection>& f) {
        f("rows", &selection::rows).text("ids (P6a) or groups (P6) of rows to measure; empty: all that are quick");
        f("all", &selection::all).text("without named rows: also those that take long");
        f("physics", &selection::physics)
            .text("rows are experiments with known answers, such as dram.reads, or models, such as dram");
    }
};

// The rows in the table's order, each once. `unknown` receives the names that match no row.
template <class Row>
std::vector<const Row*> choose(const selection& wanted, const std::vector<Row>& table,
                               std::vector<std::string>& unknown);

// "no row 'P66' (did you mean 'P6'?)"
template <class Row> std::string unknown_text(const std::string& name, const std::vector<Row>& table);

}  // namespace contraflow::validate
