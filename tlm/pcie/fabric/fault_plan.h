// SPDX-License-Identifier: Apache-2.0
// The faults of a run: bit errors at a rate, packets corrupted by number, links that lose lanes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "config/fields.h"
#include "core/random.h"
#include "core/units.h"
#include "pcie/link/fault_if.h"
#include "pcie/link/link_rate.h"

namespace contraflow::pcie {

enum class packet_type { tlp, dllp };

// The nth packet that leaves by one port ("k80_0.up") arrives corrupted.
struct corruption {
    std::string port;
    packet_type packet = packet_type::tlp;
    std::uint64_t number = 0;

    static void describe(config::fields<corruption>& f) {
        f("port", &corruption::port).required().text("direction of a link: NODE.up or NODE.down");
        f("packet", &corruption::packet).text("which kind is counted");
        f("number", &corruption::number).text("which one, from 0, replays counted");
    }
};

// All bits of a byte are inverted in a switch's buffer, where no link CRC detects it: a byte of the nth TLP with data
// that leaves the switch or root complex.
struct buffer_flip {
    std::string node;
    std::uint64_t number = 0;
    std::uint32_t byte = 0;

    static void describe(config::fields<buffer_flip>& f) {
        f("node", &buffer_flip::node).required().text("switch or root complex");
        f("number", &buffer_flip::number).text("which TLP with data, from 0");
        f("byte", &buffer_flip::byte).in(0, 4095).text("which byte of its data, from 0; the last one if it has fewer");
    }
};

// The link above a node retrains to another width or generation in mid-run.
struct downgrade {
    std::string node;
    core::sim_time at{};
    link_rate to{3, 8};
    core::sim_time retrain = core::sim_time::from_us(10);

    static void describe(config::fields<downgrade>& f);
};

struct fault_plan {
    double bit_error_rate = 0;
    std::uint64_t seed = 1;
    std::vector<corruption> corrupt;
    std::vector<downgrade> downgrades;
    std::vector<buffer_flip> flips;

    bool any() const { return bit_error_rate > 0 || !corrupt.empty() || !downgrades.empty() || !flips.empty(); }
    static void describe(config::fields<fault_plan>& f) {
        f("bit_error_rate", &fault_plan::bit_error_rate)
            .in(0.0, 1e-4)
            .unit("errors per bit")
            .text("errors a bit on every link, in both directions; PCIe asks for 1e-12 or better");
        f("seed", &fault_plan::seed).text("seed of the bit errors: same seed, same errors");
        f("corrupt", &fault_plan::corrupt).text("packets that arrive corrupted, one by one");
        f("downgrades", &fault_plan::downgrades).text("links that lose lanes or speed in mid-run");
        f("flips", &fault_plan::flips).text("bytes that change in a switch's buffer: no CRC of a link sees it");
    }
};

// Carries out the plan on one link direction. Random draws depend only on the seed and the port's name.
class fault_injector final : public fault_if {
public:
    fault_injector(const fault_plan& plan, const std::string& port_name);
    bool corrupts_tlp(std::uint32_t wire_bytes) override { return corrupts(0, wire_bytes); }
    bool corrupts_dllp(std::uint32_t wire_bytes) override { return corrupts(1, wire_bytes); }
    // Planned corruptions whose packets have not been sent: "k80_0.up: TLP 12 of 7".
    void append_unmet(const std::string& port_name, std::vector<std::string>& texts) const;

private:
    struct numbered {
        std::vector<std::uint64_t> numbers;  // ascending
        std::size_t next = 0;
        std::uint64_t seen = 0;
    };
    bool corrupts(std::size_t type, std::uint32_t wire_bytes);
    void draw();

    const double bit_error_rate_;
    core::random_source random_;
    double good_bits_ = 0;  // bits until the next error
    std::array<numbered, 2> scripted_;
};

// Carries out the plan's flips in one switch.
class buffer_fault_injector final : public buffer_fault_if {
public:
    buffer_fault_injector(const fault_plan& plan, const std::string& node);
    std::optional<std::uint32_t> flips_byte_of(std::uint32_t payload) override;
    bool any() const { return !flips_.empty(); }
    void append_unmet(const std::string& node, std::vector<std::string>& texts) const;

private:
    std::vector<buffer_flip> flips_;  // by number, ascending
    std::size_t next_ = 0;
    std::uint64_t seen_ = 0;
};

}  // namespace contraflow::pcie

template <> struct contraflow::config::enum_names<contraflow::pcie::packet_type> {
    static constexpr std::array names{std::pair{contraflow::pcie::packet_type::tlp, "tlp"},
                                      std::pair{contraflow::pcie::packet_type::dllp, "dllp"}};
};
