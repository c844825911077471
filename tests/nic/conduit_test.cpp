// SPDX-License-Identifier: Apache-2.0
// The receive datapath in hardware as a conduit, with small and with large buffers.
#include "nic/receive/receive_pipeline.h"
#include "nic/receive_conduit.h"

namespace {

using namespace contraflow;
using contraflow::testing::conduit_contract;
using contraflow::testing::conduit_instance;
using contraflow::testing::receive_conduit;

conduit_instance instance(std::string name, const nic::receive_spec& s) {
    return {std::move(name), [s] { return std::make_unique<receive_conduit>(nic::make_hardware_datapath, s); }};
}

INSTANTIATE_TEST_SUITE_P(receive_datapath, conduit_contract,
                         ::testing::Values(instance("hardware_small", contraflow::testing::smallest_receive()),
                                           instance("hardware", {})),
                         contraflow::testing::name_of);

}  // namespace
