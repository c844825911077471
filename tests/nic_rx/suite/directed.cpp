// SPDX-License-Identifier: Apache-2.0
#include "nic_rx/suite/directed.h"

#include "nic_rx/suite/subjects.h"

namespace contraflow::testing {

const std::vector<directed_test>& directed_tests() {
    static const std::vector<directed_test> tests = [] {
        std::vector<directed_test> list;
        for (const auto* subject :
             {&header_tests(), &translation_tests(), &core_tests(), &list_tests(), &ring_tests(), &waiting_tests(),
              &register_tests(), &reset_tests(), &time_tests(), &memory_tests()})
            list.insert(list.end(), subject->begin(), subject->end());
        return list;
    }();
    return tests;
}

}  // namespace contraflow::testing
