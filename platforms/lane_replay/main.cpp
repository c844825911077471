// SPDX-License-Identifier: Apache-2.0
// lane_replay: traces of arrivals played against the lanes of a reversible link and their controller.
#include "lane_replay/start.h"

int main(int argc, char** argv) { return contraflow::lane_replay::start(argc, argv); }
