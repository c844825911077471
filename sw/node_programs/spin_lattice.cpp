// SPDX-License-Identifier: Apache-2.0
#include "node_programs/spin_lattice.h"

#include <cmath>
#include <cstring>
#include <stdexcept>

#include "core/random.h"

namespace contraflow::node_programs {

namespace {

std::uint64_t mixed(std::uint64_t v) { return core::mix64(v + core::golden_gamma); }

float dot(const spin_lattice::spin& a, const spin_lattice::spin& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

}  // namespace

spin_lattice::spin_lattice(std::span<std::uint8_t> memory, std::uint32_t side, std::uint32_t first,
                           std::uint32_t planes, std::uint64_t seed)
    : memory_(memory),
      side_(side),
      first_(first),
      planes_(planes),
      seed_(seed) {
    if (side % 2 != 0 || side < 2 || planes == 0 || memory.size() < bytes(side, planes))
        throw std::invalid_argument(
            "a spin lattice needs an even side, a plane, and memory for its planes and two more");
}

std::uint64_t spin_lattice::offset(unsigned parity, int plane) const {
    return (parity * (planes_ + 2) + static_cast<std::uint64_t>(plane + 1)) * plane_bytes(side_);
}

std::uint32_t spin_lattice::x_of(unsigned parity, int plane, std::uint32_t row, std::uint32_t n) const {
    return 2 * n + ((row + z_of(plane) + parity) & 1);
}

float spin_lattice::coupling(std::uint32_t x, std::uint32_t y, std::uint32_t z, unsigned direction) const {
    const std::uint64_t link = ((std::uint64_t{z} * side_ + y) * side_ + x) * 3 + direction;
    return (mixed(seed_ ^ mixed(link)) & 1) != 0 ? 1.0f : -1.0f;
}

spin_lattice::spin spin_lattice::at(unsigned parity, int plane, std::uint32_t row, std::uint32_t n) const {
    spin s;
    std::memcpy(s.data(), memory_.data() + offset(parity, plane) + (std::uint64_t{row} * (side_ / 2) + n) * sizeof s,
                sizeof s);
    return s;
}

void spin_lattice::set(unsigned parity, int plane, std::uint32_t row, std::uint32_t n, const spin& s) {
    std::memcpy(memory_.data() + offset(parity, plane) + (std::uint64_t{row} * (side_ / 2) + n) * sizeof s, s.data(),
                sizeof s);
}

void spin_lattice::fill() {
    for (unsigned parity = 0; parity < 2; ++parity)
        for (int plane = -1; plane <= static_cast<int>(planes_); ++plane)
            for (std::uint32_t row = 0; row < side_; ++row)
                for (std::uint32_t n = 0; n < side_ / 2; ++n) {
                    const std::uint64_t site =
                        (std::uint64_t{z_of(plane)} * side_ + row) * side_ + x_of(parity, plane, row, n);
                    const std::uint64_t bits = mixed(~seed_ ^ mixed(site));
                    const float z = static_cast<float>(bits >> 40) * 0x1p-23f - 1.0f;
                    const float angle = static_cast<float>(bits & 0xff'ffff) * 0x1p-24f * 6.2831853f;
                    const float across = std::sqrt(1.0f - z * z);
                    set(parity, plane, row, n, {across * std::cos(angle), across * std::sin(angle), z});
                }
}

spin_lattice::spin spin_lattice::field(unsigned parity, int plane, std::uint32_t row, std::uint32_t n) const {
    const std::uint32_t x = x_of(parity, plane, row, n), z = z_of(plane);
    const std::uint32_t left = (x + side_ - 1) % side_, right = (x + 1) % side_;
    const std::uint32_t up = (row + 1) % side_, down = (row + side_ - 1) % side_;
    const unsigned other = 1 - parity;
    spin h{};
    const auto add = [&h](float j, const spin& s) {
        for (unsigned i = 0; i < 3; ++i) h[i] += j * s[i];
    };
    add(coupling(left, row, z, 0), at(other, plane, row, left / 2));
    add(coupling(x, row, z, 0), at(other, plane, row, right / 2));
    add(coupling(x, down, z, 1), at(other, plane, down, x / 2));
    add(coupling(x, row, z, 1), at(other, plane, up, x / 2));
    add(coupling(x, row, z_of(plane - 1), 2), at(other, plane - 1, row, x / 2));
    add(coupling(x, row, z, 2), at(other, plane + 1, row, x / 2));
    return h;
}

void spin_lattice::update(unsigned parity, int from, int to) {
    for (int plane = from; plane < to; ++plane)
        for (std::uint32_t row = 0; row < side_; ++row)
            for (std::uint32_t n = 0; n < side_ / 2; ++n) {
                const spin h = field(parity, plane, row, n);
                const float length = dot(h, h);
                if (length == 0.0f) continue;  // no field, no direction to mirror at
                spin s = at(parity, plane, row, n);
                const float twice = 2.0f * dot(s, h) / length;
                for (unsigned i = 0; i < 3; ++i) s[i] = twice * h[i] - s[i];
                set(parity, plane, row, n, s);
            }
}

double spin_lattice::energy() const {
    double sum = 0.0;
    for (unsigned parity = 0; parity < 2; ++parity)
        for (int plane = 0; plane < static_cast<int>(planes_); ++plane)
            for (std::uint32_t row = 0; row < side_; ++row)
                for (std::uint32_t n = 0; n < side_ / 2; ++n) {
                    const std::uint32_t x = x_of(parity, plane, row, n), z = z_of(plane);
                    const spin s = at(parity, plane, row, n);
                    const unsigned other = 1 - parity;
                    sum -= coupling(x, row, z, 0) * dot(s, at(other, plane, row, (x + 1) % side_ / 2));
                    sum -= coupling(x, row, z, 1) * dot(s, at(other, plane, (row + 1) % side_, x / 2));
                    sum -= coupling(x, row, z, 2) * dot(s, at(other, plane + 1, row, x / 2));
                }
    return sum;
}

}  // namespace contraflow::node_programs
