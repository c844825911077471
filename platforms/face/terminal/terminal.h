// SPDX-License-Identifier: Apache-2.0
// The report as text: what a terminal shows and what summary.txt holds.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <limits>

#include "face/results/report_data.h"

namespace contraflow::face {

// In columns. Tables wider than this get their text columns wrapped; prose is wrapped anyway.
struct page_width {
    std::size_t prose = 100;
    std::size_t table = std::numeric_limits<std::size_t>::max();
};

void print_table(std::ostream& out, const table& t, page_width width);
void print_tree(std::ostream& out, const tree_view& t, page_width width);

// Title, headline and warnings; with everything that is meant for the terminal unless `brief`.
void print_report(std::ostream& out, const report_data& report, page_width width, bool brief);

}  // namespace contraflow::face
