// SPDX-License-Identifier: Apache-2.0
// validate: compares the published numbers with ours.
#include "validate/table/rows.h"
#include "validate/validate_platform.h"

int main(int argc, char** argv) {
    contraflow::validate::validate_platform platform(contraflow::validate::rows());
    return contraflow::face::main(argc, argv, platform);
}
