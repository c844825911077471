// SPDX-License-Identifier: Apache-2.0
#include "validate/unified_gpu/page_writers.h"

namespace contraflow::validate {
namespace {

constexpr std::uint32_t writer_words = 8 * 1024, writer_groups = 32, writer_block = 64, writer_rounds = 12;
constexpr std::uint32_t writer_parts = 4;  // parts of the array of own words, used in turn
static_assert(writer_groups * writer_block <= writer_words / writer_parts);  // each word belongs to one thread only

}  // namespace

page_writers::page_writers(unified_bench& bench)
    : bench_(bench),
      shared_(bench.array_on(bench.everyone(), writer_words)),
      own_(bench.array_on(bench.everyone(), writer_words)),
      queue_(bench.queue_on(bench.everyone())) {}

gpu::kernel page_writers::update(gpu::wave w) {
    for (std::uint32_t r = 0; r < writer_rounds; ++r) {
        co_await w.atomic_add(shared_, (w.global_ids() * 257 + r * 4001) % writer_words, 1u);
        const auto mine = (w.global_ids() + r % writer_parts * (writer_words / writer_parts)) % writer_words;
        co_await w.store(own_, mine, co_await w.load(own_, mine) + r + 1);
    }
}

gpu::host_task page_writers::work() {
    co_await queue_.launch({"update", writer_groups, writer_block, this, &page_writers::update});
}

std::size_t page_writers::wrong_words() {
    std::vector<std::uint32_t> sums(writer_words), owns(writer_words);
    for (std::uint32_t t = 0; t < writer_groups * writer_block; ++t)
        for (std::uint32_t r = 0; r < writer_rounds; ++r) {
            ++sums[(t * 257 + r * 4001) % writer_words];
            owns[(t + r % writer_parts * (writer_words / writer_parts)) % writer_words] += r + 1;
        }
    std::vector<std::uint32_t> got_sums(writer_words), got_owns(writer_words);
    auto program = [&]() -> gpu::host_task {
        co_await queue_.copy_from_device(got_sums, shared_);
        co_await queue_.copy_from_device(got_owns, own_);
    };
    bench_.run(program());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < writer_words; ++i)
        wrong += (got_sums[i] != sums[i] ? 1u : 0u) + (got_owns[i] != owns[i] ? 1u : 0u);
    return wrong;
}

host::unified_machine::spec restless_pages(host::migration::granularity how) {
    host::unified_machine::spec s = few_units(4);
    s.migration.when.policy = host::migration::policy_kind::always;
    s.migration.when.ping_pong.moves = 0;
    s.migration.granularity = how;
    return s;
}

}  // namespace contraflow::validate
