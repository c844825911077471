// SPDX-License-Identifier: Apache-2.0
// An unstructured mesh of tetrahedra for a flow solver: for each element its four faces, each with the element beyond
// it (or the kind of boundary) and its outward normal, whose length is the face's area.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace contraflow::workloads {

using vector3 = std::array<double, 3>;
inline double dot(const vector3& a, const vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

struct mesh_element {
    std::array<std::uint32_t, 4> beyond;
    std::array<vector3, 4> normal;
};

class tetrahedral_mesh {
public:
    // The numbers that stand for a boundary beyond a face.
    static constexpr std::uint32_t wall = 0xffffffffu;
    static constexpr std::uint32_t far_field = 0xfffffffeu;

    // A cube of side^3 small cubes, each cut into six; inner corners are displaced by up to a tenth. The bottom is a
    // wall, all other boundaries are far field. shuffled: elements are numbered at random, otherwise cube by cube, x
    // fastest.
    tetrahedral_mesh(std::uint32_t side, bool shuffled, std::uint64_t seed);

    const std::vector<mesh_element>& elements() const { return elements_; }

private:
    std::vector<mesh_element> elements_;
};

}  // namespace contraflow::workloads
