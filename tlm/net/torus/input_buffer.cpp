// SPDX-License-Identifier: Apache-2.0
#include "net/torus/input_buffer.h"

#include "net/torus/torus_node.h"

namespace contraflow::net {

void input_buffer::room() { owner_.room_in(*this); }

void input_buffer::ready() {
    since_ = events_.now();
    owner_.first_ready(*this);
}

}  // namespace contraflow::net
