// SPDX-License-Identifier: Apache-2.0
// The part of a function that asks: cuts operations into TLPs (maximum payload, maximum read request, the 4 KiB rule,
// byte enables), gives out tags, puts the completions of each tag together, whatever comes between them, and gives up
// what is not answered in time. Operations begin in the order in which they were given.
// Source: PCI Express Base Specification 3.0, 2.2.5 (byte enables), 2.2.7, 2.3.1.1 (completions), 2.8 (timeout).
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
        std::uint32_t max_payload = 128;       // bytes a write carries
        std::uint32_t max_read_request = 512;  // bytes a read asks for
        std::uint32_t tags = 64;               // requests under way that are answered
        core::sim_time completion_timeout{};   // 0: waits for ever
    };
    // What the next TLP would need: its class and the bytes of data it carries.
    struct demand {
        credit_class flow = credit_class::posted;
        std::uint32_t payload = 0;
    };

    requester(core::scheduler& events, tlp_pool& pool, const spec& s, requester_user_if& user);

    void start(operation& o);
    // Operations that have been given, and whose last TLP has not left.
    std::size_t waiting() const { return waiting_; }
    // None: there is nothing to send, or no tag for it.
    std::optional<demand> next() const;
    bool lacks_tag() const;
    tlp* make();  // the TLP that next() told of; settle() once it has left
    // Tells the user if that was the last TLP of an operation.
    void settle();
    std::uint32_t tags_in_use() const { return spec_.tags - static_cast<std::uint32_t>(free_tags_.size()); }

    enum class verdict : std::uint8_t {
        unexpected,  // nobody asked for it, or not for this next
        taken,
        refused,  // the user cannot take it now
    };
    // `ready`: since when it could be taken.
    verdict take(const tlp& completion, core::sim_time ready);

    std::uint64_t timeouts() const { return timeouts_; }
    std::uint64_t errors() const { return errors_; }  // completions with another status than success
    core::sim_time oldest_since() const;              // of what is under way
    void reset();

private:
    struct part {  // of the operation at the front: what the next TLP carries
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
        void* note = nullptr;
        core::sim_time since{};
        std::uint16_t older = no_tag, younger = no_tag;
    };
    static constexpr std::uint16_t no_tag = 0xffff;
    static bool answered(operation_kind kind) { return kind != operation_kind::write; }

    requester_user_if& user_of(const operation& o) const { return o.owner == nullptr ? user_ : *o.owner; }
    void find_part();
    void find_enabled_part(const operation& o, std::uint64_t limit);
    void fetch(operation& o, std::uint8_t* to);
    void close(std::uint16_t tag);
    void end_of_tlp(operation& o, void* note, core::sim_time at);
    void arm_timer();
    void check_timeouts();

    core::scheduler& events_;
    tlp_pool& pool_;
    const spec spec_;
    requester_user_if& user_;
    operation* first_ = nullptr;  // has TLPs to send
    operation* last_ = nullptr;
    std::size_t waiting_ = 0;
    part part_;
    operation* settled_ = nullptr;
    std::vector<record> records_;  // by tag
    std::vector<std::uint16_t> free_tags_;
    std::uint16_t oldest_ = no_tag, youngest_ = no_tag;
    core::timer<&requester::check_timeouts> timeout_{events_, *this};
    std::uint64_t timeouts_ = 0, errors_ = 0;
};

}  // namespace contraflow::pcie
