// SPDX-License-Identifier: Apache-2.0
// The stages in which requests spend their time: every moment belongs to one stage, and adjacent stages form a part of
// the chart, with a colour.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "face/results/report_data.h"
#include "gpu/compute_unit/request_profile.h"
#include "memory/transaction/milestones.h"

namespace contraflow::study {

// The stages of the request's path and of the response's path, next to each other.
struct life_part {
    const char* name;
    std::vector<memory::stage> stages;
};
// One bar: the number of requests, and the time (ps) that they have spent in each stage.
struct stage_bar {
    std::string category;
    std::uint64_t count = 0;
    std::array<std::uint64_t, memory::stage_count> spent{};
};
// How fine the parts are. Both cover all stages; a page tells eight colours apart.
enum class part_grain : std::uint8_t { fine, coarse };
std::vector<life_part> life_parts(part_grain grain);
// Adds the requests of that kind to the GPU's own memory, or to other GPUs' memories.
void add(stage_bar& to, const gpu::request_profile& from, gpu::access_kind kind, bool remote);
// For one run: line requests of all units to their own GPU's memory, and to others'.
struct request_stages {
    std::array<stage_bar, 2> loads, others;  // others: stores and atomic operations
    stage_bar all(bool remote) const;
    std::uint64_t count() const { return all(false).count + all(true).count; }
};
request_stages stages_of(const gpu::request_profile& p);
// Stacked bars of mean times; a bar without requests is 0. Id, titles and note are the caller's.
face::chart stage_chart(const std::vector<life_part>& parts, const std::vector<stage_bar>& bars);
// For a machine whose sockets share their memory, a bar each run: requests to other sockets, or to the own one.
face::chart request_chart(const std::vector<stage_bar>& runs, bool remote, const std::string& id);
// "link queue 61 %, link 14 %, other 25 %": the longest stages.
std::string longest_stages(const stage_bar& b, std::size_t shown = 5);

}  // namespace contraflow::study
