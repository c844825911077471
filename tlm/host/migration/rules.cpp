// SPDX-License-Identifier: Apache-2.0
#include "host/migration/rules.h"

namespace contraflow::host::migration {

void rules::spec::describe(config::fields<spec>& f) {
    f("policy", &spec::policy)
        .text("never: GPUs reach across; first_touch: a page goes to the first GPU that touches it; access_count: to a "
              "GPU that has reached into it so many times; always: to whoever comes upon it");
    f("windows", &spec::windows)
        .check(
            [](const std::vector<window>& all) {
                for (const window& w : all)
                    if (w.to <= w.from) return false;
                return true;
            },
            "windows that end after they begin")
        .text("when pages may move; none: always");
    f("ping_pong", &spec::ping_pong).text("the defence against pages that go back and forth");
}

}  // namespace contraflow::host::migration
