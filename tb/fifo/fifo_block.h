// SPDX-License-Identifier: Apache-2.0
// The pins of cf_fifo as plain values, for any width up to 64, and the build under test.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace contraflow::fifo {

struct inputs {
    bool rst_n = true;
    bool in_valid = false;
    std::uint64_t in_data = 0;
    bool out_ready = false;
};

struct outputs {
    bool in_ready = false, out_valid = false;
    std::uint64_t out_data = 0;
};

struct parameters {
    unsigned width = 0, depth = 0;
};

// A cycle is edge(), then drive(): inputs change while the clock is low, and outputs have the cycle's values after it.
class fifo_block {
public:
    virtual ~fifo_block() = default;
    virtual void edge() = 0;
    virtual void drive(const inputs& in) = 0;
    virtual void clear_coverage() = 0;
    virtual void write_coverage(const std::string& file) = 0;
    const outputs& out() const { return out_; }

protected:
    outputs out_;
};

std::unique_ptr<fifo_block> make_block(std::uint32_t variant);
parameters parameters_of_build();

}  // namespace contraflow::fifo
