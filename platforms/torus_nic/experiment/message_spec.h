// SPDX-License-Identifier: Apache-2.0
// What experiments with messages between nodes send, and at what level NICs receive it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/fields.h"
#include "core/units.h"
#include "nic/transmit/transmit_spec.h"
#include "nic_levels/receive_level.h"

namespace contraflow::torus_nic {

// From whose memory to whose.
enum class memory_pair : std::uint8_t { host_host, host_gpu, gpu_host, gpu_gpu };
constexpr bool from_gpu(memory_pair p) { return p == memory_pair::gpu_host || p == memory_pair::gpu_gpu; }
constexpr bool to_gpu(memory_pair p) { return p == memory_pair::host_gpu || p == memory_pair::gpu_gpu; }

enum class message_flow : std::uint8_t {
    one_way,    // node 0 to the target
    both_ways,  // and the target to node 0 at the same time
    ring        // each node to the next one by number, the last one to node 0
};

// How messages from and to GPU memory travel.
enum class message_route : std::uint8_t {
    direct,    // the NIC reads and writes GPU memory
    staged,    // through both hosts' memories, copied by the GPUs' DMA engines
    reference  // the same by another NIC: it reaches the hosts' memories only and looks packets up in hardware
};

// One way to read GPU memory, to be compared with others.
struct reader {
    nic::gpu_generation generation = nic::gpu_generation::v2;
    core::bytes window{32768};
    nic::gpu_reading reading = nic::gpu_reading::peer_to_peer;

    std::string text() const;  // "v2, 4KiB"
    static void describe(config::fields<reader>& f);
};

struct receive_choice {
    nic_levels::receive_level level = nic_levels::receive_level::rtl;
    nic_levels::lockstep_sides lockstep;
    nic_levels::miss_path miss = nic_levels::miss_path::hardware;
    nic_levels::nic_core_spec core;
    std::optional<std::string> firmware;

    nic_levels::chosen_level chosen() const { return {level, lockstep, miss}; }
    static void describe(config::fields<receive_choice>& f);
};

// Whether the memory that messages come from is registered before, or by the put that needs it.
struct registration_choice {
    unsigned cache = 0;  // entries; 0: before
    core::sim_time page = core::sim_time::from_ns(250);

    static void describe(config::fields<registration_choice>& f);
};

struct message_spec {
    std::vector<core::bytes> sizes{{32},    {128},   {512},   {2048},   {4096},    {8192},
                                   {16384}, {32768}, {65536}, {262144}, {1048576}, {4194304}};
    std::vector<memory_pair> pairs{memory_pair::host_host, memory_pair::host_gpu, memory_pair::gpu_host,
                                   memory_pair::gpu_gpu};
    std::vector<reader> readers;
    std::vector<message_route> routes{message_route::direct};
    core::bytes piece{16u << 20};
    bool target_first = false;
    unsigned target = 1;
    message_flow flow = message_flow::one_way;
    unsigned repeat = 4, in_flight = 8;
    core::bytes volume{1u << 20};
    core::bytes watched{4096};
    registration_choice registration;

    std::uint64_t largest() const;
    static void describe(config::fields<message_spec>& f);
};

}  // namespace contraflow::torus_nic

template <> struct contraflow::config::enum_names<contraflow::torus_nic::memory_pair> {
    using e = contraflow::torus_nic::memory_pair;
    static constexpr std::array names{std::pair{e::host_host, "host_host"}, std::pair{e::host_gpu, "host_gpu"},
                                      std::pair{e::gpu_host, "gpu_host"}, std::pair{e::gpu_gpu, "gpu_gpu"}};
};
template <> struct contraflow::config::enum_names<contraflow::torus_nic::message_route> {
    using e = contraflow::torus_nic::message_route;
    static constexpr std::array names{std::pair{e::direct, "direct"}, std::pair{e::staged, "staged"},
                                      std::pair{e::reference, "reference"}};
};
template <> struct contraflow::config::enum_names<contraflow::torus_nic::message_flow> {
    using e = contraflow::torus_nic::message_flow;
    static constexpr std::array names{std::pair{e::one_way, "one_way"}, std::pair{e::both_ways, "both_ways"},
                                      std::pair{e::ring, "ring"}};
};
