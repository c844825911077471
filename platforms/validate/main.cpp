// SPDX-License-Identifier: Apache-2.0
// validate: the published numbers against ours.
#include "validate/table/rows.h"
#include "validate/validate_platform.h"

int main(int argc, char** argv) {
    contraflow::validate::validate_platform platform(contraflow::validate::rows());
    return contraflow::face::main(argc, argv, platform);
}
