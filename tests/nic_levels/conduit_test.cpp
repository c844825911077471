// SPDX-License-Identifier: Apache-2.0
// The receive datapath with firmware on its core and as RTL, alone and in lockstep with the TLM model, as a conduit.
#include "nic/receive_conduit.h"
#include "nic_levels/receive_level.h"

namespace nic_conduit_test {

using namespace contraflow;
using contraflow::testing::conduit_contract;
using contraflow::testing::conduit_instance;
using nic_levels::chosen_level;
using nic_levels::lockstep_level;
using nic_levels::receive_level;

// Objects that the datapath refers to.
struct level_parts {
    explicit level_parts(const chosen_level& l)
        : program(nic_levels::built_in_firmware()),
          factory(nic_levels::receive_factory(l, options, difference)) {
        options.program = &program;
    }
    iss::elf_file program;
    nic_levels::core_options options;
    nic_levels::level_difference difference;
    nic::datapath_factory factory;
};

class level_conduit final : private level_parts, public contraflow::testing::receive_conduit {
public:
    level_conduit(const chosen_level& l, const nic::receive_spec& s) : level_parts(l), receive_conduit(factory, s) {}
    // A core without work waits for an interrupt: no packet waits there.
    void report_waits(std::vector<core::wait_edge>& edges) const override {
        receive_conduit::report_waits(edges);
        std::erase_if(edges, [](const core::wait_edge& e) { return e.holder.ends_with(".interrupts"); });
    }
    std::string broken() override { return receive_conduit::broken() + difference.text; }
};

conduit_instance instance(std::string name, const chosen_level& l,
                          const nic::receive_spec& s = contraflow::testing::smallest_receive()) {
    return {std::move(name), [l, s] { return std::make_unique<level_conduit>(l, s); }};
}

INSTANTIATE_TEST_SUITE_P(
    receive_datapath, conduit_contract,
    ::testing::Values(instance("firmware", receive_level::firmware), instance("lockstep", receive_level::lockstep),
                      instance("rtl_small", receive_level::rtl), instance("rtl", receive_level::rtl, {}),
                      instance("rtl_with_firmware", {receive_level::rtl, {}, nic_levels::miss_path::firmware}, {}),
                      instance("rtl_with_firmware_small", {receive_level::rtl, {}, nic_levels::miss_path::firmware}),
                      instance("rtl_and_tlm", {receive_level::lockstep, {lockstep_level::rtl, lockstep_level::tlm}})),
    contraflow::testing::name_of);

}  // namespace nic_conduit_test
