// SPDX-License-Identifier: Apache-2.0
// sweep: many runs of a platform over values of its configuration, in one table.
#include "sweep/sweep_platform.h"

int main(int argc, char** argv) {
    contraflow::sweep::sweep_platform platform;
    return contraflow::face::main(argc, argv, platform);
}
