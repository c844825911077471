// SPDX-License-Identifier: Apache-2.0
// The directed tests, by subject.
#pragma once

#include <vector>

#include "nic_rx/suite/directed.h"

namespace contraflow::testing {

const std::vector<directed_test>& header_tests();
const std::vector<directed_test>& translation_tests();
const std::vector<directed_test>& core_tests();
const std::vector<directed_test>& list_tests();
const std::vector<directed_test>& ring_tests();
const std::vector<directed_test>& waiting_tests();
const std::vector<directed_test>& register_tests();
const std::vector<directed_test>& reset_tests();
const std::vector<directed_test>& time_tests();
const std::vector<directed_test>& memory_tests();

}  // namespace contraflow::testing
