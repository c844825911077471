// SPDX-License-Identifier: Apache-2.0
#include "workloads/physics/gas.h"

#include <algorithm>
#include <cmath>

namespace contraflow::workloads {
namespace {

vector3 velocity(const gas_state& s) { return {s[1] / s[0], s[2] / s[0], s[3] / s[0]}; }
double pressure(const gas_state& s) {
    const vector3 v = velocity(s);
    return (heat_ratio - 1) * (s[4] - 0.5 * s[0] * dot(v, v));
}
double fastest_wave(const gas_state& s) {
    const vector3 v = velocity(s);
    return std::sqrt(dot(v, v)) + std::sqrt(heat_ratio * pressure(s) / s[0]);
}

// The convective flux through the face.
gas_state carried(const vector3& normal, const gas_state& s) {
    const double through = dot(velocity(s), normal), p = pressure(s);
    return {s[0] * through, s[1] * through + p * normal[0], s[2] * through + p * normal[1],
            s[3] * through + p * normal[2], (s[4] + p) * through};
}

}  // namespace

gas_state flux_through(const vector3& normal, const gas_state& here, const gas_state& beyond) {
    const gas_state a = carried(normal, here), b = carried(normal, beyond);
    const double wave = std::max(fastest_wave(here), fastest_wave(beyond)) * std::sqrt(dot(normal, normal));
    gas_state out;
    for (unsigned k = 0; k < 5; ++k) out[k] = 0.5 * (a[k] + b[k] - wave * (beyond[k] - here[k]));
    return out;
}

gas_state flux_through_wall(const vector3& normal, const gas_state& here) {
    const double p = pressure(here);
    return {0, p * normal[0], p * normal[1], p * normal[2], 0};
}

void flow(const tetrahedral_mesh& mesh, std::vector<gas_state>& states, unsigned steps) {
    const auto& elements = mesh.elements();
    std::vector<double> stride(elements.size());
    for (unsigned step = 0; step < steps; ++step) {
        const std::vector<gas_state> old = states;
        for (std::size_t e = 0; e < elements.size(); ++e) {
            double surface = 0;
            for (const vector3& n : elements[e].normal) surface += std::sqrt(dot(n, n));
            stride[e] = courant_number / (surface * fastest_wave(old[e]));
        }
        for (unsigned sub = 0; sub < sub_steps; ++sub) {
            std::vector<gas_state> next = old;
            for (std::size_t e = 0; e < elements.size(); ++e) {
                for (unsigned f = 0; f < 4; ++f) {
                    const std::uint32_t beyond = elements[e].beyond[f];
                    const vector3& n = elements[e].normal[f];
                    const gas_state out = beyond == tetrahedral_mesh::wall ? flux_through_wall(n, states[e])
                                          : beyond == tetrahedral_mesh::far_field
                                              ? flux_through(n, states[e], far_state)
                                              : flux_through(n, states[e], states[beyond]);
                    for (unsigned k = 0; k < 5; ++k) next[e][k] -= stride[e] / (sub_steps - sub) * out[k];
                }
            }
            states = next;
        }
    }
}

}  // namespace contraflow::workloads
