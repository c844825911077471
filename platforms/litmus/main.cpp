// SPDX-License-Identifier: Apache-2.0
// litmus: which steps order a GPU's stores, its PCIe path and NICs: small tests, and every outcome they can have.
#include "litmus/litmus_platform.h"

int main(int argc, char** argv) {
    contraflow::litmus::litmus_platform platform;
    return contraflow::face::main(argc, argv, platform);
}
