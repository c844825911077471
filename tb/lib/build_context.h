// SPDX-License-Identifier: Apache-2.0
// What every Verilated build of a block needs: its context, the choice of a mutant or planted bug, code coverage,
// waves. Only the wrapper of a block includes it; that is compiled once for each build, with
//   CF_MODEL, CF_MODEL_HEADER            the Verilated class and its header
//   CF_SELECT, CF_MODEL_ROOT_HEADER      the variable that chooses a mutant or bug, where there is one
//   CF_SET_NAME                          the parameter set
//   CF_LANES_PER_DIRECTION and so on     every parameter of the block
#pragma once

#include <cstdint>
#include <string>

#include CF_MODEL_HEADER
#ifdef CF_SELECT
#include CF_MODEL_ROOT_HEADER
#endif

#include <verilated.h>
#if VM_COVERAGE
#include <verilated_cov.h>
#endif
#if VM_TRACE_FST
#include <verilated_fst_c.h>
#elif VM_TRACE_VCD
#include <verilated_vcd_c.h>
#endif

#include "lib/run_options.h"

namespace contraflow::lib {

inline void clear_coverage([[maybe_unused]] VerilatedContext& context) {
#if VM_COVERAGE
    context.coveragep()->zero();
#endif
}
inline void write_coverage([[maybe_unused]] VerilatedContext& context, [[maybe_unused]] const std::string& file) {
#if VM_COVERAGE
    context.coveragep()->write(file.c_str());
#endif
}

// A base of the wrapper before the block itself, because it is destroyed after it.
class build_context {
public:
    // A build with unknown contents begins with values that are drawn from the seed. Assertions are off until they have
    // seen the reset.
    build_context() {
        context_.assertOn(false);
        context_.randReset(2);
        context_.randSeed(static_cast<int>(options_of_run().contents_seed));
    }

    void clear_coverage() { lib::clear_coverage(context_); }
    void write_coverage(const std::string& file) { lib::write_coverage(context_, file); }

protected:
    VerilatedContext* context() { return &context_; }
    // A block's destruction removes its scopes from the thread's context. Where several blocks live at once, call this
    // first in the destructor.
    void enter() { Verilated::threadContextp(&context_); }
    // The first evaluation of a block. The variable is written once, so that the logic behind it is not computed in
    // every cycle.
    template <class Rtl> void begin(Rtl& rtl, [[maybe_unused]] std::uint32_t variant) {
#ifdef CF_SELECT
        rtl.rootp->CF_SELECT = variant;
#endif
#if VM_TRACE
        if (!options_of_run().wave_file.empty() && !wave_.isOpen()) {
            context_.traceEverOn(true);
            rtl.trace(&wave_, 99);
            wave_.open(options_of_run().wave_file.c_str());
        }
#endif
        rtl.eval();
    }
    // Before anything of the next half cycle; a build for waves shows what there is.
    void before_half_cycle() {
        if (context_.time() == in_reset) context_.assertOn(true);
#if VM_TRACE
        if (wave_.isOpen()) wave_.dump(context_.time());
#endif
    }
    void half_cycle() {
        before_half_cycle();
        context_.timeInc(1);
    }

private:
    static constexpr std::uint64_t in_reset = 2;  // half cycles: the shortest first reset

    VerilatedContext context_;
#if VM_TRACE_FST
    VerilatedFstC wave_;
#elif VM_TRACE_VCD
    VerilatedVcdC wave_;
#endif
};

}  // namespace contraflow::lib
