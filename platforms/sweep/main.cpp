// SPDX-License-Identifier: Apache-2.0
// sweep: many runs of a platform over values of its configuration, in one table.
#include "sweep/start.h"

int main(int argc, char** argv) { return contraflow::sweep::start(argc, argv); }
