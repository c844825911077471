// SPDX-License-Identifier: Apache-2.0
// A GPU's page migration controller: pulls pages of other GPUs' memory into frames of its own, line by line, several at
// a time, while the rest of the GPU works. Its requests enter the crossbar at its own ports and take the usual path:
// through RDMA engines and network to the other GPU's memory, and to its own memory for the data that arrived. A read
// bypasses the second level and goes to memory, which is up to date once the page has been flushed. By option, the
// second level answers if it has the line. A write goes to memory. The pages in progress take turns, line by line.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/fields.h"
#include "core/control.h"
#include "core/linked_fifo.h"
#include "core/request_server.h"
#include "core/timer.h"
#include "core/units.h"
#include "core/waiting.h"
#include "memory/port/intake.h"
#include "memory/port/line_copier.h"
#include "observe/conservation.h"
#include "observe/counter_view.h"
#include "observe/statistics.h"

namespace contraflow::gpu {

// A request to bring the bytes of a page from one frame into another. Its client owns it and must not change it until
// it is answered. A reset of the controller drops it without an answer.
struct page_pull {
    // Physical addresses and a length in whole lines; `to` is in the memory of the controller's GPU.
    std::uint64_t from = 0, to = 0, bytes = 0;
    std::uint32_t tag = 0;   // for the client only
    bool failed = false;     // a line was answered with an error
    core::sim_time since{};  // when the client sent it

    // For the controller.
    core::request_connection<page_pull>* via = nullptr;
    page_pull* next = nullptr;
};
using page_pull_server = core::request_server<page_pull>;
using page_pull_client = core::request_client<page_pull>;

class page_migration_controller final : public core::waiter_if,
                                        public core::controllable_if,
                                        public memory::line_copier,
                                        private core::channel_receiver_if<page_pull*> {
public:
    struct spec {
        unsigned pages = 8;
        unsigned queue = 16;
        unsigned outstanding = 1024;
        unsigned ports = 4;
        bool through_l2 = false;

        // Set by the machine, not by a configuration.
        core::bytes line{128};
        core::sim_time cycle = core::sim_time::from_ns(1);
        unsigned socket = 0;

        static void describe(config::fields<spec>& f);
        // Throws std::invalid_argument if nothing can be built from this.
        void check() const;
    };
    // The unit number in its requests.
    static constexpr std::uint16_t unit_number = 0xfffe;

    page_migration_controller(const memory::resources& shared, std::string path, const spec& s);

    // Takes requests while its queue has room. A request that is not whole lines is a std::invalid_argument of its
    // sender.
    page_pull_server& pulls() { return pulls_; }

    const std::string& path() const { return path_; }
    const spec& configuration() const { return spec_; }
    std::uint64_t moved() const { return moved_total_; }  // bytes
    bool idle() const { return pulls_.idle() && !pulls_.waiting(); }
    // Pause sends nothing; drain accepts no further pages and continues with those it has. It keeps no copies, so it
    // refuses invalidate and flush.
    bool control(core::control_verb verb) override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;
    // Holds when idle.
    void check(observe::conservation& checks) const;

    struct statistics_set {
        statistics_set(observe::statistics& group, const std::string& path, const std::uint64_t& refused);
        observe::counter pages, bytes, failed;
        observe::counter_view held_back;
        observe::gauge at_work, outstanding;
        observe::histogram latency;
    };
    const statistics_set& statistics() const { return statistics_; }

private:
    struct work {
        page_pull* pull = nullptr;
        std::uint64_t asked = 0, moved = 0;  // bytes
    };
    bool can_take(unsigned, page_pull* const& p) override;
    void take(unsigned, page_pull* p) override;
    void take_in();
    void arm() { send_from(std::max(shared_.events.now(), next_send())); }
    void finish(std::uint32_t number);
    bool may_send() override;
    bool start_next() override;
    std::optional<std::uint64_t> write_to(const line& l) override { return works_[l.job].pull->to + l.offset; }
    bool failed(const line& l) override;
    void ended(const line& l) override;
    void answered() override { arm(); }
    void reset();

    const spec spec_;
    page_pull_server pulls_;
    core::linked_fifo<page_pull> queue_;
    std::vector<work> works_;
    unsigned at_work_ = 0;
    unsigned turn_ = 0;  // the work whose line is read next
    core::sim_time stopped_since_{};
    core::cancellable_calls<page_migration_controller> calls_;
    memory::intake intake_;

    statistics_set statistics_;
    std::uint64_t moved_total_ = 0;
};

}  // namespace contraflow::gpu
