// SPDX-License-Identifier: Apache-2.0
// torus_nic: a torus of network interfaces that read and write GPU memory, and the network alone.
#include "torus_nic/start.h"

int main(int argc, char** argv) { return contraflow::torus_nic::start(argc, argv); }
