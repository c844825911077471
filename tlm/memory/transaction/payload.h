// SPDX-License-Identifier: Apache-2.0
// A generic payload with room for a line of data and our extension in one block of memory, and the pool that manages it
// and byte enables: free ones are used again, and the pool only ever grows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <typeinfo>
#include <vector>

#include <tlm>

#include "core/host_memory.h"
#include "memory/transaction/memory_extension.h"

namespace contraflow::memory {

class payload_pool;

// Nine lines of the host's cache, of which a read of 64 bytes that stays in its socket touches four: 0, 2, 3 and 6.
//   0     attributes
//   1     further extensions, which nobody looks at unless the program has a type of them
//   2, 3  references; our extension: queue, policy, requester, five marks of the route, times by stage in one socket
//   4, 5  its other stages and marks, and what copies and comparing atomic operations need
//   6, 7  data
//   8     where its byte enables are, which it has only while they are in use
class alignas(64) payload final : public tlm::tlm_generic_payload {
public:
    static constexpr unsigned max_bytes = 128;

    explicit payload(payload_pool& home);
    ~payload() override;

    memory_extension& extension() { return extension_; }
    const memory_extension& extension() const { return extension_; }
    std::uint8_t* bytes() { return bytes_.data(); }
    // Room for as many, from the first call until it is given back. Their values are not known then.
    std::uint8_t* enables() { return has_enables_ ? enables_ : take_enables(); }

    // Sets every attribute, for up to max_bytes that are, or will be, in bytes(); all are enabled.
    void read(std::uint64_t address, unsigned length) { set(tlm::TLM_READ_COMMAND, address, length); }
    void write(std::uint64_t address, unsigned length) { set(tlm::TLM_WRITE_COMMAND, address, length); }
    void modify(std::uint64_t address, unsigned length, const atomic_request& what) {
        set(tlm::TLM_IGNORE_COMMAND, address, length);
        extension_.modify(what);
    }
    // enables() has TLM_BYTE_ENABLED or TLM_BYTE_DISABLED for each byte of data.
    void use_enables() {
        set_byte_enable_ptr(enables());
        set_byte_enable_length(get_data_length());
    }
    void use_enables(const std::uint8_t* values) {
        std::memcpy(enables(), values, get_data_length());
        use_enables();
    }

private:
    friend class payload_pool;
    friend struct payload_layout;
    void set(tlm::tlm_command command, std::uint64_t address, unsigned length);
    std::uint8_t* take_enables();

    bool has_enables_ = false;
    memory_extension extension_;
    alignas(64) std::array<std::uint8_t, max_bytes> bytes_;
    std::uint8_t* enables_ = nullptr;
    payload_pool& home_;
};

// Most transactions are our own payloads: they have their extension without a search.
inline memory_extension* extension_of(tlm::tlm_generic_payload& of) {
    if (typeid(of) == typeid(payload)) return &static_cast<payload&>(of).extension();
    return of.get_extension<memory_extension>();
}

class payload_pool : public tlm::tlm_mm_interface {
public:
    payload_pool() = default;
    ~payload_pool() override;
    payload_pool(const payload_pool&) = delete;
    payload_pool& operator=(const payload_pool&) = delete;

    // With one reference, the caller's. Its extension is clear.
    payload& take();
    // The same as p.release(), and faster; p is of this pool.
    void release(payload& p) {
        if (p.get_ref_count() == 1)
            put(p);
        else
            p.release();
    }
    std::uint64_t taken() const { return taken_; }
    std::uint64_t in_flight() const { return taken_ - freed_; }
    std::size_t size() const { return made_; }
    std::size_t enables_size() const { return enables_made_; }  // payloads with byte enables at once, at most

    // Lends a foreign transaction an extension, and takes it back.
    memory_extension& lend(tlm::tlm_generic_payload& to);
    void take_back(memory_extension& lent);
    std::uint64_t lent() const { return lent_; }

    void free(tlm::tlm_generic_payload* done) override;

private:
    static constexpr std::size_t in_a_block = 32;
    struct place {
        alignas(payload) std::array<std::byte, sizeof(payload)> room;
    };
    union enables_place {
        enables_place* next;
        std::array<std::uint8_t, payload::max_bytes> enables;
    };
    template <class T> struct block {
        core::host_memory memory{in_a_block * sizeof(T)};
        T* first = memory.take<T>(in_a_block);
    };
    std::byte* place_of(std::size_t n) { return blocks_[n / in_a_block].first[n % in_a_block].room.data(); }
    void put(payload& p);

    friend class payload;
    std::uint8_t* take_enables();
    void put_enables(std::uint8_t* unused);

    std::vector<block<place>> blocks_;
    std::vector<block<enables_place>> enables_blocks_;
    std::size_t enables_made_ = 0;
    enables_place* free_enables_ = nullptr;
    std::size_t made_ = 0;
    std::deque<memory_extension> extensions_;
    memory_extension* free_payloads_ = nullptr;  // by their extensions
    memory_extension* free_extensions_ = nullptr;
    std::uint64_t taken_ = 0;
    std::uint64_t freed_ = 0;
    std::uint64_t lent_ = 0;
};

}  // namespace contraflow::memory
