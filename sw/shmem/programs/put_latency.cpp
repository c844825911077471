// SPDX-License-Identifier: Apache-2.0
#include "shmem/programs/put_latency.h"

#include <fmt/format.h>

#include "shmem/context.h"

namespace contraflow::shmem {
namespace {

std::uint8_t byte(std::uint64_t i) {
    return static_cast<std::uint8_t>((i * 0x9e37'79b9'7f4a'7c15) >> 56 | 1);
}  // not 0

}  // namespace

void put_latency::spec::describe(config::fields<spec>& f) {
    f("puts", &spec::puts).in(2, 100'000).text("puts of a workgroup, one after the other");
    f("size", &spec::size).in(core::bytes{1}, core::bytes{64u << 20}).text("bytes of a put");
    f("workgroups", &spec::workgroups).in(1, 1024).text("workgroups that put at a time, each to the next PE");
    f("threads", &spec::threads).in(1, 1024).text("of a workgroup");
    f("awaited", &spec::awaited).text("each put is awaited before the next; otherwise all of them at the end");
}

void put_latency::prepare(job& j) {
    const std::uint64_t bytes = place(spec_.workgroups, 0);
    std::vector<std::uint8_t> contents(bytes);
    for (std::uint64_t i = 0; i < bytes; ++i) contents[i] = byte(i);
    for (unsigned rank = 0; rank < j.pes(); ++rank) {
        source_.push_back(j[rank].malloc<std::uint8_t>(bytes));
        dest_.push_back(j[rank].malloc<std::uint8_t>(bytes));
    }
    j[0].memory().write(source_[0], contents);
}

gpu::task<> put_latency::compute(pe&, gpu::wave, unsigned, part) { co_return; }

gpu::task<> put_latency::whole(context& c, gpu::wave w) {
    for (unsigned i = 0; i < spec_.puts; ++i)
        for (const message& m : messages(c.of(), static_cast<unsigned>(w.cta()), i))
            co_await c.put_nbi(gpu::array<std::uint8_t>(m.dest, m.bytes), gpu::array<std::uint8_t>(m.source, m.bytes),
                               m.bytes, m.to);
}

std::vector<program_if::message> put_latency::messages(const pe& of, unsigned workgroup, unsigned step) const {
    if (of.my_pe() != 0) return {};
    const std::uint64_t at = place(workgroup, step);
    return {{dest_[0].address(at), source_[0].address(at), spec_.size.count, 1}};
}

std::string put_latency::verify(job& j) const {
    const auto seen = j[1].memory().read(dest_[1]);
    for (std::uint64_t i = 0; i < seen.size(); ++i)
        if (seen[i] != byte(i)) return fmt::format("byte {} that PE 1 has is {}, and {} was put", i, seen[i], byte(i));
    return {};
}

}  // namespace contraflow::shmem
