// SPDX-License-Identifier: Apache-2.0
#include "nic_levels/receive_level.h"

#include <memory>

#include <fmt/format.h>

#include "nic/receive/receive_pipeline.h"

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

named_factory factory_of(lockstep_level l, miss_path miss, const core_options& options, rtl_recordings* recordings) {
    std::string name(config::name_of(l));
    switch (l) {
    case lockstep_level::firmware: break;
    case lockstep_level::tlm: return {std::move(name), nic::make_hardware_datapath};
    case lockstep_level::rtl:
        return {std::move(name),
                [&options, recordings, by_core = miss == miss_path::firmware](const nic::datapath_place& place) {
                    return std::make_unique<rtl_datapath>(place, by_core ? core_for(place, options) : nullptr,
                                                          recordings);
                }};
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

std::optional<config::problem> problem_of_choice(const chosen_level& l,
                                                 const std::function<bool(std::string_view)>& given) {
    const std::string level{config::name_of(l.level)};
    const std::string acts{config::name_of(l.sides.acts)}, compared{config::name_of(l.sides.compared)};
    if (l.miss == miss_path::firmware && !has_rtl(l))
        return config::problem{
            fmt::format("firmware serves the misses of RTL, and level is {}",
                        alone(l.level) ? level : fmt::format("lockstep of {} and {}", acts, compared)),
            {{"miss", "hardware, or firmware with rtl for level, lockstep.acts or lockstep.compared"},
             {"level", "rtl, or lockstep with rtl for lockstep.acts or lockstep.compared"}}};
    if (!alone(l.level)) {
        if (l.sides.acts != l.sides.compared) return {};
        const std::string same{title_of(l.sides.acts)};
        return config::problem{
            fmt::format("{} would be compared with {}", same, same),
            {{"lockstep.compared", "a level other than acts"}, {"lockstep.acts", "a level other than compared"}}};
    }
    for (const char* key : {"lockstep.acts", "lockstep.compared"})
        if (given(key))
            return config::problem{fmt::format("it has a meaning at level lockstep, and level is {}", level),
                                   {{key, "with level: lockstep"}, {"level", "lockstep"}}};
    return {};
}

std::string title_of(const chosen_level& l) {
    const auto title = [&](lockstep_level side) {
        return std::string(title_of(side)) +
               (side == lockstep_level::rtl && l.miss == miss_path::firmware ? " with firmware" : "");
    };
    if (const auto one = alone(l.level)) return title(*one);
    return title(l.sides.acts) + " and " + title(l.sides.compared) + " in lockstep";
}

bool has_core(const chosen_level& l) {
    return has(lockstep_level::firmware, l) || (l.miss == miss_path::firmware && has_rtl(l));
}

bool has_rtl(const chosen_level& l) { return has(lockstep_level::rtl, l); }

std::optional<config::problem> problem_of(const chosen_level& l, const nic::receive_spec& s) {
    if (!has_rtl(l)) return {};
    return rtl_problem_of(s);
}

nic::datapath_factory receive_factory(const chosen_level& l, const core_options& options, level_difference& difference,
                                      rtl_recordings* recordings) {
    const auto factory = [&](lockstep_level of) { return factory_of(of, l.miss, options, recordings); };
    if (const auto one = alone(l.level)) return factory(*one).make;
    return [acts = factory(l.sides.acts), compared = factory(l.sides.compared),
            &difference](const nic::datapath_place& place) {
        return std::make_unique<receive_lockstep>(place, acts, compared, difference);
    };
}

iss::elf_file built_in_firmware() {
    return iss::elf_file::parse({contraflow_nic_firmware, contraflow_nic_firmware_end}, "nic_firmware.elf");
}

}  // namespace contraflow::nic_levels
