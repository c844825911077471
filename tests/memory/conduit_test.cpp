// SPDX-License-Identifier: Apache-2.0
// Crossbars as conduits.
#include "memory/crossbar/crossbar.h"
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

}  // namespace conduit_test
