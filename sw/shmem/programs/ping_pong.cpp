// SPDX-License-Identifier: Apache-2.0
#include "shmem/programs/ping_pong.h"

#include <fmt/format.h>

namespace contraflow::shmem {

void ping_pong::spec::describe(config::fields<spec>& f) {
    f("rounds", &spec::rounds).in(1, 100'000).text("there and back");
    f("size", &spec::size).in(core::bytes{1}, core::bytes{64u << 20}).text("bytes of a put");
    f("threads", &spec::threads).in(1, 1024).text("of the workgroup");
}

void ping_pong::prepare(job& j) {
    for (unsigned rank = 0; rank < j.pes(); ++rank) {
        out_.push_back(j[rank].malloc<std::uint8_t>(spec_.size.count));
        in_.push_back(j[rank].malloc<std::uint8_t>(spec_.size.count));
        std::vector<std::uint8_t> contents(spec_.size.count);
        for (std::size_t i = 0; i < contents.size(); ++i) contents[i] = static_cast<std::uint8_t>(i * 3);
        j[rank].memory().write(in_.back(), contents);
    }
}

gpu::task<> ping_pong::compute(pe& of, gpu::wave w, unsigned step, part which) {
    if (which != part::edge || !sends(of, step)) co_return;
    for (auto i : w.share(spec_.size.count)) {
        const auto byte = co_await w.load(in_[of.my_pe()], i);
        co_await w.store(out_[of.my_pe()], i, byte + 1);
    }
}

core::bytes ping_pong::compute_on_host(pe& of, unsigned step) {
    if (!sends(of, step)) return {};
    auto bytes = of.memory().read(in_[of.my_pe()]);
    for (auto& b : bytes) ++b;
    of.memory().write(out_[of.my_pe()], bytes);
    return {3 * spec_.size.count};  // one is read, one is fetched and written
}

std::vector<program_if::message> ping_pong::messages(const pe& of, unsigned, unsigned step) const {
    if (!sends(of, step) || of.my_pe() > 1) return {};
    return {{in_[of.my_pe()].address(), out_[of.my_pe()].address(), spec_.size.count, 1 - of.my_pe()}};
}

std::vector<program_if::sender> ping_pong::senders(const pe& of, unsigned, unsigned step) const {
    if (sends(of, step) || of.my_pe() > 1) return {};
    return {{1 - of.my_pe(), 0}};
}

// Each way adds one.
std::string ping_pong::verify(job& j) const {
    for (unsigned rank = 0; rank < 2; ++rank) {
        const auto seen = j[rank].memory().read(in_[rank]);
        const unsigned ways = steps() - (rank == 0 ? 0 : 1);
        for (std::size_t i = 0; i < seen.size(); ++i) {
            const auto expected = static_cast<std::uint8_t>(i * 3 + ways);
            if (seen[i] != expected)
                return fmt::format("byte {} that PE {} has is {}, and it should be {}", i, rank, seen[i], expected);
        }
    }
    return {};
}

}  // namespace contraflow::shmem
