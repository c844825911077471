// SPDX-License-Identifier: Apache-2.0
#include "nic/receive_reference.h"

#include <algorithm>
#include <map>
#include <optional>

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
    machine(const receive_case& c, const bad_memories& bad) : case_(c), bad_(bad) {
        for (const auto& [address, value] : c.tables) memory_[address] = value;
        for (const auto& [index, b] : c.buffers) buffers_[index] = b;
    }

    receive_result run() {
        for (; number_ < case_.packets.size(); ++number_) packet(case_.packets[number_]);
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
        std::vector<std::uint8_t> payload(words.begin() + 16, words.begin() + 16 + static_cast<long>(length));
        if (kind == 1) {
            result_.actions.push_back(mailbox_message{process, tag, source, address, payload});
            ++result_.counters.mailbox;
            return;
        }
        const buffer_entry* buffer = nullptr;
        for (const auto& [index, b] : buffers_) {  // in order of index
            if (buffer != nullptr || !b.valid) continue;
            if (is_bad(index)) return drop(drop_reason::memory);
            if (b.process == process && b.base <= address && address < b.base + b.length) buffer = &b;
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
        const bool spoilt = spoil(payload);
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
        if (spoilt) return drop(drop_reason::memory);
        ++result_.counters.accepted;
        result_.counters.bytes += length;
        if (field(92, 92) != 0)
            result_.actions.push_back(
                completion_event{buffer->ring, process, tag, source, address, static_cast<std::uint32_t>(length)});
    }

    bool is_bad(unsigned entry) const {
        const auto bad = bad_.entries.find(number_);
        return bad != bad_.entries.end() && bad->second.contains(entry);
    }

    // Changes the payload of this packet; whether an odd number of bits has changed in 32 of them and their parity.
    bool spoil(std::vector<std::uint8_t>& payload) const {
        const auto bad = bad_.payloads.find(number_);
        if (bad == bad_.payloads.end()) return false;
        std::map<unsigned, unsigned> changed;  // bits, by 32
        for (const payload_bit& p : bad->second) {
            const bool parity = p.bit >= 128;
            ++changed[4 * p.word + (parity ? p.bit - 128 : p.bit / 32)];
            const std::size_t byte = 16 * std::size_t{p.word} + p.bit / 8;
            if (!parity && byte < payload.size()) payload[byte] ^= static_cast<std::uint8_t>(1u << p.bit % 8);
        }
        return std::any_of(changed.begin(), changed.end(), [](const auto& c) { return c.second % 2 != 0; });
    }

    const receive_case& case_;
    const bad_memories& bad_;
    std::size_t number_ = 0;  // of the packet
    std::map<std::uint64_t, std::uint64_t> memory_;
    std::map<unsigned, buffer_entry> buffers_;
    std::map<memory_space, place> windows_;
    receive_result result_;
};

}  // namespace

receive_result expected_of(const receive_case& c, const bad_memories& bad) { return machine(c, bad).run(); }

bool is_stored(const receive_case& c, std::size_t packet) {
    receive_case alone = c;
    alone.packets = {c.packets.at(packet)};
    const receive_counters n = expected_of(alone).counters;
    const auto dropped = [&](drop_reason why) { return n.drops[static_cast<unsigned>(why)]; };
    return n.accepted + dropped(drop_reason::no_buffer) + dropped(drop_reason::bounds) + dropped(drop_reason::access) +
               dropped(drop_reason::translation) !=
           0;
}

}  // namespace contraflow::testing
