// SPDX-License-Identifier: Apache-2.0
// crossbar: bandwidth of a port by flits, of a unit and of a bank.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "validate/physics/gpu_probe.h"
#include "validate/table/experiments.h"

namespace contraflow::validate {
namespace {

// A second level that holds everything, and first levels that hold nothing.
std::string crossbar_alone(const std::string& gpu) {
    return fmt::format("gpus: 1, gpu: {{l1: {{size: 32KiB, mshrs: 256}}, unit: {{outstanding: 256}}, {}}}", gpu);
}

stream lines_of(unsigned ctas) {
    stream t;
    t.ctas = ctas;
    t.waves = 4;
    t.lines = 128;
    t.in_flight = 4;
    return t;
}

// A response takes whole flits, one a cycle.
double port_gb_per_s(const gpu::gpu_spec& s) {
    const double flits =
        std::ceil((128.0 + static_cast<double>(s.crossbar.header.count)) / static_cast<double>(s.crossbar.flit.count));
    return 128.0 / flits / (s.cycle().seconds() * 1e9);
}

answer port_of_a_unit(const run_environment& environment) {
    const auto s = machine_of(crossbar_alone("units: 1, l2: {banks: 16, bank: {size: 1MiB}}"));
    return {{port_gb_per_s(s)}, {flow_of(s, lines_of(8), environment).gb_per_s}, ""};
}
answer port_of_a_bank(const run_environment& environment) {
    const auto s = machine_of(crossbar_alone("units: 16, l2: {banks: 1, bank: {size: 4MiB}}"));
    return {{port_gb_per_s(s)}, {flow_of(s, lines_of(128), environment).gb_per_s}, ""};
}
answer by_flit(const run_environment& environment) {
    answer a;
    for (const unsigned flit : {8u, 16u, 64u}) {
        const auto s = machine_of(crossbar_alone(
            fmt::format("units: 1, l2: {{banks: 16, bank: {{size: 1MiB}}}}, crossbar: {{flit: {}B}}", flit)));
        a.expected.push_back(port_gb_per_s(s));
        a.measured.push_back(flow_of(s, lines_of(8), environment).gb_per_s);
    }
    return a;
}
answer by_units(const run_environment& environment) {
    answer a;
    for (const unsigned units : {1u, 2u, 4u}) {
        const auto s =
            machine_of(crossbar_alone(fmt::format("units: {}, l2: {{banks: 32, bank: {{size: 1MiB}}}}", units)));
        a.expected.push_back(units * port_gb_per_s(s));
        a.measured.push_back(flow_of(s, lines_of(8 * units), environment).gb_per_s);
    }
    return a;
}

}  // namespace

std::vector<experiment> crossbar_experiments() {
    return {
        {"crossbar.unit", "one unit reads from 16 banks", "line / flits of a response, one a cycle", "GB/s",
         relation::equal, 0.03, port_of_a_unit},
        {"crossbar.bank", "16 units read from one bank", "line / flits of a response, one a cycle", "GB/s",
         relation::equal, 0.03, port_of_a_bank},
        {"crossbar.flits", "one unit with flits of 8, 16 and 64 bytes", "line / flits of a response, one a cycle",
         "GB/s", relation::equal, 0.03, by_flit},
        {"crossbar.units", "1, 2 and 4 units read from 32 banks", "units x a port's rate", "GB/s", relation::equal,
         0.05, by_units},
    };
}

}  // namespace contraflow::validate
