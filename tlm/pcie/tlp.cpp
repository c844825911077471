// SPDX-License-Identifier: Apache-2.0
#include "pcie/tlp.h"

namespace contraflow::pcie {

const char* to_text(credit_class c) {
    switch (c) {
    case credit_class::posted: return "posted";
    case credit_class::non_posted: return "non-posted";
    case credit_class::completion: break;
    }
    return "completion";
}

tlp* tlp_pool::take(tlp_kind kind) {
    if (free_.empty()) {
        auto c = std::make_unique<chunk>();
        c->payload = std::make_unique<std::uint8_t[]>(chunk_size * max_payload_);
        free_.reserve((chunks_.size() + 1) * chunk_size);
        for (std::size_t i = chunk_size; i-- > 0;) {
            c->packets[i].pool_ = this;
            c->packets[i].data = c->payload.get() + i * max_payload_;
            free_.push_back(&c->packets[i]);
        }
        chunks_.push_back(std::move(c));
    }
    tlp* const packet = free_.back();
    free_.pop_back();
    packet->kind = kind;
    packet->relaxed = false;
    packet->references_ = 1;
    ++in_flight_;
    return packet;
}

void tlp_pool::give_back(tlp* packet) {
    --in_flight_;
    free_.push_back(packet);
}

}  // namespace contraflow::pcie
