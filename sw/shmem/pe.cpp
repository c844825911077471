// SPDX-License-Identifier: Apache-2.0
#include "shmem/pe.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "nic/queue_pair/work_entry.h"
#include "shmem/error.h"

namespace contraflow::shmem {
namespace {

constexpr std::array<std::string_view, 6> signs{"==", "!=", ">", ">=", "<", "<="};

}  // namespace

std::string pe::heap_text() const {
    const auto part = [](const gpu::array<std::uint8_t>& a) {
        return fmt::format("{:#x} to {:#x}", a.address(), a.address() + a.size());
    };
    return at_.cached_heap.size() == 0 ? part(at_.heap) : part(at_.heap) + " and " + part(at_.cached_heap);
}

void pe::release(std::uint64_t address) {
    const std::uint64_t offset = offset_of(address, 0);
    if (offset == not_symmetric)
        throw error(
            fmt::format("PE {}: free: {:#x} is not within the symmetric heap, {}", at_.rank, address, heap_text()));
    (offset < at_.heap.size() ? heap_ : cached_heap_).release(at_.rank, offset);
}

std::string pe::entry_text(unsigned context, unsigned to, std::uint32_t number) const {
    const queue_addresses& q = at_.queues[context * at_.pes + to];
    const std::size_t places = q.entries.size() / entry_words;
    std::array<std::uint8_t, nic::work_entry_bytes> bytes{};
    if (q.by_helper) return fmt::format("entry {} of the queue of a thread of the host, to PE {}", number, to);
    memory_.read_bytes(q.entries.address((number - 1) % places * entry_words),
                       std::as_writable_bytes(std::span(bytes)));
    const std::string where = fmt::format("entry {} of queue pair {}", number, q.number);
    const auto e = nic::work_entry::decode(bytes);
    if (!e || e->number != number) return fmt::format("{}, to PE {}", where, to);
    std::string_view name = "put";
    if (e->opcode == nic::work_opcode::read) name = "get";
    if (e->opcode == nic::work_opcode::fetch_add) name = "atomic addition";
    if (e->opcode == nic::work_opcode::compare_swap) name = "atomic comparison";
    if (e->remote_address == control_page()) return fmt::format("fence for PE {} ({})", to, where);
    return fmt::format("{} of {} bytes {} PE {} ({})", name, e->length, name == "put" ? "to" : "at", to, where);
}

std::string pe::wait_text(const wait_note& n) const {
    if (n.what == wait_note::kind::completion)
        return fmt::format("the completion of the {}", entry_text(n.context, n.pe, n.entry));
    std::uint64_t raw = 0;
    memory_.read_bytes(n.address, std::as_writable_bytes(std::span(&raw, 1)).first(n.bytes));
    return fmt::format("offset {:#x} of its heap {} {} (it is {})", offset_of(n.address, n.bytes),
                       signs[static_cast<std::size_t>(n.how)], n.value, raw);
}

}  // namespace contraflow::shmem
