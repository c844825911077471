// SPDX-License-Identifier: Apache-2.0
// A compressible gas by its conserved quantities, and the flux through a face between two of its states (Rusanov's);
// the host's side of the Euler workload, in double precision.
#pragma once

#include <array>
#include <vector>

#include "workloads/physics/tetrahedral_mesh.h"

namespace contraflow::workloads {

// Density, momentum in x, y and z, energy; of a unit of volume.
using gas_state = std::array<double, 5>;

inline constexpr double heat_ratio = 1.4;
inline constexpr unsigned sub_steps = 3;  // per time step, each from its start over 1/3, 1/2 and all of it
inline constexpr double courant_number = 0.5;

// The inflow from far away: speed of sound 1, and a speed along x of this multiple of it.
inline constexpr double far_speed = 1.2;
inline constexpr gas_state far_state{1.4, 1.4 * far_speed, 0, 0, 1 / (heat_ratio - 1) + 0.7 * far_speed* far_speed};

// The flux out of an element that is in state `here`.
gas_state flux_through(const vector3& normal, const gas_state& here, const gas_state& beyond);
gas_state flux_through_wall(const vector3& normal, const gas_state& here);

// The states of all elements after that many time steps; each element takes its own longest stable step.
void flow(const tetrahedral_mesh& mesh, std::vector<gas_state>& states, unsigned steps);

}  // namespace contraflow::workloads
