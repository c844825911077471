// SPDX-License-Identifier: Apache-2.0
// render_file REPORT.json PAGE.html: the page of a report, for the browser tests.
#include <fstream>
#include <iostream>

#include "report/render_page.h"

int main(int argc, char** argv) {
    if (argc != 3) {
        std::cerr << "usage: render_file REPORT.json PAGE.html\n";
        return 2;
    }
    std::ifstream in(argv[1]);
    std::ofstream out(argv[2]);
    out << contraflow::report::render_page(nlohmann::ordered_json::parse(in));
    out.close();
    return out ? 0 : 1;
}
