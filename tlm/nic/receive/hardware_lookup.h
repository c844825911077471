// SPDX-License-Identifier: Apache-2.0
// The look-up in hardware has two stages that work on different packets. The first compares `search_rate` entries of
// BUF_LIST per cycle, which it holds in registers; the second has TLBs and one walker. README.md has their times.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "core/scheduler.h"
#include "core/timer.h"
#include "nic/receive/receive_lookup_if.h"
#include "nic/receive/receive_spec.h"
#include "nic/receive/receive_tlb.h"
#include "observe/counter_view.h"
#include "observe/statistics.h"

namespace contraflow::nic {

class hardware_lookup final : public receive_lookup_if {
public:
    hardware_lookup(core::scheduler& events, std::string path, const receive_spec& s, observe::statistics& group);

    void bind(receive_pipeline& pipeline) override { pipeline_ = &pipeline; }
    void look_up(const lookup_request& r) override;
    void table_entry(std::uint64_t value) override;
    void set_buffer(unsigned index, const buffer_entry& b) override { buffers_.at(index) = b; }
    void invalidate(std::uint64_t root) override;
    void clear() override;
    void reset() override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;

private:
    struct packet {
        lookup_request request;
        std::uint64_t root = 0;
        lookup_result result;
        bool put() const { return request.put && !result.dropped; }
    };

    packet& at(std::uint64_t number) { return packets_[number % packets_.size()]; }
    core::sim_time edge() const { return next_edge(events_.now(), cycle_); }
    core::sim_time cycles(std::uint64_t n) const { return cycle_ * n; }
    receive_tlb& tlb_of(memory_space s) { return of_gpu(s) ? gpu_tlb_ : host_tlb_; }

    void search_next();
    void searched();
    void translate_next();
    void look_up_page();
    void walked();
    void page_found(const page_entry& entry, std::uint64_t after);
    void translated();
    void tell_invalidated();

    core::scheduler& events_;
    const std::string path_;
    const receive_spec spec_;
    const core::sim_time cycle_;
    receive_pipeline* pipeline_ = nullptr;

    std::vector<packet> packets_;  // by number, modulo their count
    std::uint64_t asked_ = 0, searched_ = 0, translated_ = 0;
    std::vector<buffer_entry> buffers_;
    core::timer<&hardware_lookup::searched> search_{events_, *this};

    receive_tlb host_tlb_, gpu_tlb_;
    bool translating_ = false, walking_ = false;
    unsigned page_ = 0, level_ = 0;
    std::uint64_t table_ = 0;
    std::uint32_t walk_epoch_ = 0, epoch_ = 0;
    core::sim_time walk_since_{};
    core::timer<&hardware_lookup::look_up_page> look_up_{events_, *this};
    core::timer<&hardware_lookup::translated> translated_at_{events_, *this};

    std::uint64_t fence_ = 0;  // packets before it may still use the translations that were invalidated last
    core::timer<&hardware_lookup::tell_invalidated> invalidated_{events_, *this};

    struct counts {
        std::uint64_t tlb_hits = 0, tlb_misses = 0, walk_time = 0;
    } count_;
    std::deque<observe::counter_view> statistics_;
};

}  // namespace contraflow::nic
