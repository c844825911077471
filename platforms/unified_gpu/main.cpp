// SPDX-License-Identifier: Apache-2.0
// unified_gpu: many GPUs as one: the cost of remote accesses, the places of pages, and when moving them pays.
#include "unified_gpu/unified_gpu_platform.h"

int main(int argc, char** argv) {
    contraflow::unified_gpu::unified_gpu_platform platform;
    return contraflow::face::main(argc, argv, platform);
}
