// SPDX-License-Identifier: Apache-2.0
// numa_gpu: the gain of a multi-socket GPU by links whose lanes change direction.
#include "numa_gpu/numa_gpu_platform.h"

int main(int argc, char** argv) {
    contraflow::numa_gpu::numa_gpu_platform platform;
    return contraflow::face::main(argc, argv, platform);
}
