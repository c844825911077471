// SPDX-License-Identifier: Apache-2.0
#include "nic/receive_reference.h"

#include <algorithm>
#include <set>

namespace contraflow::testing {
namespace {

using namespace contraflow::nic;

// Bits of a word, read directly from its bytes.
std::uint64_t bits(const std::vector<std::uint8_t>& words, unsigned low, unsigned high) {
    std::uint64_t value = 0;
    for (unsigned i = high + 1; i-- > low;) value = value << 1 | (words[i / 8] >> i % 8 & 1u);
    return value;
}

// CRC-32 bit by bit.
std::uint32_t crc_of(const std::vector<std::uint8_t>& bytes, std::size_t count) {
    std::uint32_t crc = ~0u;
    for (std::size_t i = 0; i < count; ++i) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0u);
    }
    return ~crc;
}

struct place {
    std::uint64_t page = 0;
    std::uint16_t token = 0;
};

class machine {
public:
    explicit machine(const receive_case& c) : case_(c) {
        for (const auto& [address, value] : c.tables) memory_[address] = value;
        for (const auto& [index, b] : c.buffers) buffers_[index] = b;
    }

    receive_result run() {
        for (const auto& words : case_.packets) packet(words);
        return result_;
    }

private:
    std::optional<place> translate(const buffer_entry& b, std::uint64_t address) const {
        const bool host = b.space == memory_space::host;
        const std::uint64_t page = host ? address >> 12 : address >> 16;
        const std::uint64_t indices[3] = {host ? page >> 24 & 0xfff : page >> 22 & 0x3ff,
                                          host ? page >> 12 & 0xfff : page >> 11 & 0x7ff,
                                          host ? page & 0xfff : page & 0x7ff};
        std::uint64_t table = b.root, entry = 0;
        for (const std::uint64_t index : indices) {
            const auto at = memory_.find(table + 8 * index);
            entry = at == memory_.end() ? 0 : at->second;
            if (entry % 2 == 0) return {};
            table = entry / 4096 * 4096;
        }
        if (host) return place{entry / 4096 * 4096, 0};
        return place{entry / 65536 * 65536, static_cast<std::uint16_t>(entry / 2 % 32768)};
    }

    void packet(const std::vector<std::uint8_t>& words) {
        const std::size_t count = words.size() / 16;
        const auto field = [&](unsigned low, unsigned high) { return count == 0 ? 0 : bits(words, low, high); };
        const auto node = [&](unsigned low) {
            return position{static_cast<std::uint8_t>(field(low, low + 4)),
                            static_cast<std::uint8_t>(field(low + 5, low + 9)),
                            static_cast<std::uint8_t>(field(low + 10, low + 14))};
        };
        const std::uint64_t length = field(0, 12), kind = field(13, 15), address = field(32, 79);
        const auto process = static_cast<std::uint16_t>(field(16, 31));
        const auto tag = static_cast<std::uint16_t>(field(80, 91));
        const position source = node(96);
        const auto drop = [&](drop_reason why) {
            result_.actions.push_back(drop_action{why, process, tag, source});
            ++result_.counters.drops[static_cast<unsigned>(why)];
        };
        if (count < 2 || count > 258) return drop(drop_reason::framing);
        const std::size_t footer = words.size() - 16;
        const std::uint32_t crc = words[footer] | words[footer + 1] << 8 | words[footer + 2] << 16 |
                                  static_cast<std::uint32_t>(words[footer + 3]) << 24;
        if (crc_of(words, footer) != crc) return drop(drop_reason::crc);
        if (kind > 1 || field(93, 95) != 0 || field(126, 127) != 0) return drop(drop_reason::header);
        if (length == 0 || length > 4096 || (kind == 1 && length != 16)) return drop(drop_reason::length);
        if (count != 2 + (length + 15) / 16) return drop(drop_reason::framing);
        if (node(111) != case_.node) return drop(drop_reason::misrouted);
        const std::vector<std::uint8_t> payload(words.begin() + 16, words.begin() + 16 + static_cast<long>(length));
        if (kind == 1) {
            result_.actions.push_back(mailbox_message{process, tag, source, address, payload});
            ++result_.counters.mailbox;
            return;
        }
        const buffer_entry* buffer = nullptr;
        for (const auto& [index, b] : buffers_) {  // in order of index
            if (buffer != nullptr || !b.valid || b.process != process) continue;
            if (b.base <= address && address < b.base + b.length) buffer = &b;
        }
        if (buffer == nullptr) return drop(drop_reason::no_buffer);
        const std::uint64_t end = address + length;
        if (end > (std::uint64_t{1} << 48) || end > buffer->base + buffer->length) return drop(drop_reason::bounds);
        if (!buffer->writable) return drop(drop_reason::access);
        std::vector<place> bytes;  // the place of each byte
        const std::uint64_t page_size = buffer->space == memory_space::host ? 4096 : 65536;
        for (std::uint64_t a = address; a < end; ++a) {
            if (!bytes.empty() && a % page_size != 0) {
                bytes.push_back(bytes.back());
                continue;
            }
            const auto found = translate(*buffer, a);
            if (!found) return drop(drop_reason::translation);
            bytes.push_back(*found);
        }
        for (std::uint64_t done = 0; done < length;) {
            const place& at = bytes[done];
            const std::uint64_t physical = at.page + (address + done) % page_size;
            if (buffer->space != memory_space::host) {
                const auto window = windows_.find(buffer->space);
                if (window == windows_.end() || window->second.page != at.page || window->second.token != at.token) {
                    result_.actions.push_back(window_move{buffer->space, {at.page, at.token}});
                    windows_[buffer->space] = at;
                }
            }
            std::uint64_t size = 1;
            while (done + size < length && (physical + size) % case_.max_payload != 0) ++size;
            result_.actions.push_back(data_write{
                buffer->space,
                physical,
                {payload.begin() + static_cast<long>(done), payload.begin() + static_cast<long>(done + size)}});
            done += size;
        }
        ++result_.counters.accepted;
        result_.counters.bytes += length;
        if (field(92, 92) != 0)
            result_.actions.push_back(
                completion_event{buffer->ring, process, tag, source, address, static_cast<std::uint32_t>(length)});
    }

    const receive_case& case_;
    std::map<std::uint64_t, std::uint64_t> memory_;
    std::map<unsigned, buffer_entry> buffers_;
    std::map<memory_space, place> windows_;
    receive_result result_;
};

}  // namespace

receive_result expected_of(const receive_case& c) { return machine(c).run(); }

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
            table = contraflow::nic::next_table(entry);
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

}  // namespace contraflow::testing
