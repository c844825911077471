// SPDX-License-Identifier: Apache-2.0
// gpu_shmem: kernels that put into the memory of other nodes' GPUs themselves, against the ways by the host.
#include "gpu_shmem/gpu_shmem_platform.h"

int main(int argc, char** argv) {
    contraflow::gpu_shmem::gpu_shmem_platform platform;
    return contraflow::face::main(argc, argv, platform);
}
