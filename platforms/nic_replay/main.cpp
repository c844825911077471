// SPDX-License-Identifier: Apache-2.0
// nic_replay: packets played against the receive datapath of a NIC, with firmware on its core or as a model.
#include "nic_replay/start.h"

int main(int argc, char** argv) { return contraflow::nic_replay::start(argc, argv); }
