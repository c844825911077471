// SPDX-License-Identifier: Apache-2.0
// A context: the queue pairs of one workgroup to all other PEs, with their state in the workgroup's scratchpad. All
// wavefronts of the workgroup make the same calls; the first one carries them out.
//
//   shmem::context c(pe, w);                         in a kernel with scratchpad for context::scratchpad(pe)
//   co_await c.create(w.cta());
//   co_await c.put_nbi(dest, source, n, 1);          OpenSHMEM 1.4, without "shmem_"
//   co_await c.fence();
//   co_await c.p(flag, 1, 1);
//   co_await c.destroy();                            quiet, and the context may be created again
//
// A symmetric object is named by its address in the own GPU. Both ends of a transfer are in the symmetric heap. What is
// wrong with a call throws shmem::error there, and nothing is written.
//
// A put: entry into the send queue -> wait -> PPB invalidate -> wait -> doorbell (docs/litmus.md). put_nbi, get_nbi and
// p write entries only; one invalidate and one doorbell a queue then serve all of them. That happens when a queue has
// spec::batch of them, in every operation that waits, and in fence and submit.
#pragma once

#include <concepts>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

#include "gpu/kernel/task.h"
#include "gpu/kernel/wave.h"
#include "nic/queue_pair/work_entry.h"
#include "shmem/error.h"
#include "shmem/pe.h"

namespace contraflow::shmem {

// A type on which atomic operations of the NIC work.
template <class T>
concept atomic_word = std::integral<T> && sizeof(T) == 8;

class context {
public:
    static core::bytes scratchpad(const pe& of);
    // 4-byte words in pe_addresses::records for each queue.
    static std::size_t record_words(const spec& s) { return counters + (s.entries + 31) / 32; }

    // Every wavefront of a workgroup makes one; the order of scratchpads in the kernel is the same in all of them.
    context(pe& of, gpu::wave w);
    context(const context&) = delete;
    context& operator=(const context&) = delete;

    unsigned my_pe() const { return pe_.my_pe(); }
    unsigned n_pes() const { return pe_.n_pes(); }
    pe& of() const { return pe_; }
    gpu::wave wave() const { return w_; }

    gpu::task<> create(unsigned number);
    gpu::task<> destroy();

    // ---- remote memory access; n elements. put and get return when the source may be changed, or has arrived.
    template <gpu::element T> gpu::task<> put(gpu::array<T> dest, gpu::array<T> source, std::size_t n, unsigned to) {
        return move("put", dest.address(), source.address(), n * sizeof(T), to, true);
    }
    template <gpu::element T>
    gpu::task<> put_nbi(gpu::array<T> dest, gpu::array<T> source, std::size_t n, unsigned to) {
        return move("put_nbi", dest.address(), source.address(), n * sizeof(T), to, false);
    }
    template <gpu::element T> gpu::task<> get(gpu::array<T> dest, gpu::array<T> source, std::size_t n, unsigned from) {
        return fetch("get", dest.address(), source.address(), n * sizeof(T), from, true);
    }
    template <gpu::element T>
    gpu::task<> get_nbi(gpu::array<T> dest, gpu::array<T> source, std::size_t n, unsigned from) {
        return fetch("get_nbi", dest.address(), source.address(), n * sizeof(T), from, false);
    }
    // The first element of dest becomes the value, which travels in the entry.
    template <gpu::element T> gpu::task<> p(gpu::array<T> dest, std::type_identity_t<T> value, unsigned to) {
        return put_value("p", dest.address(), raw(value), sizeof(T), to, 1);
    }
    template <gpu::element T> gpu::task<T> g(gpu::array<T> source, unsigned from) {
        const std::uint64_t got = co_await get_value(source.address(), sizeof(T), from);
        co_return cooked<T>(got);
    }

    // ---- atomic operations on the first element
    template <atomic_word T>
    gpu::task<T> atomic_fetch_add(gpu::array<T> dest, std::type_identity_t<T> value, unsigned at) {
        const std::uint64_t old = co_await atomic("atomic_fetch_add", dest.address(), at, add, raw(value), 0);
        co_return cooked<T>(old);
    }
    template <atomic_word T>
    gpu::task<T> atomic_compare_swap(gpu::array<T> dest, std::type_identity_t<T> cond, std::type_identity_t<T> value,
                                     unsigned at) {
        const std::uint64_t old =
            co_await atomic("atomic_compare_swap", dest.address(), at, compare_swap, raw(value), raw(cond));
        co_return cooked<T>(old);
    }
    template <atomic_word T> gpu::task<T> atomic_fetch(gpu::array<T> source, unsigned at) {
        const std::uint64_t old = co_await atomic("atomic_fetch", source.address(), at, add, 0, 0);
        co_return cooked<T>(old);
    }
    // An aligned write of 8 bytes is not divided.
    template <atomic_word T> gpu::task<> atomic_set(gpu::array<T> dest, std::type_identity_t<T> value, unsigned at) {
        return put_value("atomic_set", dest.address(), raw(value), sizeof(T), at, sizeof(T));
    }

