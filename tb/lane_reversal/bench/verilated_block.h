// SPDX-License-Identifier: Apache-2.0
// The block under test as it was built: one binary of the bench holds one build of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "lane_reversal/model/pins.h"
#include "lane_reversal/model/register_model.h"

namespace contraflow::lane_reversal {

// An interface, because the headers of the Verilated block differ from build to build: only its own source has them.
class block_if : public pins_if {
public:
    virtual void clear_coverage() = 0;
    virtual void write_coverage(const std::string& file) = 0;
};

// `variant` selects the active mutant or planted bug of such a build; 0: none.
std::unique_ptr<block_if> make_block(std::uint32_t variant);
block_parameters block_parameters_of_build();

}  // namespace contraflow::lane_reversal
