// SPDX-License-Identifier: Apache-2.0
// gpu_shmem: kernels that put into the memory of other nodes' GPUs themselves, against the ways by the host.
#include "gpu_shmem/start.h"

int main(int argc, char** argv) { return contraflow::gpu_shmem::start(argc, argv); }
