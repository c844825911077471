// SPDX-License-Identifier: Apache-2.0
// The host's view of device memory: allocation, and access that takes no simulated time and disturbs no cache. Reads
// see the writes of all kernels that have ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "gpu/kernel/array.h"
#include "memory/vm/translation.h"

namespace contraflow::gpu {

class device_memory {
public:
    virtual ~device_memory() = default;

    // Contents are 0 until written. An array begins on a page, so that placement of one doesn't touch another's.
    template <element T> array<T> allocate(std::size_t count, memory::memory_type type = memory::memory_type::cached) {
        const std::size_t bytes = count * sizeof(T);
        return {type == memory::memory_type::uncached ? reserve_uncached(bytes) : reserve(bytes), count};
    }
    template <element T> array<T> upload(const std::vector<T>& contents) {
        const array<T> a = allocate<T>(contents.size());
        write(a, contents);
        return a;
    }

    template <element T> void write(array<T> a, const std::vector<T>& values) {
        if (values.size() > a.size()) refuse(values.size(), a.size());
        write_bytes(a.address(), std::as_bytes(std::span(values)));
    }
    template <element T> void write(array<T> a, std::size_t i, T value) {
        if (i >= a.size()) refuse(i + 1, a.size());
        write_bytes(a.address(i), std::as_bytes(std::span(&value, 1)));
    }
    template <element T> void fill(array<T> a, T value) { write(a, std::vector<T>(a.size(), value)); }
    template <element T> std::vector<T> read(array<T> a) const {
        std::vector<T> values(a.size());
        read_bytes(a.address(), std::as_writable_bytes(std::span(values)));
        return values;
    }
    template <element T> T read(array<T> a, std::size_t i) const {
        if (i >= a.size()) refuse(i + 1, a.size());
        T value;
        read_bytes(a.address(i), std::as_writable_bytes(std::span(&value, 1)));
        return value;
    }

    // Reserves that many new bytes at the start of a page and returns their virtual address.
    virtual std::uint64_t reserve(std::size_t bytes) = 0;
    // The same in pages that no cache keeps lines of. A machine without such pages throws std::logic_error.
    virtual std::uint64_t reserve_uncached(std::size_t /*bytes*/) {
        throw std::logic_error("this machine has no uncached memory");
    }
    // Sets the rights of kernels to the array that begins there. With `none`, nobody can access it any more, not even
    // the host. Returns false if this machine has no rights; nothing has changed then.
    virtual bool protect(std::uint64_t /*address*/, memory::access_rights) { return false; }
    virtual void write_bytes(std::uint64_t address, std::span<const std::byte> from) = 0;
    virtual void read_bytes(std::uint64_t address, std::span<std::byte> to) const = 0;

private:
    [[noreturn]] static void refuse(std::size_t wanted, std::size_t size) {
        throw std::out_of_range(fmt::format("host access to element {} of an array of {}", wanted - 1, size));
    }
};

}  // namespace contraflow::gpu
