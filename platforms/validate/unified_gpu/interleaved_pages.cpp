// SPDX-License-Identifier: Apache-2.0
// M2: memory of a unified GPU is interleaved over its members page by page.
#include <map>
#include <stdexcept>

#include <fmt/format.h>

#include "validate/table/rows.h"
#include "validate/unified_gpu/unified_setup.h"

namespace contraflow::validate {
namespace {

constexpr std::size_t words_of_16_kb = 4096;

// Physical address of every page that the process has, by its virtual one: its table, read page by page.
std::map<std::uint64_t, std::uint64_t> mapped_pages(unified_bench& bench, std::uint64_t from, std::uint64_t to) {
    std::map<std::uint64_t, std::uint64_t> found;
    for (std::uint64_t at = from; at < to; at += 4096)
        if (const auto page = bench.machine.table()->find(bench.process.process(), at))
            found.emplace(at, page->physical(at));
    return found;
}

}  // namespace

measurement interleaved_pages(const run_environment& environment) {
    unified_bench bench(few_units(4), environment);
    const auto x = bench.array_on(bench.everyone(), words_of_16_kb);
    host::command_queue& queue = bench.queue_on(bench.everyone());
    auto program = [&]() -> gpu::host_task {
        co_await queue.launch({"number", 16, 256, [=](gpu::wave w) -> gpu::kernel {
                                   co_await w.store(x, w.global_ids(), w.global_ids() + 1);
                               }});
    };
    bench.run(program());

    const auto pages = mapped_pages(bench, x.address() - (1u << 20), x.address() + (1u << 20));
    std::vector<double> values;
    for (const auto& [address, physical] : pages) values.push_back(bench.gpu_of(address));
    // Pages of 4 KB form a run if they are adjacent.
    double virtual_neighbours = 0, physical_neighbours = 0;
    for (auto at = pages.begin(); at != pages.end() && std::next(at) != pages.end(); ++at) {
        virtual_neighbours += std::next(at)->first - at->first == 4096 ? 1 : 0;
        physical_neighbours += std::next(at)->second - at->second == 4096 ? 1 : 0;
    }
    // Each word is at the table's address, in that GPU's memory and no other.
    double misplaced = 0;
    for (std::size_t i = 0; i < words_of_16_kb; ++i) {
        const std::uint64_t address = x.address(i), page = address & ~std::uint64_t{4095};
        const auto at = pages.find(page);
        if (at == pages.end()) throw std::runtime_error("a page is not in the table");
        std::uint32_t word = 0;
        bench.machine.gpus().hardware().debug_read(at->second + (address - page),
                                                   std::as_writable_bytes(std::span(&word, 1)));
        misplaced += word == i + 1 ? 0 : 1;
    }
    values.insert(values.end(), {virtual_neighbours, physical_neighbours, misplaced});
    return {
        values,
        "The page table's entries of the process, in the order of virtual addresses: in whose memory their physical "
        "addresses are; of the neighbours among them, how many lie 4 KB apart in virtual and in physical space. Then "
        "words of a kernel on all GPUs that are not found at those physical addresses.",
        {},
        {}};
}

// Arrays whose pages do not divide evenly among the members, with members in any order.
measurement pages_out_of_turn(const run_environment& environment) {
    struct spread_array {
        std::vector<unsigned> members;
        std::size_t words, pages;
    };
    const std::vector<spread_array> arrays{
        {{1, 2, 3, 4}, 9 * 1024, 9}, {{4, 2, 3}, 7 * 1024 + 1, 8}, {{2, 3, 5, 6, 7}, 1024 * 32, 32}, {{8, 1}, 1, 1}};
    unified_bench bench(few_units(8), environment);
    std::size_t pages = 0, elsewhere = 0;
    for (const spread_array& a : arrays) {
        const auto x = bench.array_on(bench.process.create_unified_gpu(a.members), a.words);
        for (std::size_t i = 0; i < a.pages; ++i, ++pages)
            elsewhere += bench.gpu_of(x.address() + i * 4096) == a.members[i % a.members.size()] ? 0 : 1;
    }
    return {{static_cast<double>(elsewhere)},
            fmt::format("{} pages of {} arrays on 2 to 5 of 8 GPUs, by the page table: not on the member whose turn it "
                        "is, from the first one on.",
                        pages, arrays.size()),
            {},
            {}};
}

}  // namespace contraflow::validate
