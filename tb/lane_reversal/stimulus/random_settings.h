// SPDX-License-Identifier: Apache-2.0
// Settings and register accesses drawn at random: small times mostly, so that much happens; the corners now and then.
#pragma once

#include "core/random.h"
#include "lane_reversal/model/register_model.h"
#include "lib/apb.h"

namespace contraflow::lane_reversal {

settings random_settings(core::random_source& r, const block_parameters& p);
// A read or a write of any register, in range or not, or of an address where there is none. Times stay short.
lib::bus_access random_access(core::random_source& r, const block_parameters& p);

}  // namespace contraflow::lane_reversal
