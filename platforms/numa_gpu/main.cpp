// SPDX-License-Identifier: Apache-2.0
// numa_gpu: the gain of a multi-socket GPU by links whose lanes change direction.
#include "numa_gpu/start.h"

int main(int argc, char** argv) { return contraflow::numa_gpu::start(argc, argv); }
