// SPDX-License-Identifier: Apache-2.0
#include "memory/replacement_lru.h"

#include "memory/use_stamps.h"

namespace contraflow::memory {
namespace {

class lru final : public replacement_if {
public:
    explicit lru(const replacement_shape& shape) : stamps_(shape) {}
    void used(unsigned set, unsigned way) override { stamps_.stamp(set, way); }
    void filled(unsigned set, unsigned way) override { stamps_.stamp(set, way); }
    unsigned victim(unsigned set, std::uint64_t candidates) override { return stamps_.oldest(set, candidates); }
    void reset() override { stamps_.reset(); }

private:
    use_stamps stamps_;
};

}  // namespace

std::unique_ptr<replacement_if> make_lru(const replacement_shape& shape) { return std::make_unique<lru>(shape); }

}  // namespace contraflow::memory
