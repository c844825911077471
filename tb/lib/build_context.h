// SPDX-License-Identifier: Apache-2.0
// What every Verilated build of a block needs: its context, the choice of a mutant or planted bug, code coverage. Only
// the wrapper of a block includes it; that is compiled once for each build, with
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

namespace contraflow::lib {

// The first evaluation of a block. The variable is written once, so that the logic behind it is not computed in every
// cycle.
template <class Rtl> void begin(Rtl& rtl, [[maybe_unused]] std::uint32_t variant) {
#ifdef CF_SELECT
    rtl.rootp->CF_SELECT = variant;
#endif
    rtl.eval();
}

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
    build_context() { context_.assertOn(true); }

    void clear_coverage() { lib::clear_coverage(context_); }
    void write_coverage(const std::string& file) { lib::write_coverage(context_, file); }

protected:
    VerilatedContext* context() { return &context_; }
    void half_cycle() { context_.timeInc(1); }

private:
    VerilatedContext context_;
};

}  // namespace contraflow::lib
