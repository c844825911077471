// SPDX-License-Identifier: Apache-2.0
#include "validate/torus_nic/torus_setup.h"

#include <map>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "iss/routine_profile.h"
#include "nic/packet.h"
#include "nic/receive/receive_replay.h"
#include "nic_levels/receive_level.h"
#include "runner/run.h"
#include "shipped_yaml.h"
#include "validate/shipped_configuration.h"

namespace contraflow::validate {
namespace {

const char* name_of(shipped_experiment e) {
    switch (e) {
    case shipped_experiment::latency: return "latency.yaml";
    case shipped_experiment::loop_back: return "loop_back.yaml";
    case shipped_experiment::one_way: return "one_way.yaml";
    case shipped_experiment::read: return "read.yaml";
    case shipped_experiment::programs: break;
    }
    return "programs.yaml";
}
const char* yaml_of(shipped_experiment e) {
    switch (e) {
    case shipped_experiment::latency: return latency_yaml;
    case shipped_experiment::loop_back: return loop_back_yaml;
    case shipped_experiment::one_way: return one_way_yaml;
    case shipped_experiment::read: return read_yaml;
    case shipped_experiment::programs: break;
    }
    return programs_yaml;
}
std::string key_of(const torus_case& c) { return fmt::format("{} {}", name_of(c.of), fmt::join(c.sets, " ")); }

runner::limits limits_of(const torus_nic::experiment& e, const run_environment& environment) {
    runner::limits limits;
    limits.watchdog = e.watchdog;
    limits.keep_going = environment.keep_going;
    return limits;
}

std::string pairs_text(memories p) { return fmt::format("messages.pairs=[{}]", config::name_of(p)); }

torus_case small_messages(memories p, const changes& more) {
    return with({shipped_experiment::latency, {"messages.sizes=[32B]", pairs_text(p)}}, more);
}

}  // namespace

torus_case with(torus_case c, const changes& more) {
    c.sets = joined(std::move(c.sets), more);
    return c;
}
changes joined(changes all, const changes& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

torus_nic::experiment experiment_of(const torus_case& c) {
    return shipped_configuration<torus_nic::experiment>(name_of(c.of), yaml_of(c.of), c.sets);
}

const std::vector<torus_nic::message_result>& messages_of(const torus_case& c, const run_environment& environment) {
    static std::map<std::string, std::vector<torus_nic::message_result>> known;
    const std::string key = key_of(c);
    if (const auto found = known.find(key); found != known.end()) return found->second;
    const torus_nic::experiment e = experiment_of(c);
    if (const auto wrong = torus_nic::problems_of(e.messages, e.node, e.torus); !wrong.empty())
        throw std::runtime_error(config::first_text(wrong));
    std::vector<torus_nic::message_result> runs;
    for (const auto& v : torus_nic::variants_of(e)) {
        runs.push_back(torus_nic::run_messages(e, v, limits_of(e, environment)));
        environment.check();
        runner::require_verified(fmt::format("{}, {}", key, v.text()), runs.back());
        runs.back().statistics.clear();
        runs.back().watched.reset();
    }
    return known.emplace(key, std::move(runs)).first->second;
}

const torus_nic::size_result& size_of(const torus_case& c, const run_environment& environment) {
    return messages_of(c, environment).at(0).sizes.at(0);
}

core::sim_time time_of_program(const torus_case& c, const run_environment& environment) {
    const torus_nic::experiment e = experiment_of(c);
    const auto choice = torus_nic::choices_of(e.programs).at(0);
    const auto run = torus_nic::run_program(e, choice, limits_of(e, environment));
    environment.check();
    runner::require_verified(fmt::format("{}, {}", key_of(c), choice.text()), run);
    return run.time;
}

// ---- figures

double half_round_trip_us(memories p, const run_environment& environment, const changes& more) {
    return size_of(small_messages(p, more), environment).latency_us;
}

double overhead_us(memories p, const run_environment& environment, const changes& more) {
    return size_of(small_messages(p, more), environment).overhead_us;
}

double loop_back_gb_per_s(memories p, const run_environment& environment, const changes& more) {
    return size_of(with({shipped_experiment::loop_back, {"messages.sizes=[1MiB]", pairs_text(p)}}, more), environment)
        .gb_per_s;
}

double one_way_gb_per_s(memories p, const std::string& size, const run_environment& environment, const changes& more) {
    const torus_case c{shipped_experiment::one_way,
                       {fmt::format("messages.sizes=[{}]", size), pairs_text(p), "messages.routes=[direct]"}};
    return size_of(with(c, more), environment).gb_per_s;
}

const torus_nic::message_result& reads(const std::string& reader, const run_environment& environment,
                                       const changes& more) {
    const torus_case c{shipped_experiment::read,
                       {"messages.sizes=[1MiB]", fmt::format("messages.readers=[{}]", reader)}};
    return messages_of(with(c, more), environment).at(0);
}

double read_gb_per_s(const std::string& reader, const run_environment& environment, const changes& more) {
    return reads(reader, environment, more).sizes.at(0).gb_per_s;
}

// ---- look-ups

namespace {

constexpr std::uint64_t first_buffer = 1ull << 32, buffer_bytes = 1u << 20;
constexpr std::uint32_t root = 0x10000, second = 0x20000, third = 0x40000;  // page tables
constexpr unsigned lookups = 50;

}  // namespace

nic::receive_case packets_behind(unsigned buffers) {
    using nic::memory_space;
    nic::receive_case c;
    c.name = fmt::format("{} buffers", buffers);
    c.max_payload = nic::most_payload;
    for (unsigned i = 0; i < buffers; ++i)
        c.buffers.push_back(
            {i, {true, 1, first_buffer + i * buffer_bytes, buffer_bytes, memory_space::host, true, root, 0}});
    std::map<std::uint64_t, std::uint64_t> tables;
    const std::uint64_t last = first_buffer + (buffers - 1) * buffer_bytes;
    for (std::uint64_t a = last; a < last + buffer_bytes; a += nic::most_payload) {
        tables[nic::entry_address(memory_space::host, root, a >> 12, 0)] = second | 1;
        tables[nic::entry_address(memory_space::host, second, a >> 12, 1)] = third | 1;
        tables[nic::entry_address(memory_space::host, third, a >> 12, 2)] = a | 1;
    }
    c.tables.assign(tables.begin(), tables.end());
    const std::vector<std::uint8_t> payload(nic::most_payload);
    for (unsigned i = 0; i < lookups; ++i) {
        nic::packet_header h;
        h.length = nic::most_payload;
        h.process = 1;
        h.address = last + i * std::uint64_t{nic::most_payload};
        c.packets.push_back(nic::packet_words(h, payload));
    }
    return c;
}

lookup_cost lookup_with(unsigned buffers, const changes& more) {
    const torus_nic::experiment e = experiment_of({shipped_experiment::latency, more});
    const iss::elf_file program = nic_levels::built_in_firmware();
    nic_levels::core_profile profile;
    nic_levels::core_options core;
    core.spec = e.receive.core;
    core.program = &program;
    core.profile = &profile;
    nic_levels::level_difference difference;
    const auto played = nic::replay(packets_behind(buffers), e.node.receive,
                                    nic_levels::receive_factory(nic_levels::receive_level::firmware, core, difference));
    if (played.failure) std::rethrow_exception(played.failure);
    if (!played.complete || played.result.counters.accepted != lookups)
        throw std::runtime_error(fmt::format("look-ups with {} buffers: not all packets were accepted", buffers));
    lookup_cost cost;
    cost.us = static_cast<double>(profile.lookup_time) * 1e-6 / static_cast<double>(profile.packets);
    const std::string& waiting = profile.rows.at(iss::routine_profile::idle).name;
    double all = 0;
    for (const auto& r : profile.rows) {
        const auto cycles = static_cast<double>(r.cycles);
        if (r.name == "buffer_list_find") cost.search = cycles;
        if (r.name == "page_walk") cost.walk = cycles;
        if (r.name != waiting) all += cycles;
    }
    cost.search /= all;
    cost.walk /= all;
    return cost;
}

}  // namespace contraflow::validate
