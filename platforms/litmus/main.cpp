// SPDX-License-Identifier: Apache-2.0
// litmus: which steps order a GPU's stores, its PCIe path and NICs: small tests, and every outcome they can have.
#include "litmus/start.h"

int main(int argc, char** argv) { return contraflow::litmus::start(argc, argv); }
