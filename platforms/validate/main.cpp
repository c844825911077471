// SPDX-License-Identifier: Apache-2.0
// validate: compares the published numbers with ours, and tries what arithmetic knows.
#include "validate/table/experiments.h"
#include "validate/table/rows.h"
#include "validate/validate_platform.h"

int main(int argc, char** argv) {
    contraflow::validate::validate_platform platform(contraflow::validate::rows(), contraflow::validate::experiments());
    return contraflow::face::main(argc, argv, platform);
}
