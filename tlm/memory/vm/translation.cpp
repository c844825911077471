// SPDX-License-Identifier: Apache-2.0
#include "memory/vm/translation.h"

namespace contraflow::memory {

const char* status_name(translation_status s) {
    switch (s) {
    case translation_status::translated: return "translated";
    case translation_status::unmapped: return "unmapped";
    case translation_status::protection: break;
    }
    return "protection";
}

}  // namespace contraflow::memory
