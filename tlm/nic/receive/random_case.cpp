// SPDX-License-Identifier: Apache-2.0
#include "nic/receive/random_case.h"

#include <algorithm>
#include <map>
#include <random>

namespace contraflow::nic {

receive_case random_receive_case(std::uint64_t seed, unsigned packets, bool wide) {
    std::mt19937_64 random(seed);
    const auto below = [&](std::uint64_t n) { return random() % n; };
    const auto once_in = [&](std::uint64_t n) { return below(n) == 0; };
    receive_case c;
    c.name = "random " + std::to_string(seed);
    const auto any_position = [&] {
        return position{static_cast<std::uint8_t>(below(32)), static_cast<std::uint8_t>(below(32)),
                        static_cast<std::uint8_t>(below(32))};
    };
    c.node = any_position();
    c.max_payload = 64u << below(7);

    // Creates tables as buffers need them; some pages are left out.
    std::map<std::uint64_t, std::uint64_t> tables;
    std::uint64_t next_table = 0x10000;
    const auto enter = [&](const buffer_entry& b, std::uint64_t address) {
        std::uint64_t table = b.root;
        const std::uint64_t number = address >> page_bits(b.space);
        for (unsigned level = 0; level + 1 < table_levels; ++level) {
            std::uint64_t& entry = tables[entry_address(b.space, table, number, level)];
            if (entry == 0) {
                if (wide) next_table = random() & ~0x7fffull;
                entry = (next_table += 0x8000) | (once_in(40) ? 0 : 1);
                if (wide) entry |= below(0x800) << 1;
            }
            table = nic::next_table(entry);
        }
        std::uint64_t& entry = tables[entry_address(b.space, table, number, 2)];
        if (entry == 0 && !once_in(12))
            entry = of_gpu(b.space) ? below(1 << 20) << 16 | below(3) << 1 | 1 : below(1 << 24) << 12 | 1;
        if (wide && entry != 0) entry = random() | 1;
    };
    const auto buffers = 1 + below(12);
    std::uint64_t roots[] = {0x1000'0000, 0x2000'0000, 0x3000'0000}, gpu_roots = 0x8000'0000, where = 0x7f00'0000'0000;
    std::uint16_t processes = 0;
    if (wide) {
        for (std::uint64_t& root : roots) root = random();
        gpu_roots = random();
        where = random() & (address_space - 1) & ~0xf'ffffull;
        processes = static_cast<std::uint16_t>(random() & 0xfff8);
    }
    for (unsigned i = 0; i < buffers; ++i) {
        buffer_entry b;
        b.valid = !once_in(8);
        b.process = static_cast<std::uint16_t>(processes + 1 + below(3));
        b.space = static_cast<memory_space>(below(1 + most_gpus));
        // Close together, so that buffers overlap; one may end with the address space.
        b.base = once_in(10) ? address_space - 1 - below(1 << 17) : (where + below(1 << 18));
        b.length = 1 + below(1 << 17);
        b.writable = !once_in(6);
        b.root = (of_gpu(b.space) ? gpu_roots : 0) + roots[below(3)];
        b.ring = static_cast<std::uint8_t>(below(16));
        c.buffers.emplace_back(static_cast<unsigned>(i * 5 % 64), b);
        const std::uint64_t end = std::min(b.base + b.length, address_space);
        for (std::uint64_t a = b.base; a < end; a += 4096) enter(b, a);
        enter(b, end - 1);
    }
    c.tables.assign(tables.begin(), tables.end());

    for (unsigned i = 0; i < packets; ++i) {
        const buffer_entry& b = c.buffers[below(c.buffers.size())].second;
        packet_header h;
        h.kind = once_in(12) ? 1 : 0;
        h.length = static_cast<std::uint16_t>(h.kind == 1 ? 16 : once_in(3) ? 1 + below(4096) : 1 + below(300));
        h.process = once_in(15) ? static_cast<std::uint16_t>(processes + below(5)) : b.process;
        const std::uint64_t slack = b.length > h.length ? b.length - h.length : 1;
        h.address =
            once_in(12) ? (b.base + b.length - 1 - below(h.length)) & (address_space - 1) : b.base + below(slack);
        h.address &= address_space - 1;
        h.tag = static_cast<std::uint16_t>(below(4096));
        h.notify = once_in(2);
        h.source = any_position();
        h.target = once_in(25) ? any_position() : c.node;
        if (once_in(40)) h.length = static_cast<std::uint16_t>(once_in(2) ? 0 : 4097 + below(4000));
        if (once_in(40)) h.kind = static_cast<std::uint8_t>(below(8));
        if (once_in(40)) h.reserved = static_cast<std::uint8_t>(below(32));
        std::vector<std::uint8_t> payload(std::min<std::size_t>(h.length, once_in(80) ? 4200 : 4096));
        if (once_in(40)) payload.resize(payload.size() + 16 * below(3));
        for (auto& byte : payload) byte = static_cast<std::uint8_t>(random());
        auto words = packet_words(h, payload);
        if (once_in(25)) words[below(words.size() - 12)] ^= static_cast<std::uint8_t>(1u << below(8));
        if (once_in(50)) words.resize(16 * below(3));
        c.packets.push_back(std::move(words));
    }
    return c;
}

}  // namespace contraflow::nic