    // ---- order and synchronisation
    // Puts to a PE before it are visible there before those after it. They are handed over; the first one after it has
    // the message for that in front, so that both need one doorbell.
    gpu::task<> fence();
    // Not in OpenSHMEM: what has been put or asked for is on its way, for a kernel that now computes, or looks into
    // memory by itself, without a call that does so.
    gpu::task<> submit();
    // All operations of this context are complete, and all its puts visible everywhere.
    gpu::task<> quiet();
    template <std::integral T> gpu::task<> wait_until(gpu::array<T> ivar, cmp how, std::type_identity_t<T> value) {
        return await_variable(ivar.address(), sizeof(T), std::is_signed_v<T>, how, static_cast<std::int64_t>(value));
    }
    template <std::integral T> gpu::task<bool> test(gpu::array<T> ivar, cmp how, std::type_identity_t<T> value) {
        return test_variable(ivar.address(), sizeof(T), std::is_signed_v<T>, how, static_cast<std::int64_t>(value));
    }

    // Of the first wavefront, for collectives: another wavefront gets it too.
    gpu::task<std::uint64_t> share(std::uint64_t value);
    bool leader() const { return w_.wave_in_cta() == 0; }
    // All wavefronts are here. Their stores are in memory, too.
    gpu::task<> join();
    [[noreturn]] void refuse(const char* operation, const std::string& what) const;

private:
    static constexpr nic::work_opcode add = nic::work_opcode::fetch_add, compare_swap = nic::work_opcode::compare_swap;
    // Of a queue, in the scratchpad: counts of entries since it was opened, modulo 2^32, and which places of the ring
    // do not have the template's length.
    enum counter : unsigned { produced, rung, completed, told, last_put, last_fence, fence_due, getting, counters };

    template <class T> static std::uint64_t raw(T value) {
        std::uint64_t word = 0;
        std::memcpy(&word, &value, sizeof value);
        return word;
    }
    template <class T> static T cooked(std::uint64_t word) {
        T value;
        std::memcpy(&value, &word, sizeof value);
        return value;
    }

    gpu::task<> move(const char* operation, std::uint64_t dest, std::uint64_t source, std::uint64_t bytes, unsigned to,
                     bool blocking);
    gpu::task<> fetch(const char* operation, std::uint64_t dest, std::uint64_t source, std::uint64_t bytes,
                      unsigned from, bool blocking);
    gpu::task<> put_value(const char* operation, std::uint64_t dest, std::uint64_t word, unsigned bytes, unsigned to,
                          unsigned alignment);
    gpu::task<std::uint64_t> get_value(std::uint64_t source, unsigned bytes, unsigned from);
    gpu::task<std::uint64_t> atomic(const char* operation, std::uint64_t at, unsigned pe, nic::work_opcode what,
                                    std::uint64_t operand, std::uint64_t compare);
    gpu::task<> await_variable(std::uint64_t address, unsigned bytes, bool is_signed, cmp how, std::int64_t value);
    gpu::task<bool> test_variable(std::uint64_t address, unsigned bytes, bool is_signed, cmp how, std::int64_t value);

    // The remaining ones are the first wavefront's.
    gpu::task<> write_entry(unsigned to, nic::work_entry e);
    gpu::task<> await_store();
    // What has been written since the last one is handed to the NIC, in all queues.
    gpu::task<> ring();
    gpu::task<> ring_full_batch(unsigned to);
    bool unrung(unsigned to) { return to != my_pe() && of_queue(to, rung) != of_queue(to, produced); }
    gpu::task<> invalidate();
    gpu::task<> flush_results();
    // What orders the puts so far before what follows: for one PE, if there are any.
    gpu::task<> write_fence(unsigned to);
    gpu::task<> write_due_fence(unsigned to);
    // Until entry n of the queue to that PE is complete.
    gpu::task<> complete(unsigned to, std::uint32_t n);
    gpu::task<> check_queue(unsigned to, std::uint32_t n);
    gpu::task<> fail_completion(unsigned to, std::uint32_t n, nic::work_status seen);
    gpu::task<> copy_locally(std::uint64_t dest, std::uint64_t source, std::uint64_t bytes);
    gpu::task<std::int64_t> look(std::uint64_t address, unsigned bytes, bool is_signed);

    void check_open(const char* operation) const;
    std::uint64_t check_remote(const char* operation, const char* what, std::uint64_t address, std::uint64_t bytes,
                               unsigned pe) const;
    std::uint64_t check_local(const char* operation, const char* what, std::uint64_t address,
                              std::uint64_t bytes) const;
    std::string self() const;
    // The first wavefront begins when all are here, and the others go on when it has ended.
    gpu::task<> enter(const char* operation);
    gpu::task<> leave();
    std::uint32_t& of_queue(unsigned to, counter c) { return state_[1 + to * words_ + c]; }
    std::uint32_t& changed_of(unsigned to, std::size_t place) {
        return state_[1 + to * words_ + counters + place / 32];
    }
    const queue_addresses& queue(unsigned to) const { return pe_.where().queues[number() * n_pes() + to]; }
    unsigned number() const { return state_[0] - 1; }

    pe& pe_;
    gpu::wave w_;
    const std::size_t words_;            // of a queue
    std::span<std::uint32_t> state_;     // [1 + context's number][queue to PE 0][queue to PE 1]...
    std::span<std::uint64_t> exchange_;  // one word, from the first wavefront to the others
    unsigned unrung_ = 0;                // queues with entries for which nobody has rung
};

}  // namespace contraflow::shmem
