// SPDX-License-Identifier: Apache-2.0
// lane_replay: traces of arrivals played against the lanes of a reversible link and their controller.
#include "lane_replay/lane_replay_platform.h"

int main(int argc, char** argv) {
    contraflow::lane_replay::lane_replay_platform platform;
    return contraflow::face::main(argc, argv, platform);
}
