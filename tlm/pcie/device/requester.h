// SPDX-License-Identifier: Apache-2.0
// The part of a function that asks: cuts operations into TLPs (maximum payload, maximum read request, the 4 KiB rule,
// byte enables), gives out tags, puts the completions of each tag together, whatever comes between them, and gives up
// what is not answered in time. Operations begin in the order in which they were given, except that a posted write
// passes requests that lack a tag or credits; nothing passes a posted write.
// The tag of a request that was given up is in quarantine until the request's last completion has come after all, or a
// reset: a late completion must not be taken for another request's. Where that leaves no tag, a request that has waited
// for one for a completion timeout is given up unsent.
// Source: PCI Express Base Specification 3.0, 2.2.5 (byte enables), 2.2.7, 2.3.1.1 (completions), 2.8 (timeout); 6.0,
// 7.7.9 (lengths of deferrable memory writes).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/scheduler.h"
#include "core/timer.h"
#include "pcie/device/operation.h"

namespace contraflow::pcie {

class requester {
public:
    struct spec {
        function_id id;
        // Powers of two of 4 KiB at most: what ends at their multiples crosses no 4 KiB.
        std::uint32_t max_payload = 128;       // bytes a write carries
        std::uint32_t max_read_request = 512;  // bytes a read asks for
        std::uint32_t tags = 64;               // requests under way that are answered
        core::sim_time completion_timeout{};   // 0: waits for ever
        bool relaxed = false;                  // attribute of requests, and so of their completions (2.2.9)
    };
    // What the next TLP would need: its class and the bytes of data it carries.
    struct demand {
        credit_class flow = credit_class::posted;
        std::uint32_t payload = 0;
    };

    // Who has the port.
    class owner_if {
    public:
        virtual void timed_out() = 0;  // a TLP was not answered in time: its tag is in quarantine

    protected:
        ~owner_if() = default;
    };

    // Of a deferrable write; a completer may also allow 64 only.
    static constexpr std::uint32_t longest_deferrable_write = 128;

    requester(core::scheduler& events, tlp_pool& pool, const spec& s, requester_user_if& user, owner_if& owner);

    // An AtomicOp is of 4 or 8 bytes (a compare-and-swap of twice as many) at a multiple of that. Another one, which
    // might cross 4 KiB, would be a malformed TLP: an error of the program.
    void start(operation& o);
    // Operations that have been given, and whose last TLP has not left.
    std::size_t waiting() const { return waiting_; }
    // The next TLP of the oldest operation (urgent: of the oldest posted write, which may pass it). None: there is
    // nothing to send, or no tag for it.
    std::optional<demand> next(bool urgent = false) const;
    bool lacks_tag() const;
    tlp* make(bool urgent = false);  // the TLP that next() told of; settle() once it has left
    // Tells the user if that was the last TLP of an operation.
    void settle();
    std::uint32_t tags_in_use() const {
        return spec_.tags - static_cast<std::uint32_t>(free_tags_.size()) - quarantined_;
    }
    std::uint32_t tags_in_quarantine() const { return quarantined_; }

    enum class verdict : std::uint8_t {
        unexpected,  // nobody asked for it, or not for this next, or its data is not what its request asks for
        late,        // of a request that was given up
        taken,
        refused,  // the user cannot take it now
    };
    // `ready`: since when it could be taken.
    verdict take(const tlp& completion, core::sim_time ready);

    // The user can take what it has refused: also the end of a request that was given up.
    void resume() { check_timeouts(); }

    // Since when the oldest request is under way, or, if none is, the last one in quarantine is given up.
    core::sim_time oldest_since() const;
    void reset();

private:
    struct part_of_operation {  // of the one at the front: what its next TLP carries
        std::uint64_t offset = 0;
        std::uint32_t length = 0;          // bytes from the first enabled to the last enabled one
        std::uint8_t first = 0, last = 0;  // byte enables, where they are not those of all bytes
        bool gaps = false;
        std::uint64_t after = 0;  // offset at which the next part begins to look
        bool final = false;
    };
    struct record {  // of a tag
        operation* of = nullptr;
        std::uint64_t next = 0, end = 0;  // offsets of the bytes that are still to come
        std::uint8_t low = 0;             // lower address of its first byte
        std::uint64_t begin = 0;
        tlp_note* note = nullptr;  // counted here too
        core::sim_time since{};
        std::uint16_t older = no_tag, younger = no_tag;
        bool quarantined = false;
    };
    static constexpr std::uint16_t no_tag = 0xffff;
    static bool answered(operation_kind kind) { return kind != operation_kind::write; }

    struct line {  // of operations that have TLPs to send: posted writes, and requests that are answered
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
    // Requests wait for a tag, and all are in quarantine.
    bool starved() const { return lacks_tag() && oldest_ == no_tag; }
    void give_up_unsent();
    // `note`: of its TLP; released here.
    void end_of_tlp(operation& o, tlp_note* note, bool in_time, core::sim_time at);
    void arm_timer();
    void check_timeouts();

    core::scheduler& events_;
    tlp_pool& pool_;
    const spec spec_;
    requester_user_if& user_;
    owner_if& owner_;
    std::array<line, 2> lines_;
    std::uint64_t started_ = 0;
    std::size_t waiting_ = 0;
    operation* settled_ = nullptr;
    std::vector<record> records_;  // by tag
    std::vector<std::uint16_t> free_tags_;
    std::uint16_t oldest_ = no_tag, youngest_ = no_tag;
    std::uint32_t quarantined_ = 0;
    core::sim_time quarantined_since_{};
    std::uint64_t starved_before_ = 0;  // operations that were started earlier starve until the timer goes off
    core::timer<&requester::check_timeouts> timeout_{events_, *this};
};

}  // namespace contraflow::pcie
