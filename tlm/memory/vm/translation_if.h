// SPDX-License-Identifier: Apache-2.0
// Between two levels of address translation: TLBs, a GPU's own walkers, the IOMMU. A level takes a request in or holds
// its sender back, and answers later. What a level forgets at a reset is never answered: the levels above and below
// must be reset as well.
#pragma once

#include <string>

#include "memory/vm/translation.h"

namespace contraflow::memory {

class translation_client_if {
public:
    // The answer stands in the request, which is its sender's again. Never from within translate(); another request
    // may be sent from here.
    virtual void translated(translation_request& answered) = 0;
    // The request that was held back has been taken in. Another one may be sent from here.
    virtual void translation_accepted(translation_request& held) = 0;

protected:
    ~translation_client_if() = default;
};

class translation_if {
public:
    // True: taken in. False: held back until translation_accepted(); until then its sender sends nothing here. Senders
    // that are held back get their turns in the order in which they came.
    virtual bool translate(translation_request& request) = 0;
    // For messages: who holds what has been asked of it.
    virtual std::string instance() const = 0;

protected:
    ~translation_if() = default;
};

}  // namespace contraflow::memory
