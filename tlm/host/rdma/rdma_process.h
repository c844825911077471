// SPDX-License-Identifier: Apache-2.0
// RDMA for a process on the host, including the driver. A process registers memory of the host and of GPUs, puts it
// into registered memory of another node, gets from such memory, and waits until a put has been sent or has arrived.
// Programs are coroutines:
//
//   host_task exchange(rdma_process& p) {
//       const auto sent = co_await p.put({memory_space::gpu0, from, peer, to, 4096, 7});
//       if (co_await p.sent(sent) != transmit_status::done) ...
//       const completion_record r = co_await p.receive();
//       if (co_await p.got(co_await p.get({peer, there, here, 4096})) != get_status::done) ...
//   }
//
// The driver checks and translates addresses of the host, cuts its messages at pages, writes descriptors into host
// memory and rings the doorbell over PCIe. It registers memory by writes to the NIC's registers. Completions are read
// from host memory after an interrupt.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "config/fields.h"
#include "core/scheduler.h"
#include "core/timer.h"
#include "gpu/kernel/coroutine_timer.h"
#include "gpu/kernel/task.h"
#include "gpu/peer/peer_protocol.h"
#include "host/rdma/nic_tables.h"
#include "host/rdma/register_writer.h"
#include "nic/device/rdma_nic.h"
#include "observe/trace.h"

namespace contraflow::host {

enum class get_status : std::uint8_t {
    done,      // all bytes are in memory
    not_sent,  // the request has not left
    no_answer  // within the timeout: there is no such node, or no such memory on it
};

class rdma_process final : private pcie::requester_user_if {
public:
    struct spec {
        std::uint16_t process = 1;
        std::uint32_t entries = 256;  // per ring
        core::sim_time put{}, completion{};
        core::sim_time copy = core::sim_time::from_us(10);
        std::uint32_t gets = 16;
        core::sim_time get_timeout = core::sim_time::from_us(10'000);

        static void describe(config::fields<spec>& f) {
            f("entries", &spec::entries).in(8, 65536).power_of_two().text("entries of the rings in host memory");
            f("put", &spec::put)
                .text("the driver's time for a put that has been sent, until the program hears of it; puts one after "
                      "the other");
            f("completion", &spec::completion).text("the host's time to take a completion of what has arrived");
            f("copy", &spec::copy)
                .text("time of a copy call before the copy begins, if the program waits for the copy");
            f("gets", &spec::gets).in(1, all_tags - tags).text("gets that are not answered; more wait");
            f("get_timeout", &spec::get_timeout)
                .at_least(core::sim_time::from_us(1))
                .text("a get ends without an answer after this long");
        }
    };
    struct resources {
        core::scheduler& events;
        pcie::function& host;            // sends writes to the NIC's registers
        std::span<std::uint8_t> memory;  // the host's
        std::uint64_t bus_base = 0;      // bus address of its first byte
        std::uint64_t rings_at = 0;      // offset in memory; ring_bytes() are used
        nic::rdma_nic& nic;
        std::uint64_t gpu_registers = 0;  // bus address of those of the GPU's DMA engine; 0: there is none
        std::uint32_t copy_queue = 0;     // commands that it holds
    };
    // The process's memory: virtual addresses from `base` on, the start of a page.
    struct region {
        nic::memory_space space = nic::memory_space::host;
        std::uint64_t base = 0;
        std::vector<std::uint64_t> pages;      // bus addresses; in a GPU's memory
        std::vector<std::uint64_t> apertures;  // for a GPU whose BAR1 is read: its pages' addresses there; else empty
        std::uint16_t token = 0;               // for a GPU's pages
        std::uint64_t length = 0;              // bytes; it may end within its last page; 0: all of its pages
        bool writable = true;                  // false: puts into it are dropped, and gets have no answer

        std::uint64_t bytes() const { return length != 0 ? length : pages.size() << nic::page_bits(space); }
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
    static constexpr unsigned tags = 4032, all_tags = 4096;  // a put's tag is below the first; the others are for gets
    struct get_request {
        nic::position source;
        std::uint64_t from = 0;  // virtual, there
        std::uint64_t to = 0;    // virtual, here
        std::uint32_t length = 0;
    };
    // Between a GPU's memory and the host's.
    struct copy_request {
        std::uint64_t from = 0, to = 0;  // virtual
        std::uint32_t length = 0;
        bool wait = true;  // false: the program goes on when the GPU has the commands
    };
    using message = std::uint64_t;
    static constexpr unsigned copied_vector = 3;  // the GPU's interrupt; those of the NIC come before

    static std::uint64_t ring_bytes(std::uint32_t entries);
    // Opens the rings. The host's interrupt window must call interrupt() for vectors 0 to 3.
    rdma_process(const spec& s, const resources& r);

    // The NIC and all PCIe around it have been reset: programs are ended, registrations are gone, and the rings are
    // opened again.
    void reset();
    // A slice for each put and get, from its call until it has left or was answered; null: none.
    void set_trace(observe::trace* trace, std::string name) {
        trace_ = trace;
        name_ = std::move(name);
    }

    // Starts a program, which runs until it waits for the first time.
    void start(gpu::host_task program);
    bool finished() const;
    // The time that the host itself has spent on messages: the driver's, that of completions, and copies that a program
    // waits for.
    core::sim_time busy() const { return busy_; }
    void rethrow() const;  // rethrows a program's exception

    // Throws std::invalid_argument if no entry of BUF_LIST is free.
    handle register_memory(const region& r);
    // Ends when no read or write of it is under way or will follow: after the puts and copies that its translations
    // were made for.
    gpu::task<> deregister(handle h);
    // The counter of that number (docs/reference/nic_rx_registers.md), by the NIC's command and reads of its registers.
    gpu::task<std::uint32_t> read_counter(unsigned number);

