// SPDX-License-Identifier: Apache-2.0
#include "lib/findings.h"

#include <verilated.h>

namespace contraflow::lib {
namespace {

findings* assertions = nullptr;

}  // namespace

void assertions_go_to(findings* f) { assertions = f; }

}  // namespace contraflow::lib

// Called by the Verilated block where an assertion does not hold; it has printed its name.
void vl_stop(const char* file, int line, const char*) {
    if (contraflow::lib::assertions == nullptr) return;
    const char* base = file;
    for (const char* c = file; *c != '\0'; ++c)
        if (*c == '/') base = c + 1;
    contraflow::lib::assertions->add((std::string("assertion@") + base + ":" + std::to_string(line)).c_str(), "fired");
}
