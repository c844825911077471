// SPDX-License-Identifier: Apache-2.0
// A processing element: a GPU with its NIC, as its kernels and the host's program know it. The job (job.h) fills in the
// addresses.
//
//   symmetric heap: NIC's address = base + offset, the same on every PE
//     [library's own | uncached pages][cached pages][control page of the path block]
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/scheduler.h"
#include "core/waiting.h"
#include "gpu/kernel/device_memory.h"
#include "shmem/shmem_spec.h"
#include "shmem/symmetric_heap.h"

namespace contraflow::shmem {

// How wait_until compares.
enum class cmp : std::uint8_t { eq, ne, gt, ge, lt, le };

// A queue pair of a context, to one other PE.
struct queue_addresses {
    gpu::array<std::uint64_t> entries, completions;  // 8 words each
    gpu::array<std::uint64_t> registers;             // the first ones of the NIC's page of the queue pair
    std::uint32_t number = 0;                        // the NIC's
    bool by_helper = false;                          // both are in the host's memory, and there are no registers
};

inline constexpr unsigned entry_words = 8;            // of 8 bytes, of an entry and of a completion
inline constexpr unsigned completions_per_entry = 2;  // places in their rings
// 8-byte words of a synchronisation array for so many PEs (collectives.h).
constexpr std::size_t sync_words(unsigned pes) { return 1 + 16 + pes; }

struct pe_addresses {
    unsigned rank = 0, pes = 1;
    std::uint64_t base = 0;                      // NIC's address of the heap
    gpu::array<std::uint8_t> heap, cached_heap;  // addresses of this GPU
    gpu::array<std::uint64_t> control;           // page of the own path block
    std::uint32_t key = 0;                       // of the own heap
    std::vector<std::uint32_t> remote_keys;      // by PE: of the others' heaps and control pages
    std::vector<queue_addresses> queues;         // context * pes + PE; none to itself
    gpu::array<std::uint64_t> owners;            // by context: 1 + the workgroup that has it, or 0
    gpu::array<std::uint32_t> records;           // by queue: its state between kernels
    gpu::array<std::uint64_t> results;           // by context, 8 words: what g and atomics get
    gpu::array<std::uint64_t> sync;              // of barrier_all and sync_all
};

// A look that is repeated until it finds what it waits for. Lives as long as it waits, for reports of waits only.
struct wait_note {
    enum class kind : std::uint8_t { completion, variable };
    kind what = kind::completion;
    unsigned context = 0;
    unsigned pe = 0;  // completion: of an entry in the queue to that PE
    std::uint32_t entry = 0;
    std::uint64_t address = 0;  // variable: of this GPU
    unsigned bytes = 0;
    cmp how = cmp::eq;
    std::int64_t value = 0;
    core::sim_time since{};
};

// Moments of a put at its software, in this order; reports show what is between them.
enum class moment : std::uint8_t {
    called,
    stored,       // the entry is in memory
    invalidated,  // the path block is
    rung,         // the doorbell has been stored
    taken,        // a thread of the host has the entry; or the host's program begins to write it
    posted,       // it is in the thread's own queue, and the doorbell rung
    answered,     // the thread has written the completion
    seen          // the completion is
};
class moment_observer_if {
public:
    virtual void reached(moment m, unsigned context, unsigned to) = 0;

protected:
    ~moment_observer_if() = default;
};

class pe {
public:
    pe(core::scheduler& events, gpu::device_memory& memory, symmetric_heap& heap, symmetric_heap& cached, const spec& s,
       pe_addresses where)
        : events_(events),
          memory_(memory),
          heap_(heap),
          cached_heap_(cached),
          spec_(s),
          at_(std::move(where)) {}
    pe(const pe&) = delete;
    pe& operator=(const pe&) = delete;

    unsigned my_pe() const { return at_.rank; }
    unsigned n_pes() const { return at_.pes; }

    // ---- host side. shmem_malloc, shmem_free: every PE makes the same calls. Contents are not set to anything.
    template <gpu::element T>
    gpu::array<T> malloc(std::size_t count, memory::memory_type pages = memory::memory_type::uncached) {
        const bool cached = pages == memory::memory_type::cached;
        const std::uint64_t at = (cached ? cached_heap_ : heap_).allocate(at_.rank, count * sizeof(T));
        return {address_of(at), count};
    }
    template <gpu::element T> void free(const gpu::array<T>& a) { release(a.address()); }
    gpu::device_memory& memory() { return memory_; }

    // ---- kernels
    const pe_addresses& where() const { return at_; }
    const spec& configuration() const { return spec_; }
    // The offset in the heap, if all those bytes are in one of its parts; otherwise none.
    static constexpr std::uint64_t not_symmetric = ~std::uint64_t{0};
    std::uint64_t offset_of(std::uint64_t address, std::uint64_t bytes) const {
        if (address - at_.heap.address() < at_.heap.size())
            return within(address - at_.heap.address(), bytes, at_.heap.size(), 0);
        if (address - at_.cached_heap.address() < at_.cached_heap.size())
            return within(address - at_.cached_heap.address(), bytes, at_.cached_heap.size(), at_.heap.size());
        return not_symmetric;
    }
    std::uint64_t address_of(std::uint64_t offset) const {
        return offset < at_.heap.size() ? at_.heap.address() + offset
                                        : at_.cached_heap.address() + (offset - at_.heap.size());
    }
    // NIC's addresses.
    std::uint64_t control_page() const { return at_.base + at_.heap.size() + at_.cached_heap.size(); }
    std::string heap_text() const;

    // ---- reports
    core::sim_time now() const { return events_.now(); }
    // Is told of the moments of all contexts, and of the threads that serve them; null: nobody is.
    void set_observer(moment_observer_if* observer) { observer_ = observer; }
    void reached(moment m, unsigned context, unsigned to) const {
        if (observer_ != nullptr) observer_->reached(m, context, to);
    }
    // A kernel that is still waiting when all is taken down outlives its PE, so both own the list.
    using wait_list = std::vector<const wait_note*>;
    const std::shared_ptr<wait_list>& waits() const { return waits_; }
    // What entry `number` of the queue to that PE is, from its ring: "put of 8 bytes to PE 1 (entry 3 of queue pair
    // 1)".
    std::string entry_text(unsigned context, unsigned to, std::uint32_t number) const;
    std::string wait_text(const wait_note& n) const;

private:
    static std::uint64_t within(std::uint64_t offset, std::uint64_t bytes, std::uint64_t size, std::uint64_t first) {
        return bytes <= size - offset ? first + offset : not_symmetric;
    }
    void release(std::uint64_t address);

    core::scheduler& events_;
    gpu::device_memory& memory_;
    symmetric_heap &heap_, &cached_heap_;
    const spec spec_;
    const pe_addresses at_;
    const std::shared_ptr<wait_list> waits_ = std::make_shared<wait_list>();
    moment_observer_if* observer_ = nullptr;
};

}  // namespace contraflow::shmem
