// SPDX-License-Identifier: Apache-2.0
// unified_gpu: many GPUs as one: the cost of remote accesses, the places of pages, and when moving them pays.
#include "unified_gpu/start.h"

int main(int argc, char** argv) { return contraflow::unified_gpu::start(argc, argv); }
