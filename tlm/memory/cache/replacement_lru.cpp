// SPDX-License-Identifier: Apache-2.0
#include "memory/cache/replacement_lru.h"

#include "memory/cache/use_order.h"

namespace contraflow::memory {
namespace {

class lru final : public replacement_if {
public:
    explicit lru(const replacement_shape& shape) : order_(shape) {}
    void used(unsigned set, unsigned way) override { order_.put_in_front(set, way); }
    void filled(unsigned set, unsigned way) override { order_.put_in_front(set, way); }
    unsigned victim(unsigned set, std::uint64_t candidates) override { return order_.last(set, candidates); }
    void reset() override { order_.reset(); }

private:
    use_order order_;
};

}  // namespace

std::unique_ptr<replacement_if> make_lru(const replacement_shape& shape) { return std::make_unique<lru>(shape); }

}  // namespace contraflow::memory
