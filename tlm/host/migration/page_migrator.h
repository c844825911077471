// SPDX-License-Identifier: Apache-2.0
// The driver's part in moving pages between GPUs: gets the IOMMU's results, asks the rules about every page that a GPU
// touches, and takes moving pages through the steps of steps.h, several at a time, while kernels continue. Requests for
// a moving page are held in the IOMMU and continue with its new place.
//
// The entry of the page table is closed before translations are shot down, so that no GPU can get a new translation of
// the page. The page is flushed when all GPUs have acknowledged, because until then they may write to it. Its old frame
// is freed when its bytes are in the new one. So there is one copy of it at any time, and no write is lost. With
// granularity page only accesses to the page are stopped: each unit waits for its own requests to it. With granularity
// whole the owner's units and its DMA engine stop, and its second level writes everything back.
//
// A page that cannot move (no free frame, no room in the queue, a copy of the host reaches it) stays, and the requester
// accesses it remotely.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "core/control.h"
#include "core/timer.h"
#include "core/waiting.h"
#include "gpu/migration/page_migration_controller.h"
#include "gpu/rdma/access_counters.h"
#include "gpu/system/multi_gpu.h"
#include "gpu/translation/shootdown_if.h"
#include "host/driver/address_space.h"
#include "host/driver/page_claims_if.h"
#include "host/iommu/iommu.h"
#include "host/migration/duplicates.h"
#include "host/migration/rules.h"
#include "host/migration/statistics.h"
#include "host/migration/steps.h"
#include "memory/vm/translation.h"

namespace contraflow::host::migration {

// A page that is moving, with the migrator's state.
struct page_move {
    move_record record;
    step now = step::notify;
    unsigned number = 0;    // its index
    bool closed = false;    // its entry permits no access, or no write
    bool freed = false;     // by its process, during the move; the rest of the move cleans up
    bool reserved = false;  // the new frame is taken but has no page yet
    std::uint64_t old_frame = 0, new_frame = 0;
    std::uint64_t missing = 0;  // GPUs that have not acknowledged the step, one bit each
    memory::translation_range range;
    gpu::page_pull pull;
    struct host_write {
        std::uint64_t offset = 0;
        std::vector<std::byte> bytes;
    };
    std::vector<host_write> written;  // by the host, since it began

