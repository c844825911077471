// SPDX-License-Identifier: Apache-2.0
// A stand-in for the NIC's core: a table of GPU buffers in pages of 64 KiB, and a time for each kind of work.
#pragma once

#include <vector>

#include "config/fields.h"
#include "core/timer.h"
#include "nic/transmit/transmit_core_if.h"

namespace contraflow::nic {

class table_core final : public transmit_core_if {
public:
    struct spec {
        core::sim_time message{};    // to begin a message, without its first translation
        core::sim_time translate{};  // an extent
        core::sim_time request{};    // v1: a read request

        static void describe(config::fields<spec>& f) {
            f("message", &spec::message).text("the core's time to take up a message from GPU memory");
            f("translate", &spec::translate)
                .text("its time to translate: a packet in v1 and v2, a page of 64 KiB in v3");
            f("request", &spec::request).text("v1: its time for a read request of 128 bytes");
        }
    };
    struct buffer {
        std::uint16_t process = 0;
        memory_space space = memory_space::gpu0;
        std::uint64_t base = 0;            // virtual, a multiple of 64 KiB
        std::vector<std::uint64_t> pages;  // addresses
    };
    table_core(core::scheduler& events, const spec& s) : spec_(s), done_(events, *this) {}

    void add(buffer b) { buffers_.push_back(std::move(b)); }
    void remove(std::uint16_t process, memory_space space, std::uint64_t base) {
        std::erase_if(buffers_,
                      [&](const buffer& b) { return b.process == process && b.space == space && b.base == base; });
    }
    void set_user(transmit_core_user_if& user) override { user_ = &user; }
    void begin(const core_task& task) override;
    void reset() override { done_.cancel(); }

private:
    std::optional<gpu_extent> find(const core_task& task) const;
    void done() { user_->core_done(result_); }

    const spec spec_;
    std::vector<buffer> buffers_;
    transmit_core_user_if* user_ = nullptr;
    std::optional<gpu_extent> result_;
    core::timer<&table_core::done> done_;
};

}  // namespace contraflow::nic
