// SPDX-License-Identifier: Apache-2.0
// RDMA for a process on the host, with the driver below it: a process registers memory of the host and of GPUs, puts
// from it to registered memory of another node, and waits until a put has been sent or has arrived. Programs are
// coroutines:
//
//   host_task exchange(rdma_process& p) {
//       const auto sent = co_await p.put({memory_space::gpu0, from, peer, to, 4096, 7});
//       if (co_await p.sent(sent) != transmit_status::done) ...
//       const completion_record r = co_await p.receive();
//   }
//
// The driver checks and translates addresses of the host, cuts its messages at pages, writes descriptors into host
// memory and rings the doorbell over PCIe. Completions are read from host memory after an interrupt.
#pragma once

#include <deque>
#include <list>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "config/fields.h"
#include "core/scheduler.h"
#include "gpu/kernel/coroutine_stack.h"
#include "gpu/kernel/task.h"
#include "nic/device/rdma_nic.h"
#include "nic/transmit/table_core.h"

namespace contraflow::host {

class rdma_process final : private nic::rdma_nic::software_if, private pcie::requester_user_if {
public:
    struct spec {
        std::uint16_t process = 1;
        std::uint32_t entries = 256;  // per ring
        core::sim_time put{}, completion{};

        static void describe(config::fields<spec>& f) {
            f("entries", &spec::entries).in(8, 65536).power_of_two().text("entries of the rings in host memory");
            f("put", &spec::put).text("the host's time for a put, until its descriptors are written");
            f("completion", &spec::completion).text("the host's time to take a completion of what has arrived");
        }
    };
    struct resources {
        core::scheduler& events;
        pcie::function& host;            // sends writes to the NIC's registers
        std::span<std::uint8_t> memory;  // the host's
        std::uint64_t bus_base = 0;      // bus address of its first byte
        std::uint64_t rings_at = 0;      // offset in memory; ring_bytes() are used
        nic::rdma_nic& nic;
        nic::table_core& core;
    };
    // The process's memory: virtual addresses from `base` on, in whole pages.
    struct region {
        nic::memory_space space = nic::memory_space::host;
        std::uint64_t base = 0;
        std::vector<std::uint64_t> pages;      // bus addresses; in a GPU's memory
        std::vector<std::uint64_t> apertures;  // for a GPU whose BAR1 is read: its pages' addresses there; else empty
        std::uint16_t token = 0;               // for a GPU's pages
    };
    using handle = unsigned;
    struct put_request {
        nic::memory_space space = nic::memory_space::host;
        std::uint64_t from = 0;  // virtual
        nic::position target;
        std::uint64_t to = 0;  // virtual, there
        std::uint32_t length = 0;
        std::uint16_t tag = 0;
        bool notify = true;
    };
    using message = std::uint64_t;
    static constexpr unsigned tags = 1u << 12;  // a put's tag is below

    static std::uint64_t ring_bytes(std::uint32_t entries);
    // Opens the rings. The interrupt window of vectors 0 and 1 must call interrupt().
    rdma_process(const spec& s, const resources& r);

    // The NIC and all PCIe around it have been reset: programs are ended, registrations are gone, and the rings are
    // opened again.
    void reset();

    // Starts a program, which runs until it waits for the first time.
    void start(gpu::host_task program);
    bool finished() const;
    void rethrow() const;  // rethrows a program's exception

    // Throws std::invalid_argument if no entry of BUF_LIST is free.
    handle register_memory(const region& r);
    // Ends when no write into it is under way or will follow.
    gpu::task<> deregister(handle h);

    // Ends when its descriptors are written. std::invalid_argument: the tag is too large, or it is
    // not within registered memory of the host.
    gpu::task<message> put(put_request r);
    // Ends when its last packet has left, or it failed. Once a message.
    gpu::task<nic::transmit_status> sent(message m);
    // Ends when something has arrived; in order of arrival.
    gpu::task<nic::completion_record> receive();
    // Takes no time; returns the oldest arrival, if there is one.
    std::optional<nic::completion_record> poll();
    // Ends after that time: for computation of the program, or a kernel that it waits for.
    gpu::task<> work(core::sim_time time);

    void interrupt(std::uint32_t vector);

private:
    using waiting = std::vector<gpu::coroutine_stack*>;
    struct until {  // co_await: until the next resumption of all waiters
        waiting& list;
        bool await_ready() const noexcept { return false; }
        template <class Promise> void await_suspend(std::coroutine_handle<Promise> h) const {
            gpu::coroutine_stack& s = h.promise().on();
            s.wait_in(h);
            list.push_back(&s);
        }
        void await_resume() const noexcept {}
    };
    struct pause {  // co_await: a time
        core::scheduler& events;
        core::sim_time time;
        bool await_ready() const noexcept { return time.ps == 0; }
        template <class Promise> void await_suspend(std::coroutine_handle<Promise> h) const {
            gpu::coroutine_stack& s = h.promise().on();
            s.wait_in(h);
            events.after(time, go_on, &s);
        }
        void await_resume() const noexcept {}
    };
    struct entry {
        region what;
        std::uint64_t root = 0;
        bool used = false;
    };
    struct open_message {
        std::uint32_t left = 0;  // descriptors
        nic::transmit_status status = nic::transmit_status::done;
    };
    struct register_write : pcie::operation {
        std::array<std::uint8_t, 4> bytes{};
    };

    static void go_on(void* stack, std::uint64_t) { static_cast<gpu::coroutine_stack*>(stack)->resume(); }
    void wake(waiting& list);
    std::vector<nic::descriptor> cut(const put_request& r) const;
    std::uint64_t build_tables(const region& r);
    std::uint64_t table_below(std::uint64_t at);
    void open_rings();
    void take_completions();
    void write_register(nic::nic_register r, std::uint32_t value);
    std::uint8_t* ring(std::uint64_t offset) { return r_.memory.data() + r_.rings_at + offset; }

    // nic::rdma_nic::software_if: the core serves get requests.
    bool take_message(const nic::core_message&) override { return true; }
    void invalidated() override { wake(invalidations_); }
    void fetch(pcie::operation&, std::uint64_t, std::uint8_t*, std::uint32_t) override {}
    void store(pcie::operation&, std::uint64_t, const std::uint8_t*, std::uint32_t, const pcie::tlp&) override {}
    void finished(pcie::operation& o) override { free_.push_back(&static_cast<register_write&>(o)); }

    const spec spec_;
    const resources r_;
    const std::uint64_t completions_at_, received_at_;  // after the descriptors
    std::vector<entry> entries_;
    std::uint64_t next_table_ = 0x10000;  // in the NIC's memory
    std::uint32_t posted_ = 0, completed_ = 0, received_ = 0;
    std::deque<message> posted_for_;  // the message of each incomplete descriptor
    std::map<message, open_message> open_;
    message next_message_ = 0;
    waiting room_or_sent_, arrivals_, invalidations_;
    bool invalidating_ = false;
    std::deque<register_write> writes_;
    std::vector<register_write*> free_;
    // Programs that a reset has ended are kept: pending calls may still try to resume them, and do nothing.
    std::list<gpu::coroutine_stack> programs_, ended_;
};

}  // namespace contraflow::host