    const page_id& page() const { return record.page; }
    bool begun() const { return now > step::queue; }
    core::sim_time since() const { return record.began(now); }
};

enum class granularity {
    page,   // only requests to the page are stopped
    whole,  // its whole owner is stopped, as in MGPUSim
};

class page_migrator final : public fault_sink_if,
                            public page_claims_if,
                            public gpu::access_counter_sink_if,
                            public core::waiter_if,
                            public core::controllable_if,
                            private core::request_client_if<gpu::page_pull> {
public:
    struct spec {
        rules::spec when;
        migration::granularity granularity = migration::granularity::page;
        unsigned concurrent = 8;
        unsigned queue = 64;
        core::sim_time message = core::sim_time::from_ns(500);
        core::sim_time table_update = core::sim_time::from_ns(100);
        core::sim_time stay = core::sim_time::from_us(1);
        bool read_duplication = false;
        static void describe(config::fields<spec>& f);
    };
    // The parts it works on; they must outlive the migrator. The GPUs have page migration controllers.
    struct parts {
        gpu::multi_gpu& gpus;
        memory::radix_table& table;
        iommu& walker;
        gpu::shootdown_target_if& everywhere;  // the IOMMU and all GPUs
        address_space& memory;
    };
    page_migrator(const memory::resources& shared, const spec& s, const parts& p);

    // Also lets a program open and close windows.
    rules& when() { return rules_; }
    void set_observer(move_observer_if* observer) { observer_ = observer; }

    // --- called by the IOMMU
    walk_verdict found(memory::translation_request& request) override;
    walk_verdict faulted(const memory::translation_request& request) override;
    // --- called by access counters
    void page_reached(unsigned gpu, std::uint64_t physical_page) override;
    // --- called by commands
    bool claim(std::uint32_t process, std::span<const page_claim> what, copy_command& who) override;
    void release(std::uint32_t process, std::span<const page_claim> what) override;
    void written_in_place(std::uint32_t process, std::uint64_t address, std::span<const std::byte> bytes) override;
    void withdraw(copy_command& who) override;
    void freed(std::uint32_t process, std::uint64_t address, std::uint64_t bytes,
               std::vector<std::uint64_t>& frames) override;

    // The step that the page's move is in; none if it does not move.
    std::optional<step> step_of(const page_id& page) const;
    std::size_t outstanding() const { return active_.size() + leaving_.size(); }
    std::uint64_t steps_done() const { return steps_done_; }  // for a watchdog
    bool idle() const { return outstanding() == 0; }
    const statistics_set& statistics() const { return statistics_; }
    // Pause begins no further moves; drain accepts none. A reset reopens closed pages at their old place; call it with
    // the reset of the machine and the IOMMU. It keeps no copies, so it refuses invalidate and flush.
    bool control(core::control_verb verb) override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    // Holds when idle.
    void check(observe::conservation& checks) const;

private:
    struct claimed_range {
        std::uint32_t process = 0;
        std::uint64_t first = 0, last = 0;
        bool writes = false;
        bool meets(const page_id& page, std::uint64_t bytes, bool by_writers_only) const;
    };
    struct claimant {
        std::vector<claimed_range> ranges;
        copy_command* who = nullptr;
    };
    struct resting_page {
        page_id page;
        core::sim_time until{};
    };
    struct reached_page {
        unsigned gpu = 0;
        std::uint64_t frame = 0;
    };
    // A step; `gpu` is the GPU that has done something, if it was one.
    using step_function = void (page_migrator::*)(page_move&, unsigned gpu);

    // --- orders
    page_id page_of(std::uint32_t process, std::uint64_t address) const {
        return {process, address & ~(memory_.page_size() - 1)};
    }
    unsigned owner_of(std::uint64_t physical) const { return gpus_.map().socket_of(physical) + 1; }
    page_move* find(const page_id& page);
    bool wants(const page_touch& t);
    bool order(const page_id& page, move_kind kind, unsigned from, unsigned to, bool held);
    void counted();
    void begin_waiting();
    bool begins(page_move& m);
    bool claimed(const page_id& page, bool by_writers_only) const;
    bool wanted_by_claimant(const page_id& page, bool by_writers_only) const;
    void decline(page_move& m, observe::counter& why);
    void end(page_move& m);
    void leave(page_move& m);
    bool collapse(const claimed_range& range);
    void tell_claimants();
    void reset();

    // --- steps
    void next(page_move& m);
    void step_done(page_move& m, unsigned) { next(m); }
    void close(page_move& m, unsigned);
    void drain(page_move& m, unsigned);
    void shoot_down(page_move& m, unsigned);
    void flush(page_move& m, unsigned gpu);
    void flushed(page_move& m, unsigned gpu);
    void write_table(page_move& m, unsigned);
    void collapse(page_move& m);
    void pull(page_move& m, unsigned);
    void pull_answered(page_move& m, unsigned);
    void restart(page_move& m, unsigned);
    void catch_up(page_move& m);
    void open(page_move& m, unsigned);
    void reply(page_move& m, unsigned);
    void answered(gpu::page_pull& done) override;
    void give_back(std::uint64_t frame);
    void leave_frame(std::uint64_t frame, unsigned pulled_by);
    void frame_left(std::uint64_t frame);
    bool whole(const page_move& m) const {
        return spec_.granularity == granularity::whole && m.record.kind == move_kind::relocate;
    }
    // Every GPU can still read the page meanwhile.
    bool only_copied(const page_move& m) const {
        return m.record.kind == move_kind::duplicate && duplicates_.has(m.page());
    }

    template <step_function Do> void run(std::uint32_t gpu_and_number) {
        (this->*Do)(slots_[gpu_and_number & 0xffff], gpu_and_number >> 16);
    }
    template <step_function Do> core::callback then(const page_move& m, unsigned gpu = 0) {
        return calls_.make<&page_migrator::run<Do>>(gpu << 16 | m.number);
    }
    template <step_function Do> void after(core::sim_time delay, const page_move& m, unsigned gpu = 0) {
        events_.after(delay, then<Do>(m, gpu));
    }
    // A GPU reports by a message.
    template <step_function Do> core::callback message(const page_move& m, unsigned gpu = 0) {
        return then<&page_migrator::later<Do>>(m, gpu);
    }
    template <step_function Do> void later(page_move& m, unsigned gpu) { after<Do>(spec_.message, m, gpu); }

    const spec spec_;
    core::scheduler& events_;
    gpu::multi_gpu& gpus_;
    memory::radix_table& table_;
    iommu& iommu_;
    gpu::shootdown_target_if& everywhere_;
    address_space& memory_;
    std::deque<gpu::page_pull_client> pulls_;  // by each GPU
    rules rules_;
    duplicates duplicates_;
    std::deque<page_move> slots_;        // by number
    std::vector<unsigned> free_;         // free ones among them
    std::vector<unsigned> active_;       // in the order in which they were ordered
    std::deque<reached_page> notified_;  // messages of access counters under way; each takes the same time
    std::vector<bool> slot_in_use_;      // one for each page that may move at a time
    unsigned begun_ = 0;
    std::vector<resting_page> resting_;
    std::vector<std::uint64_t> leaving_;  // frames without a page whose lines a second level still holds
    std::vector<claimed_range> claims_;
    std::vector<claimant> claimants_;
    move_observer_if* observer_ = nullptr;
    core::timer<&page_migrator::begin_waiting> wake_;
    bool ordering_ = true, beginning_ = true;
    core::cancellable_calls<page_migrator> calls_;
    std::uint64_t steps_done_ = 0;
    std::uint64_t orders_ = 0, ends_ = 0;
    statistics_set statistics_;
};

}  // namespace contraflow::host::migration

template <> struct contraflow::config::enum_names<contraflow::host::migration::granularity> {
    static constexpr std::array names{std::pair{contraflow::host::migration::granularity::page, "page"},
                                      std::pair{contraflow::host::migration::granularity::whole, "whole"}};
};
