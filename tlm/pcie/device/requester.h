// SPDX-License-Identifier: Apache-2.0
// The requesting part of a function: cuts operations into TLPs (maximum payload, maximum read request, the 4 KiB rule,
// byte enables), assigns tags, joins the completions of each tag, which may interleave with others, and gives up
// requests that are not answered in time. Operations begin in the order in which they were started, except that a
// posted write passes requests that lack a tag or credits; nothing passes a posted write. After a timeout the tag of a
// request is in quarantine until the request's last completion has arrived after all, or until a reset: a late
// completion must not be taken for another request's. If all tags are in quarantine, a request that has
// waited for a tag for as long as the completion timeout is given up before it is sent.
// Source: PCI Express Base Specification 3.0, 2.2.5 (byte enables), 2.2.7, 2.3.1.1 (completions), 2.8 (timeout); 6.0,
// 7.7.9 (lengths of deferrable memory writes).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/callback.h"
#include "core/scheduler.h"
#include "core/timer.h"
#include "pcie/device/operation.h"
#include "pcie/link/port.h"

namespace contraflow::pcie {

class requester {
public:
    struct spec {
        function_id id;
        // Powers of two, 4 KiB at most: a TLP that ends at their multiples does not cross 4 KiB.
        std::uint32_t max_payload = 128;       // bytes a write carries
        std::uint32_t max_read_request = 512;  // bytes a read asks for
        std::uint32_t tags = 64;               // non-posted requests under way
        core::sim_time completion_timeout{};   // 0: waits for ever
        bool relaxed = false;                  // the attribute of requests, copied to their completions (2.2.9)
    };
    // The needs of the next TLP: its class and its bytes of data.
    struct demand {
        credit_class flow = credit_class::posted;
        std::uint32_t payload = 0;
    };

    // The largest deferrable write; a completer may also allow only 64.
    static constexpr std::uint32_t longest_deferrable_write = 128;

    // `timed_out` is called when a TLP was not answered in time: its tag is in quarantine.
    requester(core::scheduler& events, tlp_pool& pool, const spec& s, requester_user_if& user,
              const core::callback& timed_out);

    // An AtomicOp has 4 or 8 bytes (a compare-and-swap twice as many) at a multiple of that size. Any other might cross
    // 4 KiB and would be a malformed TLP: a program error.
    void start(operation& o);
    // Started operations whose last TLP has not left.
    std::size_t waiting() const { return waiting_; }
    // The next TLP of the oldest operation (urgent: of the oldest posted write, which may pass it). None: nothing to
    // send, or no free tag.
    std::optional<demand> next(bool urgent = false) const;
    bool lacks_tag() const;          // or has reached the limit of its operation
    tlp* make(bool urgent = false);  // makes the TLP that next() described; call settle() when it has left
    // Tells the user if that was the last TLP of an operation.
    void settle();
    std::uint32_t tags_in_use() const {
        return spec_.tags - static_cast<std::uint32_t>(free_tags_.size()) - quarantined_;
    }
    std::uint32_t tags_in_quarantine() const { return quarantined_; }

    enum class verdict : std::uint8_t {
        unexpected,  // no request expects it, it is out of order, or its data does not fit the request
        late,        // its request was given up
        taken,
        refused,  // the user cannot take it now
    };
    // `ready`: the time from which it could be taken.
    verdict take(const tlp& completion, core::sim_time ready);

    // The user can now take what it refused, which may also be the end of a request that was given up.
    void resume() { check_timeouts(); }

    // The start of the oldest request under way; if there is none, the time at which the last request in quarantine was
    // given up.
    core::sim_time oldest_since() const;
    void report_open_requests(std::vector<open_request>& requests) const;
    void reset();

private:
    struct part_of_operation {  // the content of the next TLP of the front operation
        std::uint64_t offset = 0;
        std::uint32_t length = 0;          // bytes from the first enabled to the last enabled one
        std::uint8_t first = 0, last = 0;  // byte enables, if not all bytes are enabled
        bool gaps = false;
        std::uint64_t after = 0;  // offset at which the search for the next part begins
        bool final = false;
    };
    struct record {  // a tag's request
        operation* of = nullptr;
        std::uint64_t next = 0, end = 0;  // offsets of the bytes that are still expected
        std::uint8_t low = 0;             // lower address of its first byte
        std::uint64_t begin = 0;
        tlp_note* note = nullptr;  // holds a reference
        core::sim_time since{};
        std::uint16_t older = no_tag, younger = no_tag;
        bool quarantined = false;
    };
    static constexpr std::uint16_t no_tag = 0xffff;
    static bool answered(operation_kind kind) { return kind != operation_kind::write; }

    struct line {  // a queue of operations with TLPs to send: one for posted writes, one for non-posted requests
        operation* first = nullptr;
        operation* last = nullptr;
        part_of_operation next;
    };
    static constexpr std::size_t posted = 0, non_posted = 1;
    // The line whose first operation is the older one.
    std::size_t oldest_line() const {
        const operation* const p = lines_[posted].first;
        const operation* const n = lines_[non_posted].first;
        return n == nullptr || (p != nullptr && p->order_ < n->order_) ? posted : non_posted;
    }

    requester_user_if& user_of(const operation& o) const { return o.owner == nullptr ? user_ : *o.owner; }
    std::uint32_t longest_part(operation_kind kind) const;
    void find_part(line& l) const;
    void find_enabled_part(line& l, std::uint64_t limit) const;
    verdict take_late(const tlp& completion);
    void close(std::uint16_t tag);
    void quarantine(std::uint16_t tag);
    // Requests wait for a tag, and all tags are in quarantine.
    bool starved() const { return lacks_tag() && oldest_ == no_tag; }
    void give_up_unsent();
    // `note`: the note of its TLP; released here.
    void end_of_tlp(operation& o, tlp_note* note, bool in_time, core::sim_time at);
    void arm_timer();
    void check_timeouts();

    core::scheduler& events_;
    tlp_pool& pool_;
    const spec spec_;
    requester_user_if& user_;
    const core::callback timed_out_;
    std::array<line, 2> lines_;
    std::uint64_t started_ = 0;
    std::size_t waiting_ = 0;
    operation* settled_ = nullptr;
    std::vector<record> records_;  // by tag
    std::vector<std::uint16_t> free_tags_;
    std::uint16_t oldest_ = no_tag, youngest_ = no_tag;
    std::uint32_t quarantined_ = 0;
    core::sim_time quarantined_since_{};
    std::uint64_t starved_before_ = 0;  // earlier operations are given up when the timer fires
    core::timer<&requester::check_timeouts> timeout_{events_, *this};
};

}  // namespace contraflow::pcie
