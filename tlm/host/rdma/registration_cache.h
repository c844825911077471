// SPDX-License-Identifier: Apache-2.0
// Puts from memory that the program has not registered. What a message needs is registered with its first put and stays
// registered, so a later put from there costs nothing more. The number of entries is limited: the entry that has not
// been used for the longest time is deregistered to make room. An entry is not deregistered before its messages have
// left.
//
//   program -- put(), sent() --> registration_cache -- register_memory(), deregister(), put() --> rdma_process
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <string>

#include "host/rdma/rdma_process.h"
#include "observe/counter.h"

namespace contraflow::host {

class registration_cache {
public:
    struct spec {
        std::uint32_t entries = 16;  // at most
        core::sim_time page{};       // the host's time to register a page, or to deregister it
    };
    // The process's memory in whole pages, not registered.
    using page_map =
        std::function<rdma_process::region(nic::memory_space space, std::uint64_t base, std::uint64_t bytes)>;

    // The process outlives it. Nobody else registers memory of those addresses.
    registration_cache(rdma_process& process, observe::statistics& statistics, const std::string& path, const spec& s,
                       page_map pages);

    // As those of the process.
    gpu::task<rdma_process::message> put(rdma_process::put_request r);
    gpu::task<nic::transmit_status> sent(rdma_process::message m);
    // Deregisters what no message needs.
    gpu::task<> clear();
    // The process has been reset: its registrations and programs are gone.
    void reset();

    std::uint64_t hits() const { return hits_.value(); }
    std::uint64_t misses() const { return misses_.value(); }
    std::uint64_t evictions() const { return evictions_.value(); }
    std::size_t registered() const { return entries_.size(); }

private:
    struct span {
        std::uint64_t base = 0, end = 0;
    };
    struct entry {
        rdma_process::region what;
        rdma_process::handle handle = 0;
        std::uint32_t uses = 0;  // messages that have not left
        bool closing = false;    // it is being deregistered

        std::uint64_t end() const { return what.base + what.bytes(); }
        bool overlaps(const span& s, nic::memory_space space) const {
            return what.space == space && what.base < s.end && s.base < end();
        }
    };
    using place = std::list<entry>::iterator;
    place find(const rdma_process::put_request& r);
    gpu::task<> remove(place e);
    gpu::task<> make_room(const span& wanted, nic::memory_space space);

    rdma_process& process_;
    const spec spec_;
    const page_map pages_;
    std::list<entry> entries_;  // the one used last is the first
    std::map<rdma_process::message, place> of_;
    rdma_process::waiting unused_;
    observe::counter hits_, misses_, evictions_;
};

}  // namespace contraflow::host
