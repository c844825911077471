// SPDX-License-Identifier: Apache-2.0
// The parts of a wave file that only Verilated code uses.
#pragma once

#include <memory>

#include <verilated.h>
#include <verilated_fst_c.h>

namespace contraflow::wave {

class wave_file;

// All blocks of a file share a context: their names must differ.
VerilatedContext& context_of(wave_file& file);
VerilatedFstC& trace_of(wave_file& file);

// The context of a Verilated block: its own, or that of the file which shows it; null: no file.
class block_context {
public:
    block_context() : own_(std::make_unique<VerilatedContext>()), context_(own_.get()) {}
    explicit block_context(wave_file* file)
        : own_(file == nullptr ? std::make_unique<VerilatedContext>() : nullptr),
          context_(own_ ? own_.get() : &context_of(*file)) {}

protected:
    VerilatedContext* context() const { return context_; }
    // A block's scopes are removed from the thread's context, which is that of the block used last: call it first in a
    // destructor.
    void enter() const { Verilated::threadContextp(context_); }

private:
    const std::unique_ptr<VerilatedContext> own_;
    VerilatedContext* const context_;
};

}  // namespace contraflow::wave
