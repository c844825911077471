// SPDX-License-Identifier: Apache-2.0
// The unified_gpu binary, in a directory of its own.
#pragma once

#include <algorithm>
#include <string>

#include "face/binary_fixture.h"

// The configuration that the tests begin with: four GPUs of four units.
inline const std::string small = CF_PLATFORM_FOLDER "/small.yaml";

// The output for a terminal that is wide enough.
inline std::string unwrapped(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

class unified_gpu : public contraflow::test::binary_fixture {
protected:
    unified_gpu() : binary_fixture(UNIFIED_GPU) {}
};
