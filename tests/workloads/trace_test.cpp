// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "check.h"
#include "gpu/kernel/ideal_machine.h"
#include "text/text_fields.h"

namespace contraflow::workloads_test {
namespace {

TEST(trace, runs_what_a_file_says) {
    const auto chosen = selected("name: trace\nfile: " CF_TEST_DATA "/traces/copy.txt\n");
    EXPECT_TRUE(chosen.problems().empty());
    const auto w = chosen.create();
    gpu::ideal_machine machine;
    w->prepare(machine.memory());
    EXPECT_NE(w->verify(machine.memory()), "");
    machine.run(w->run(machine));
    EXPECT_EQ(w->verify(machine.memory()), "");
    EXPECT_EQ(machine.instructions(), 10u);
}

TEST(trace, needs_a_file) {
    EXPECT_EQ(selected("name: trace\n").problems().size(), 1u);
    EXPECT_THROW(selected("name: trace\nfile: nothing\n").create(), text::input_error);
}

}  // namespace
}  // namespace contraflow::workloads_test
