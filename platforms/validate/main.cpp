// SPDX-License-Identifier: Apache-2.0
// validate: compares the published numbers with ours, and tries what arithmetic knows.
#include "validate/start.h"

int main(int argc, char** argv) { return contraflow::validate::start(argc, argv); }
