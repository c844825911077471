// SPDX-License-Identifier: Apache-2.0
// The life of a put from PE 0 to PE 1: moments of its software, of both NICs and of the target's PCIe link. Parts tile
// the time from the end of the step before to the end of its own step; those that overlap count until the first ends.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>
#include <vector>

#include "host/cluster/queue_pair_cluster.h"
#include "observe/trace.h"
#include "shmem/job.h"

namespace contraflow::gpu_shmem {

enum class put_part : std::uint8_t {
    before,      // the call; a kernel's launch and teardown
    entry,       // it is written, into the ring of its queue
    hand_over,   // until a thread of the host has given it to the NIC
    invalidate,  // of the path block's read cache, until it is acknowledged
    doorbell,    // until the NIC has it
    fetch,       // of the entry
    processing,
    data,        // it is read, and the last packet leaves
    network,     // until the target's NIC begins to write
    write,       // over the target's PCIe link
    answer,      // the acknowledgement's way back
    completion,  // until its write has left the NIC
    hand_back,   // until a thread of the host has written the completion for the kernel
    poll         // until the software has seen it, and the step ends: a second kernel, too
};
inline constexpr std::size_t put_parts = 14;
struct part_text {
    std::string_view name, who;  // who: the row of a timeline
};
inline constexpr std::array<part_text, put_parts> part_texts{{{"launch, call", "software"},
                                                              {"entry", "software"},
                                                              {"thread: takes it", "thread of the host"},
                                                              {"PPB invalidate", "software"},
                                                              {"doorbell", "software"},
                                                              {"fetch", "NIC"},
                                                              {"processing", "NIC"},
                                                              {"read", "NIC"},
                                                              {"network", "network"},
                                                              {"write", "target"},
                                                              {"acknowledgement", "network"},
                                                              {"completion", "NIC"},
                                                              {"thread: hands it back", "thread of the host"},
                                                              {"poll", "software"}}};

// Means of all puts but the first, whose sum is the mean time of a step.
struct put_life {
    std::array<double, put_parts> us{};
    std::uint64_t entry_stores = 0;  // of the GPU, while an entry is written: the least of all puts
    // When a part begins. The data is at the target at the end of `write`.
    double begin(std::size_t part) const {
        return std::accumulate(us.begin(), us.begin() + static_cast<std::ptrdiff_t>(part), 0.0);
    }
    double end(std::size_t part) const { return begin(part) + us[part]; }
    double all() const { return begin(put_parts); }
    double arrived() const { return end(static_cast<std::size_t>(put_part::write)); }
};

// Stores and atomic operations of the GPU that have ended.
std::uint64_t changes_of(gpu::pcie_gpu& g);

// Watches puts one after the other. The cluster outlives it.
class put_watch final : private shmem::moment_observer_if,
                        private nic::message_observer_if,
                        private pcie::port_observer_if {
public:
    // `by_host`: the host's program puts. A trace gets the parts of all puts; null: none.
    put_watch(host::queue_pair_cluster& cluster, shmem::job& job, bool by_host, observe::trace* trace);

    // `ends`: of the steps, a put each. None: not all puts were seen, or there is but one.
    std::optional<put_life> life(const std::vector<core::sim_time>& ends) const;

private:
    static constexpr std::size_t moments = static_cast<std::size_t>(shmem::moment::seen) + 1;

    void reached(shmem::moment m, unsigned context, unsigned to) override;
    void message_ended(const nic::message_end& m) override;
    void tlp_sent(unsigned id, const pcie::tlp& p, core::sim_time begin, core::sim_time end, bool, bool) override;
    void dllps_sent(unsigned, unsigned, core::sim_time, core::sim_time) override {}
    void changed(unsigned, const pcie::port&, core::sim_time) override {}

    struct record {
        std::array<std::optional<core::sim_time>, moments> software;
        std::optional<nic::message_times> nic;
        std::optional<core::sim_time> write_begin, write_end;
        std::uint64_t changes_before = 0, entry_stores = 0;  // of the GPU

        std::optional<core::sim_time> at(shmem::moment m) const { return software[static_cast<std::size_t>(m)]; }
    };

    host::queue_pair_cluster& cluster_;
    shmem::job& job_;
    const bool by_host_;
    observe::trace* const trace_;
    std::size_t target_port_ = 0;  // that sends from the target's NIC
    using times = std::array<core::sim_time, put_parts + 1>;
    static std::optional<times> bounds(const record& r, bool by_host, core::sim_time begin, core::sim_time end);

    std::optional<record> open_;  // the put that has been called and is not seen to be complete
    std::vector<record> puts_;    // those that are
    core::sim_time seen_before_{};
};

}  // namespace contraflow::gpu_shmem
