// SPDX-License-Identifier: Apache-2.0
// A stand-in for the NIC's core. It reads BUF_LIST and the page tables in no time, and takes a fixed time for each kind
// of task. It never delays the receive side.
#pragma once

#include <vector>

#include "config/fields.h"
#include "core/bounded_queue.h"
#include "core/timer.h"
#include "nic/transmit/core_if.h"

namespace contraflow::nic {

class table_core final : public core_if {
public:
    struct spec {
        core::sim_time message{};    // to begin a message, without its first translation
        core::sim_time translate{};  // an extent
        core::sim_time request{};    // v1: a read request
        core::sim_time window{};     // v2: to start a window
        std::uint32_t messages = 8;

        static void describe(config::fields<spec>& f) {
            f("message", &spec::message).text("the core's time to take up a message from GPU memory");
            f("translate", &spec::translate)
                .text("its time to translate: a packet in v1, a page of 64 KiB in v2 and v3");
            f("request", &spec::request).text("v1: its time for a read request of 128 bytes");
            f("window", &spec::window).text("v2: its time to start a window");
            f("messages", &spec::messages).unit("messages").in(1, 256).text("get requests that wait for it");
        }
    };
    table_core(const core_place& place, const spec& s);

    void connect(core_user_if& user) override { user_ = &user; }
    void begin(const core_task& task) override;
    void cancel_request() override;
    void may_get() override;
    std::uint32_t message_room() const override {
        return static_cast<std::uint32_t>(messages_.capacity() - messages_.size());
    }
    void take_message(const core_message& m) override;
    bool receives() const override { return false; }
    void set_buffer(unsigned index, const buffer_entry& b) override { buffers_.at(index) = b; }
    bool idle() const override { return !busy_ && messages_.empty(); }
    void reset() override;
    void report_waits(std::vector<core::wait_edge>& edges) const override;

private:
    std::optional<source_extent> find(const core_task& task) const;
    void end_after(core::sim_time time);
    void done();

    const spec spec_;
    const std::string path_;
    const table_memory& tables_;
    const std::uint64_t source_tables_;
    std::vector<buffer_entry> buffers_;
    core_user_if* user_ = nullptr;
    bool busy_ = false;
    core_task task_;
    core::bounded_queue<core_message> messages_;
    core::timer<&table_core::done> done_;
};

core_factory make_table_core(const table_core::spec& s);

}  // namespace contraflow::nic
