// SPDX-License-Identifier: Apache-2.0
#include "gpu/compute_unit/coalescer.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace contraflow::gpu {
namespace {

mask threads_in_line(const wave_access& a, mask left, std::uint64_t line, std::uint64_t line_mask) {
    mask::bits_type bits = 0;
    const bool wide = (left.bits() >> wave_block) != 0;
    for_wave_blocks(wide ? max_wave_width : wave_block, [&](unsigned first) {
        std::uint32_t part = 0;
        for (unsigned i = 0; i < wave_block; ++i)
            part |= static_cast<std::uint32_t>((a.address[first + i] & line_mask) == line) << i;
        bits |= mask::bits_type{part} << first;
    });
    return mask(bits) & left;
}

// For each element, the lowest thread that names it.
mask first_of_each_element(const wave_access& a, mask threads) {
    mask chosen;
    std::uint64_t taken = 0;  // elements of the line that have a thread
    for (mask m = threads; m.any(); m = m.without_lowest()) {
        const unsigned i = m.lowest();
        const std::uint64_t place = std::uint64_t{1} << ((a.address[i] & (memory::payload::max_bytes - 1)) / 4);
        if ((taken & place) != 0) continue;
        taken |= place;
        chosen |= mask::thread(i);
    }
    return chosen;
}

bool are_neighbours(mask threads) {
    const mask::bits_type run = threads.bits() >> threads.lowest();
    return (run & (run + 1)) == 0;
}

}  // namespace

void find_range(wave_access& a) {
    const unsigned first = a.active.lowest(), count = a.active.count();
    const std::uint64_t base = a.address[first];
    a.in_row = false;
    if (are_neighbours(a.active)) {
        std::uint64_t wrong = 0;
        for (unsigned i = 0; i < count; ++i)
            wrong |= a.address[first + i] ^ (base + i * std::uint64_t{a.element_bytes});
        a.in_row = wrong == 0;
    }
    a.begin = base;
    std::uint64_t last = base;
    if (a.in_row) {
        last = a.address[first + count - 1];
    } else {
        for (mask m = a.active; m.any(); m = m.without_lowest()) {
            a.begin = std::min(a.begin, a.address[m.lowest()]);
            last = std::max(last, a.address[m.lowest()]);
        }
    }
    a.end = last + a.element_bytes;
}

line_request next_line(const wave_access& a, mask left, std::uint64_t line_bytes) {
    const unsigned lead = left.lowest();
    const std::uint64_t line_mask = ~(line_bytes - 1);
    line_request r;
    if (a.in_row && a.kind != access_kind::atomic && a.address[lead] % a.element_bytes == 0 && are_neighbours(left)) {
        const std::uint64_t room = (line_bytes - (a.address[lead] & ~line_mask)) / a.element_bytes;
        const unsigned count = std::min<unsigned>(left.count(), static_cast<unsigned>(room));
        r.threads = mask(mask::first(count).bits() << lead);
        r.dense = true;
        r.address = a.address[lead];
        r.length = count * a.element_bytes;
        return r;
    }
    r.threads = threads_in_line(a, left, a.address[lead] & line_mask, line_mask);
    if (a.kind == access_kind::atomic)
        r.threads =
            a.op == memory::atomic_op::compare_exchange ? mask::thread(lead) : first_of_each_element(a, r.threads);
    std::uint64_t low = a.address[lead];
    std::uint64_t high = low;
    std::uint64_t expected = low;
    unsigned expected_value = lead;
    std::uint64_t all_bits = 0;
    r.dense = true;
    for (mask m = r.threads; m.any(); m = m.without_lowest()) {
        const unsigned i = m.lowest();
        const std::uint64_t at = a.address[i];
        r.dense &= at == expected && i == expected_value;
        expected += a.element_bytes;
        ++expected_value;
        all_bits |= at;
        if (at < low) low = at;
        if (at > high) high = at;
    }
    r.misaligned = (all_bits & (a.element_bytes - 1u)) != 0;
    r.address = low;
    r.length = static_cast<unsigned>(high - low) + a.element_bytes;
    return r;
}

void fill_payload(memory::payload& p, std::uint64_t physical, const wave_access& a, const line_request& r) {
    if (a.kind == access_kind::load) {
        p.read(physical, r.length);
        return;
    }
    if (a.kind == access_kind::atomic)
        p.modify(physical, r.length, a.atomic_of(r.threads.lowest()));
    else
        p.write(physical, r.length);
    if (r.dense) {
        std::memcpy(p.bytes(), a.data_of(r.threads.lowest()), r.length);
        return;
    }
    std::memset(p.bytes(), 0, r.length);
    std::array<std::uint8_t, memory::payload::max_bytes> enables;
    std::memset(enables.data(), TLM_BYTE_DISABLED, r.length);
    for (mask m = r.threads; m.any(); m = m.without_lowest()) {
        const unsigned i = m.lowest();
        const auto offset = static_cast<std::size_t>(a.address[i] - r.address);
        std::memcpy(p.bytes() + offset, a.data_of(i), a.element_bytes);
        std::memset(enables.data() + offset, TLM_BYTE_ENABLED, a.element_bytes);
    }
    if (std::memchr(enables.data(), TLM_BYTE_DISABLED, r.length) != nullptr) p.use_enables(enables.data());
}

void take_data(memory::payload& p, wave_access& a, const line_request& r) {
    if (a.kind == access_kind::store) return;
    if (r.dense) {
        std::memcpy(a.data_of(r.threads.lowest()), p.bytes(), r.length);
        return;
    }
    for (mask m = r.threads; m.any(); m = m.without_lowest()) {
        const unsigned i = m.lowest();
        std::memcpy(a.data_of(i), p.bytes() + (a.address[i] - r.address), a.element_bytes);
    }
}

}  // namespace contraflow::gpu
