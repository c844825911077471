// SPDX-License-Identifier: Apache-2.0
#include "workloads/physics/tetrahedral_mesh.h"

#include <algorithm>
#include <numeric>

#include "core/random.h"

namespace contraflow::workloads {
namespace {

using corner = std::uint32_t;
using tetrahedron = std::array<corner, 4>;

struct face {
    std::array<corner, 3> corners;  // ascending, so that both elements name it alike
    std::uint32_t element;
    unsigned which;
};

vector3 minus(const vector3& a, const vector3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
vector3 cross(const vector3& a, const vector3& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

std::vector<vector3> corner_places(std::uint32_t side, core::random_source& random) {
    std::vector<vector3> places;
    for (std::uint32_t z = 0; z <= side; ++z) {
        for (std::uint32_t y = 0; y <= side; ++y) {
            for (std::uint32_t x = 0; x <= side; ++x) {
                vector3 p{double(x), double(y), double(z)};
                const bool inner = x % side != 0 && y % side != 0 && z % side != 0;
                for (auto& along : p) along = (along + (inner ? 0.2 * random.unit() - 0.1 : 0.0)) / side;
                places.push_back(p);
            }
        }
    }
    return places;
}

// Six in each cube: each goes from corner to opposite corner along the three axes, in one of their six orders.
std::vector<tetrahedron> cut_cubes(std::uint32_t side) {
    const std::array<corner, 3> along{1, side + 1, (side + 1) * (side + 1)};
    std::vector<tetrahedron> out;
    for (std::uint32_t z = 0; z < side; ++z) {
        for (std::uint32_t y = 0; y < side; ++y) {
            for (std::uint32_t x = 0; x < side; ++x) {
                const corner first = x + y * along[1] + z * along[2];
                std::array<unsigned, 3> order{0, 1, 2};
                do {
                    const corner second = first + along[order[0]], third = second + along[order[1]];
                    out.push_back({first, second, third, third + along[order[2]]});
                } while (std::next_permutation(order.begin(), order.end()));
            }
        }
    }
    return out;
}

}  // namespace

tetrahedral_mesh::tetrahedral_mesh(std::uint32_t side, bool shuffled, std::uint64_t seed) {
    core::random_source random(seed);
    const auto places = corner_places(side, random);
    auto tetrahedra = cut_cubes(side);
    if (shuffled) core::shuffle(tetrahedra, random);

    elements_.resize(tetrahedra.size());
    std::vector<face> faces;
    for (std::uint32_t e = 0; e < tetrahedra.size(); ++e) {
        for (unsigned f = 0; f < 4; ++f) {
            const tetrahedron& t = tetrahedra[e];
            face one{{t[(f + 1) % 4], t[(f + 2) % 4], t[(f + 3) % 4]}, e, f};
            const vector3 &a = places[one.corners[0]], &b = places[one.corners[1]], &c = places[one.corners[2]];
            vector3 normal = cross(minus(b, a), minus(c, a));
            const double outwards = dot(normal, minus(a, places[t[f]])) > 0 ? 0.5 : -0.5;
            for (auto& n : normal) n *= outwards;
            elements_[e].normal[f] = normal;
            const bool bottom = std::all_of(one.corners.begin(), one.corners.end(),
                                            [&](corner k) { return k < (side + 1) * (side + 1); });
            elements_[e].beyond[f] = bottom ? wall : far_field;
            std::sort(one.corners.begin(), one.corners.end());
            faces.push_back(one);
        }
    }
    std::sort(faces.begin(), faces.end(), [](const face& a, const face& b) { return a.corners < b.corners; });
    for (std::size_t i = 1; i < faces.size(); ++i) {
        const face &a = faces[i - 1], &b = faces[i];
        if (a.corners != b.corners) continue;
        elements_[a.element].beyond[a.which] = b.element;
        elements_[b.element].beyond[b.which] = a.element;
    }
}

}  // namespace contraflow::workloads
