// SPDX-License-Identifier: Apache-2.0
#include "pcie/link/link_rate.h"

#include <array>
#include <charconv>

#include <fmt/format.h>

namespace contraflow::pcie {
namespace {

struct signalling {
    double gigatransfers_per_s;
    double efficiency;
};
constexpr std::array<signalling, newest_generation> generations{{
    {2.5, 8.0 / 10.0},
    {5.0, 8.0 / 10.0},
    {8.0, 128.0 / 130.0},
    {16.0, 128.0 / 130.0},
    {32.0, 128.0 / 130.0},
    {64.0, 236.0 / 256.0},  // FLIT mode: 6 bytes DLP, 8 bytes CRC, 6 bytes FEC
}};

}  // namespace

double link_rate::gigatransfers_per_s() const { return generations.at(generation - 1).gigatransfers_per_s; }

core::bandwidth link_rate::raw() const {
    const auto& g = generations.at(generation - 1);
    return {g.gigatransfers_per_s * 1e9 / 8.0 * g.efficiency * lanes};
}

bool valid_width(unsigned lanes) { return lanes == 1 || lanes == 2 || lanes == 4 || lanes == 8 || lanes == 16; }

std::string to_text(link_rate rate) { return fmt::format("gen{} x{}", rate.generation, rate.lanes); }

std::optional<link_rate> parse_link_rate(std::string_view text) {
    if (!text.starts_with("gen")) return std::nullopt;
    text.remove_prefix(3);
    link_rate rate;
    const char* const end = text.data() + text.size();
    auto [after_generation, ec] = std::from_chars(text.data(), end, rate.generation);
    if (ec != std::errc{} || rate.generation < 1 || rate.generation > newest_generation) return std::nullopt;
    while (after_generation != end && *after_generation == ' ') ++after_generation;
    if (after_generation == end || *after_generation++ != 'x') return std::nullopt;
    const auto [after_width, ec2] = std::from_chars(after_generation, end, rate.lanes);
    if (ec2 != std::errc{} || after_width != end || !valid_width(rate.lanes)) return std::nullopt;
    return rate;
}

}  // namespace contraflow::pcie
