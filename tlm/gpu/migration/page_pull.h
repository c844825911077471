// SPDX-License-Identifier: Apache-2.0
// What a page migration controller is given to do: to bring the bytes of a page from one frame into another.
#pragma once

#include <cstdint>

#include "core/units.h"

namespace contraflow::gpu {

struct page_pull;

class page_pull_client_if {
public:
    // The one that was held back has been taken in. Another one may be submitted from here.
    virtual void pull_accepted(page_pull& held) = 0;
    // All its bytes have arrived, or it has failed; it is its client's again. Another one may be submitted from here.
    virtual void pulled(page_pull& done) = 0;

protected:
    ~page_pull_client_if() = default;
};

// Its client owns it and leaves it alone until it is done. After a reset of the controller nobody hears of it.
struct page_pull {
    // Physical addresses and a length in whole lines; `to` is in the memory of the controller's GPU.
    std::uint64_t from = 0, to = 0, bytes = 0;
    page_pull_client_if* client = nullptr;
    std::uint32_t tag = 0;  // means something to the client only
    bool failed = false;    // a line was answered with an error

    page_pull* next = nullptr;  // for the controller
    core::sim_time since{};
};

}  // namespace contraflow::gpu
