// SPDX-License-Identifier: Apache-2.0
// The rate of a PCIe link: generation, width, and the share of bits left by line encoding.
// Source: PCI Express Base Specification 6.0, chapter 4 (encodings of 2.5 to 64 GT/s).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/fields.h"
#include "core/units.h"

namespace contraflow::pcie {

struct link_rate {
    unsigned generation = 3;  // 1 to 6
    unsigned lanes = 16;      // 1, 2, 4, 8 or 16
    friend bool operator==(const link_rate&, const link_rate&) = default;

    double gigatransfers_per_s() const;
    // After line encoding (8b/10b, 128b/130b; 6.0: 236 of the 256 bytes of a flit), before any TLP or DLLP overhead.
    core::bandwidth raw() const;
};

inline constexpr unsigned newest_generation = 6;
bool valid_width(unsigned lanes);

// "gen3 x16" and back.
std::string to_text(link_rate rate);
std::optional<link_rate> parse_link_rate(std::string_view text);

}  // namespace contraflow::pcie

template <> struct contraflow::config::text_form<contraflow::pcie::link_rate> {
    static constexpr std::string_view name = "PCIe rate, gen1 x1 to gen6 x16";
    static constexpr std::string_view accepts =
        "a generation from 1 to 6 and a width of 1, 2, 4, 8 or 16, such as 'gen4 x16'";
    static std::optional<contraflow::pcie::link_rate> read(std::string_view text) {
        return contraflow::pcie::parse_link_rate(text);
    }
    static std::string write(const contraflow::pcie::link_rate& rate) { return to_text(rate); }
};
