// SPDX-License-Identifier: Apache-2.0
// The times of a request by stage, in ps. Every moment from begin() to the last add() belongs to one stage, so
// the stages of a request sum to its latency exactly. A request that is recorded for a trace also keeps each stage, in
// order, and the instances that it passed.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/units.h"

namespace contraflow::memory {

enum class stage : std::uint8_t {
    coalescer,          // in the compute unit, before its first cache
    l1,                 // in a cache private to a compute unit, both directions
    merge,              // waiting for a line that another request had already requested
    crossbar,           // on the way to the memory side
    link_queue,         // waiting for a link between sockets
    link,               // on the link
    l2,                 // in a cache of the requester's own socket
    remote_l2,          // in a cache of another socket
    dram,               // in the memory of the requester's own socket
    remote_dram,        // in the memory of another socket
    response_crossbar,  // on the way back
    response_link_queue,
    response_link,
    // Translation of its address, where that takes time. A request that waits for another one's translation is in the
    // stage of the level where they met, except while that one is put aside.
    l1_tlb,     // the unit's TLB
    l2_tlb,     // the GPU's TLB
    gmmu,       // at the GPU's own walkers: on the way and in the queue
    iommu,      // the same at the IOMMU
    page_walk,  // during its walk by either
    page_held,  // held while its page is made, moved or opened
};
inline constexpr std::size_t stage_count = 19;
// The first of those that only machines with timed translation know.
inline constexpr std::size_t first_translation_stage = 13;

std::string_view stage_name(stage s);

// One stay of a request in a stage.
struct stay {
    stage where = stage::coalescer;
    core::sim_time begin{}, end{};
    friend bool operator==(const stay&, const stay&) = default;
};

// An instance that a request passed, in either direction, and when.
struct waypoint {
    std::string_view where;  // the instance's own name
    core::sim_time at{};
    friend bool operator==(const waypoint&, const waypoint&) = default;
};

class milestones {
public:
    milestones() = default;
    milestones(const milestones& o);
    milestones& operator=(const milestones& o);
    ~milestones() = default;

    void begin(core::sim_time now) {
        begun_ = last_ = now;
        std::fill_n(spent_.begin(), near_stages, 0);
        far_ = false;
        if (recorded_ || carried_) clear_rare();
    }
    // From here on, until the next begin(), keeps every stay.
    void record();
    bool recorded() const { return recorded_; }
    // In order, without those of length 0; each begins where the one before ends. Empty unless recorded.
    const std::vector<stay>& stays() const;
    // The path of a recorded request and of the requests made on its behalf: instances in order of arrival, consecutive
    // visits counted once. The time from one instance to the next is the time in the first.
    const std::vector<waypoint>& path() const;
    // The name must outlive the request.
    void pass(const char* where, core::sim_time now) {
        if (recorded_) rare_->pass({where, now});
    }
    // Counts all time since the last milestone for that stage.
    void add(stage s, core::sim_time now) {
        if (recorded_) rare_->keep({s, last_, now});
        note(place_of(s), (now - last_).ps);
        last_ = now;
    }
    // Adds the stages of a fill request that began at this one's last milestone and ends now.
    void absorb(const milestones& fill) {
        absorb<0, near_stages>(fill);
        if (fill.far_) {
            begin_far();
            absorb<near_stages, stage_count>(fill);
        }
        if (fill.recorded_ || fill.carried_) take_rare(fill);
        last_ = fill.last_;
    }
    core::sim_time begun() const { return begun_; }
    core::sim_time last() const { return last_; }
    core::sim_time spent(stage s) const;
    core::sim_time total() const {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < places(); ++i) sum += spent_[i];
        return {carried_ ? sum + carried() : sum};
    }
    // Adds each stage to a sum.
    void add_to(std::array<std::uint64_t, stage_count>& sums) const {
        for (std::size_t i = 0; i < near_stages; ++i) sums[stage_at[i]] += spent_[i];
        if (far_)
            for (std::size_t i = near_stages; i < stage_count; ++i) sums[stage_at[i]] += spent_[i];
        if (carried_)
            for (std::size_t i = 0; i < stage_count; ++i) sums[stage_at[i]] += rare_->carry[i];
    }
    bool tile() const { return total() == last_ - begun_; }

private:
    // Data that few requests have.
    struct rare {
        // Times that do not fit into 32 bits (4 ms in one stage), by place.
        std::array<std::uint64_t, stage_count> carry{};
        std::vector<stay> stays;
        std::vector<waypoint> path;
        void keep(const stay& s);
        void pass(const waypoint& w);
    };

    // The stages of a request that stays in its socket and whose address is translated at once come first: the others
    // lie in another line of the host's cache, and count only once one of them is used.
    static constexpr std::size_t near_stages = 7;
    static constexpr std::array<std::uint8_t, stage_count> place_of_stage{0, 1,  2,  3,  7,  8,  4,  9,  5, 10,
                                                                          6, 11, 12, 13, 14, 15, 16, 17, 18};
    static constexpr std::array<std::uint8_t, stage_count> stage_at = [] {
        std::array<std::uint8_t, stage_count> stages{};
        for (std::size_t s = 0; s < stage_count; ++s) stages[place_of_stage[s]] = static_cast<std::uint8_t>(s);
        return stages;
    }();
    static std::size_t place_of(stage s) { return place_of_stage[static_cast<std::size_t>(s)]; }

    std::size_t places() const { return far_ ? stage_count : near_stages; }
    void begin_far() {
        if (far_) return;
        std::fill(spent_.begin() + near_stages, spent_.end(), 0);
        far_ = true;
    }
    void note(std::size_t place, std::uint64_t ps) {
        if (place >= near_stages) begin_far();
        const std::uint64_t sum = spent_[place] + ps;
        spent_[place] = static_cast<std::uint32_t>(sum);
        if (sum >> 32 != 0) carry_over(place, sum >> 32 << 32);
    }
    template <std::size_t First, std::size_t End> void absorb(const milestones& fill) {
        std::array<std::uint32_t, End - First> sums;
        bool overflow = false;
        for (std::size_t i = First; i < End; ++i) {
            sums[i - First] = spent_[i] + fill.spent_[i];
            overflow |= sums[i - First] < fill.spent_[i];
        }
        if (!overflow)
            std::copy(sums.begin(), sums.end(), spent_.begin() + First);
        else
            for (std::size_t i = First; i < End; ++i) note(i, fill.spent_[i]);
    }
    void carry_over(std::size_t place, std::uint64_t ps);
    std::uint64_t carried() const;
    void take_rare(const milestones& from);
    void clear_rare();
    rare& make_rare();

    friend struct payload_layout;

    core::sim_time last_{};
    core::sim_time begun_{};
    bool recorded_ = false, carried_ = false;
    bool far_ = false;                                // stages that are not near have been used since begin()
    std::array<std::uint32_t, stage_count> spent_{};  // by place
    std::unique_ptr<rare> rare_;  // stays with a pooled request once it has one; the flags say what counts
};

}  // namespace contraflow::memory
