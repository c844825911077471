// SPDX-License-Identifier: Apache-2.0
// Requests in order, linked through their extensions.
#pragma once

#include "memory/transaction/linked_fifo.h"
#include "memory/transaction/memory_extension.h"

namespace contraflow::memory {

using payload_fifo = linked_fifo<memory_extension>;

}  // namespace contraflow::memory