    // Ends when its descriptors are written. Throws std::invalid_argument if the tag is too large, or the source is not
    // within registered memory of the host.
    gpu::task<message> put(put_request r);
    // Ends when its last packet has left, or it has failed, and the driver has taken its descriptors back. Call it once
    // for each message.
    gpu::task<nic::transmit_status> sent(message m);
    // Ends when its request is written. Throws std::invalid_argument if the destination is not in registered memory.
    gpu::task<message> get(get_request r);
    // Ends when all bytes are in memory, or none is expected any more. Call it once for each message.
    gpu::task<get_status> got(message m);
    // Copies by the GPU's own DMA engine, in order; ends when all bytes have arrived. Throws std::invalid_argument
    // unless both ends are registered and exactly one is a GPU's.
    gpu::task<> copy(copy_request r);
    // Ends when all copies have ended.
    gpu::task<> copied();
    // Ends when a message has arrived; messages are returned in order of arrival.
    gpu::task<nic::completion_record> receive();
    // Takes no time; returns the oldest arrival, if there is one.
    std::optional<nic::completion_record> poll();
    // Ends after that time: for computation of the program, or a kernel that it waits for.
    gpu::task<> work(core::sim_time time);

    void interrupt(std::uint32_t vector);

private:
    friend class registration_cache;  // waits as programs do
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
    struct entry {
        region what;
        std::uint64_t root = 0;
        bool used = false;
        bool closing = false;    // nobody may begin to use it
        std::uint32_t uses = 0;  // puts and copies with its translations
    };
    struct open_copy {
        std::uint64_t last = 0;  // its last command
        entry *source = nullptr, *target = nullptr;
    };
    struct open_message {
        std::uint32_t left = 0;    // descriptors
        core::sim_time told_at{};  // when the driver has finished with it
        nic::transmit_status status = nic::transmit_status::done;
        std::optional<unsigned> row{};  // of the trace
        core::sim_time since{};
        std::uint32_t length = 0;  // bytes
        entry* source = nullptr;   // of a put from the host's memory
    };
    struct register_read : pcie::operation {
        std::array<std::uint8_t, 8> bytes{};
    };
    struct open_get {
        std::uint16_t tag = 0;
        core::sim_time deadline{};
        std::optional<get_status> end;
    };
    static constexpr std::uint64_t report_bytes = 64;  // behind the rings: the GPU counts its copies there

    void wake(waiting& list);
    // The memory of that space, or of any, that holds those bytes; null: none does.
    entry* holding(std::optional<nic::memory_space> space, std::uint64_t from, std::uint64_t length);
    std::vector<nic::descriptor> cut(const put_request& r, const region* memory) const;
    void end_use(entry& e);
    gpu::task<> post(message m, nic::descriptor d);
    std::uint64_t build_tables(const region& r);
    void clear_tables(const entry& e);
    void write_tables();
    void open_rings();
    void take_completions();
    void take_arrivals();
    void release_arrivals();
    void end_get(std::uint16_t tag);
    void begin_slice(open_message& m, core::sim_time since, std::uint32_t length);
    void end_slice(open_message& m, const char* what);
    void give_up_gets();
    void write_registers(nic::nic_register first, std::span<const std::uint32_t> values);
    void write_register(nic::nic_register r, std::uint32_t value) { write_registers(r, {&value, 1}); }
    void send_command(std::uint32_t opcode, unsigned index, std::span<const std::uint32_t> data);
    void set_buffer(unsigned index, const nic::buffer_entry& b);
    void write_gpu(gpu::peer_register r, std::uint64_t value) { writes_.write(r_.gpu_registers, r, value); }
    std::uint8_t* copies_report() { return ring(ring_bytes(spec_.entries) - report_bytes); }
    std::uint8_t* ring(std::uint64_t offset) { return r_.memory.data() + r_.rings_at + offset; }

    void finished(pcie::operation&) override { wake(register_waits_); }  // of the only read

    const spec spec_;
    const resources r_;
    const std::uint64_t completions_at_, received_at_;  // after the descriptors
    std::vector<entry> entries_;
    nic_tables tables_;
    std::uint32_t posted_ = 0, completed_ = 0;
    // Completions seen, and taken; between them, none is that of a get.
    std::uint32_t seen_ = 0, received_ = 0;
    std::deque<std::optional<nic::completion_record>> arrived_;
    std::deque<message> posted_for_;  // a message for each descriptor that is not complete
    std::map<message, open_message> open_;
    core::sim_time driver_free_{};  // of puts that have been sent
    core::sim_time busy_{};
    message next_message_ = 0;
    std::map<message, open_get> gets_;
    std::vector<std::optional<message>> get_of_;  // by tag from `tags` on; none: free
    std::vector<bool> late_;                      // its answer may still come
    std::uint16_t next_get_tag_ = 0;
    std::uint32_t gets_open_ = 0;
    std::uint64_t copies_asked_ = 0, copies_ended_ = 0;  // commands of the GPU's DMA engine
    std::deque<open_copy> copies_open_;                  // in order of their commands
    waiting room_or_sent_, arrivals_, invalidations_, gets_ended_, copied_, unused_, counter_read_, register_waits_;
    core::timer<&rdma_process::give_up_gets> get_timer_;
    bool invalidating_ = false, reading_counter_ = false;
    register_read register_read_;
    observe::trace* trace_ = nullptr;
    std::string name_;
    std::vector<bool> rows_;  // of the trace that have an open slice: those of one row do not overlap
    register_writer writes_{r_.host};
    gpu::coroutine_timer resumes_;
    std::deque<gpu::coroutine_stack> programs_;
};

}  // namespace contraflow::host
