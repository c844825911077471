// SPDX-License-Identifier: Apache-2.0
// The answering part of a function: finds the region of an address, and cuts answers into completions that end at the
// read completion boundary. A request that no region claims is an unsupported request.
// Source: PCI Express Base Specification 3.0, 2.3.1 (request handling), 2.3.1.1 (read completion boundary), 2.2.9.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "core/scheduler.h"
#include "pcie/device/region_if.h"
#include "pcie/fabric/address_map.h"

namespace contraflow::pcie {

class completer {
public:
    struct spec {
        function_id id;
        // A completion ends at each multiple of the smaller value; both are powers of two.
        std::uint32_t read_completion_boundary = 128;
        std::uint32_t max_payload = 4096;
    };
    completer(core::scheduler& events, tlp_pool& pool, const spec& s);

    // Ranges do not overlap.
    void add(const address_range& range, region_if& region);

    // A posted write is at the front of its buffer.
    access_result take_write(const tlp& packet);
    // A non-posted request is at the front of its buffer. `done`: it stays there while completions are made from it;
    // `later`: it may leave the buffer.
    access_result take_request(const tlp& packet, core::sim_time since);
    // The request at the front of the buffer is being answered.
    bool answers_front() const { return front_ != nullptr; }

    // A request that was accepted for `later` can be answered now, with the status in it.
    void answer(inbound_request& r);
    std::size_t ready() const { return ready_.size() - ready_front_; }  // requests ready to be answered

    // Bytes of data in the next completion; none: there is nothing to answer.
    std::optional<std::uint32_t> next() const;
    struct made {
        tlp* packet = nullptr;
        bool frees_front = false;  // the request at the front of the buffer is answered
    };
    made make();
    // Calls back for requests whose last completion make() has made.
    void settle();

    std::uint64_t unsupported() const { return unsupported_; }  // requests outside all regions, posted ones included
    std::uint64_t aborted() const { return aborted_; }
    core::sim_time oldest_since() const { return since_; }
    void reset();

private:
    struct claim {
        address_range range;
        region_if* region = nullptr;
    };
    const claim* find(std::uint64_t address, std::uint64_t length) const;
    void begin(inbound_request& r, const tlp& packet, const byte_span& span) const;
    std::uint32_t bytes_of_next(const inbound_request& r) const;
    const inbound_request* current() const;
    static void release_note(inbound_request& r);
    static bool has_data(const inbound_request& r) {
        return r.status == completion_status::successful && r.kind != tlp_kind::deferrable_write;
    }

    core::scheduler& events_;
    tlp_pool& pool_;
    const spec spec_;
    std::vector<claim> claims_;
    inbound_request at_front_;
    inbound_request* front_ = nullptr;  // &at_front_ while the request at the front is being answered
    std::deque<inbound_request> later_;
    std::vector<inbound_request*> free_;
    std::vector<inbound_request*> ready_;  // valid from ready_front_ on; in the order of answer()
    std::size_t ready_front_ = 0;
    inbound_request* settled_ = nullptr;
    core::sim_time since_{};
    std::uint64_t unsupported_ = 0, aborted_ = 0;
};

}  // namespace contraflow::pcie
