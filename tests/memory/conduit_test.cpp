// SPDX-License-Identifier: Apache-2.0
// Crossbars and a data fabric as conduits.
#include "memory/crossbar/crossbar.h"
#include "memory/fabric/data_fabric.h"
#include "transaction_conduit.h"

namespace conduit_test {

using namespace contraflow;
using contraflow::testing::conduit_contract;
using contraflow::testing::conduit_independence;

class three_by_two final : public memory::testing::transaction_conduit, memory::address_to_port_if {
public:
    explicit three_by_two(memory::crossbar_spec s) : tested_("tested", shared_, sized(s), *this) {
        for (unsigned i = 0; i < inputs; ++i) add_initiator(tested_.up(i));
        for (unsigned i = 0; i < outputs; ++i) add_target(tested_.down(i));
        add_stream(0, 0);
        add_stream(1, 0);
        add_stream(1, 1);
        add_stream(2, 1);
    }

private:
    static constexpr unsigned inputs = 3, outputs = 2;
    static memory::crossbar_spec sized(memory::crossbar_spec s) {
        s.inputs = inputs;
        s.outputs = outputs;
        return s;
    }
    std::uint64_t address(unsigned, unsigned to, std::uint64_t number) const override {
        return (number * outputs + to) * 128;
    }
    unsigned find(std::uint64_t address) const override { return static_cast<unsigned>(address / 128 % outputs); }
    std::uint64_t span(std::uint64_t address) const override { return 128 - address % 128; }
    void reset_tested() override { tested_.control(core::control_verb::reset); }
    void report_tested(std::vector<core::wait_edge>& edges) const override { tested_.report_waits(edges); }

    memory::crossbar tested_;
};

contraflow::testing::conduit_instance instance(std::string name, unsigned queue) {
    memory::crossbar_spec s;
    s.queue = s.response_queue = queue;
    return {std::move(name), [s] { return std::make_unique<three_by_two>(s); }};
}

const auto crossbar_instances = ::testing::Values(instance("one", 1), instance("deep", 4));
INSTANTIATE_TEST_SUITE_P(crossbar, conduit_contract, crossbar_instances, contraflow::testing::name_of);
INSTANTIATE_TEST_SUITE_P(crossbar, conduit_independence, crossbar_instances, contraflow::testing::name_of);

// All requests are for one line, so they keep their order.
class reordering final : public memory::testing::transaction_conduit {
public:
    explicit reordering(const memory::data_fabric_spec& s) : tested_("tested", shared_, s) {
        add_initiator(tested_.up);
        add_target(tested_.down);
        add_stream(0, 0);
    }

private:
    std::uint64_t address(unsigned, unsigned, std::uint64_t number) const override { return number % 4 * 32; }
    void reset_tested() override { tested_.control(core::control_verb::reset); }
    void report_tested(std::vector<core::wait_edge>& edges) const override { tested_.report_waits(edges); }

    memory::data_fabric tested_;
};

contraflow::testing::conduit_instance fabric_instance(std::string name, unsigned queue) {
    memory::data_fabric_spec s;
    s.queue = queue;
    s.reorder = core::sim_time::from_ns(20);
    return {std::move(name), [s] { return std::make_unique<reordering>(s); }};
}

INSTANTIATE_TEST_SUITE_P(fabric, conduit_contract,
                         ::testing::Values(fabric_instance("fabric_one", 1), fabric_instance("fabric_deep", 8)),
                         contraflow::testing::name_of);

}  // namespace conduit_test
