// SPDX-License-Identifier: Apache-2.0
// Completions on their way to the rings of queue pairs: posted writes, which leave in the order in which they are put,
// after all earlier writes of the NIC.
#pragma once

#include <array>
#include <string>

#include "core/callback.h"
#include "core/waiting.h"
#include "nic/queue_pair/message_times.h"
#include "pcie/device/copy_pieces.h"

namespace contraflow::nic {

class completion_writer final : public core::waiter_if, private pcie::requester_user_if {
public:
    class user_if {
    public:
        virtual void completion_left(const message_end& m) = 0;

    protected:
        ~user_if() = default;
    };
    completion_writer(pcie::function& of, std::uint32_t records, user_if& user, std::string name)
        : function_(of),
          user_(user),
          name_(std::move(name)),
          records_(records) {}

    bool ready() const { return !records_.none_free(); }
    void put(std::uint64_t address, const message_end& m, bool phase) {
        record& r = records_.take();
        queue_completion{m.status, m.opcode, phase, m.number, m.length, m.queue}.encode(r.bytes);
        r.what = m;
        r.kind = pcie::operation_kind::write;
        r.address = address;
        r.length = r.bytes.size();
        r.buffer = r.bytes.data();
        r.owner = this;
        function_.start(r);
    }
    std::size_t under_way() const { return records_.under_way(); }
    void reset() { records_.reset(); }
    void report_waits(std::vector<core::wait_edge>& edges) const override {
        if (!ready()) edges.push_back({name_, "completions to leave", function_.link().name(), {}});
    }

private:
    struct record : pcie::operation {
        std::array<std::uint8_t, queue_completion_bytes> bytes{};
        message_end what;
    };
    void finished(pcie::operation& o) override {
        auto& r = static_cast<record&>(o);
        const message_end m = r.what;
        records_.give_back(r);
        user_.completion_left(m);
    }

    pcie::function& function_;
    user_if& user_;
    const std::string name_;
    pcie::copy_pieces<record> records_;
};

}  // namespace contraflow::nic
