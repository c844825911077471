// SPDX-License-Identifier: Apache-2.0
// M2: memory of a unified GPU goes over its members page by page.
#include <map>
#include <stdexcept>

#include "validate/rows.h"
#include "validate/unified_setup.h"

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
    // In 4 KB pages a run of neighbours is one where nothing lies between.
    double virtual_neighbours = 0, physical_neighbours = 0;
    for (auto at = pages.begin(); at != pages.end() && std::next(at) != pages.end(); ++at) {
        virtual_neighbours += std::next(at)->first - at->first == 4096 ? 1 : 0;
        physical_neighbours += std::next(at)->second - at->second == 4096 ? 1 : 0;
    }
    // Each word is where the table says, in that GPU's memory and no other.
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

}  // namespace contraflow::validate
