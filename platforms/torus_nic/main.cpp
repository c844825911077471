// SPDX-License-Identifier: Apache-2.0
// torus_nic: a torus of network interfaces that read and write GPU memory, and the network alone.
#include "torus_nic/torus_nic_platform.h"

int main(int argc, char** argv) {
    contraflow::torus_nic::torus_nic_platform platform;
    return contraflow::face::main(argc, argv, platform);
}
