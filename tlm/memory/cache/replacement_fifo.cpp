// SPDX-License-Identifier: Apache-2.0
#include "memory/cache/replacement_fifo.h"

#include "memory/cache/use_order.h"

namespace contraflow::memory {
namespace {

class fifo final : public replacement_if {
public:
    explicit fifo(const replacement_shape& shape) : order_(shape) {}
    void used(unsigned, unsigned) override {}
    void filled(unsigned set, unsigned way) override { order_.put_in_front(set, way); }
    unsigned victim(unsigned set, std::uint64_t candidates) override { return order_.last(set, candidates); }
    void reset() override { order_.reset(); }

private:
    use_order order_;
};

}  // namespace

std::unique_ptr<replacement_if> make_fifo(const replacement_shape& shape) { return std::make_unique<fifo>(shape); }

}  // namespace contraflow::memory
