// SPDX-License-Identifier: Apache-2.0
// nic_replay: packets played against the receive datapath of a NIC, with firmware on its core or as a model.
#include "nic_replay/nic_replay_platform.h"

int main(int argc, char** argv) {
    contraflow::nic_replay::nic_replay_platform platform;
    return contraflow::face::main(argc, argv, platform);
}
