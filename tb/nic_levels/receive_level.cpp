// SPDX-License-Identifier: Apache-2.0
#include "nic_levels/receive_level.h"

#include <memory>

#include "nic/receive/receive_pipeline.h"
#include "nic_levels/rtl_datapath.h"

// The program itself: the output of the core's linker.
__asm__(".pushsection .rodata\n"
        "contraflow_nic_firmware: .incbin \"" CF_NIC_FIRMWARE "\"\n"
        "contraflow_nic_firmware_end:\n"
        ".popsection\n");
extern "C" {
extern const char contraflow_nic_firmware[];
extern const char contraflow_nic_firmware_end[];
}

namespace contraflow::nic_levels {

namespace {

constexpr std::string_view title_of(lockstep_level l) {
    return l == lockstep_level::firmware ? "firmware" : l == lockstep_level::tlm ? "TLM" : "RTL";
}

named_factory factory_of(lockstep_level l, const core_options& options) {
    std::string name(config::name_of(l));
    switch (l) {
    case lockstep_level::firmware: break;
    case lockstep_level::tlm: return {std::move(name), nic::make_hardware_datapath};
    case lockstep_level::rtl: return {std::move(name), make_rtl_datapath};
    }
    return {std::move(name), [&options](const nic::datapath_place& place) {
                return std::make_unique<firmware_datapath>(place, options);
            }};
}

// None: two levels in lockstep.
constexpr std::optional<lockstep_level> alone(receive_level l) {
    switch (l) {
    case receive_level::firmware: return lockstep_level::firmware;
    case receive_level::tlm: return lockstep_level::tlm;
    case receive_level::rtl: return lockstep_level::rtl;
    case receive_level::lockstep: break;
    }
    return {};
}

bool has(lockstep_level wanted, const chosen_level& l) {
    const auto one = alone(l.level);
    return one ? *one == wanted : l.sides.acts == wanted || l.sides.compared == wanted;
}

}  // namespace

void lockstep_sides::describe(config::fields<lockstep_sides>& f) {
    f("acts", &lockstep_sides::acts).text("at level lockstep, the level that acts for the NIC: firmware, tlm or rtl");
    f("compared", &lockstep_sides::compared)
        .text("at level lockstep, the level that gets the same packets, and whose actions are compared");
}

std::optional<config::problem> problem_of_lockstep(const chosen_level& l) {
    if (alone(l.level) || l.sides.acts != l.sides.compared) return {};
    const std::string same{title_of(l.sides.acts)};
    return config::problem{fmt::format("{} would be compared with {}", same, same),
                           {{"compared", "a level other than acts"}, {"acts", "a level other than compared"}}};
}

std::string title_of(const chosen_level& l) {
    if (const auto one = alone(l.level)) return std::string(title_of(*one));
    return std::string(title_of(l.sides.acts)) + " and " + std::string(title_of(l.sides.compared)) + " in lockstep";
}

bool has_core(const chosen_level& l) { return has(lockstep_level::firmware, l); }

std::optional<config::problem> problem_of(const chosen_level& l, const nic::receive_spec& s) {
    if (!has(lockstep_level::rtl, l)) return {};
    return rtl_problem_of(s);
}

nic::datapath_factory receive_factory(const chosen_level& l, const core_options& options,
                                      level_difference& difference) {
    if (const auto one = alone(l.level)) return factory_of(*one, options).make;
    return [acts = factory_of(l.sides.acts, options), compared = factory_of(l.sides.compared, options),
            &difference](const nic::datapath_place& place) {
        return std::make_unique<receive_lockstep>(place, acts, compared, difference);
    };
}

iss::elf_file built_in_firmware() {
    return iss::elf_file::parse({contraflow_nic_firmware, contraflow_nic_firmware_end}, "nic_firmware.elf");
}

}  // namespace contraflow::nic_levels
