// SPDX-License-Identifier: Apache-2.0
#include "validate/unified_gpu/workgroup_places.h"

#include <stdexcept>

namespace contraflow::validate {
namespace {

constexpr std::uint64_t words_apart = 32;  // a line for each workgroup

// The line of each atomic operation tells its workgroup, and the origin tells the GPU of its unit.
struct workgroup_watch final : gpu::request_observer_if {
    workgroup_watch(gpu::array<std::uint32_t> watched, std::size_t workgroups) : marks(watched), ran_on(workgroups) {}
    void request_completed(gpu::access_kind kind, bool, const memory::memory_extension& request) override {
        if (kind != gpu::access_kind::atomic) return;
        const std::uint64_t number =
            (request.virtual_address - marks.address()) / (words_apart * sizeof(std::uint32_t));
        ran_on.at(number).push_back(request.origin.gpu + 1u);
    }
    gpu::array<std::uint32_t> marks;
    std::vector<std::vector<unsigned>> ran_on;
};

}  // namespace

std::vector<std::vector<unsigned>> places_of(unified_bench& bench, unsigned number, gpu::dim3 grid) {
    const auto marks = bench.array_on(number, grid.count() * words_apart);
    workgroup_watch watch(marks, grid.count());
    bench.machine.gpus().profile().set_observer(&watch);
    host::command_queue& queue = bench.queue_on(number);
    std::vector<std::uint32_t> counts(marks.size());
    auto program = [&]() -> gpu::host_task {
        co_await queue.launch({"mark", grid, 32, [=](gpu::wave w) -> gpu::kernel {
                                   const gpu::dim3 at = w.cta_place();
                                   const std::uint64_t flat = (std::uint64_t{at.z} * grid.y + at.y) * grid.x + at.x;
                                   co_await w.atomic_add(marks, flat * words_apart, 1u, gpu::mask::thread(0));
                               }});
        co_await queue.copy_from_device(counts, marks);
    };
    bench.run(program());
    bench.machine.gpus().profile().set_observer(nullptr);
    // Memory must agree with the observed requests.
    for (std::size_t i = 0; i < watch.ran_on.size(); ++i)
        if (counts[i * words_apart] != watch.ran_on[i].size()) throw std::runtime_error("a workgroup left no mark");
    return watch.ran_on;
}

std::size_t out_of_place(const std::vector<std::vector<unsigned>>& places, const std::vector<unsigned>& members,
                         const std::vector<std::size_t>& lengths) {
    std::vector<unsigned> expected;
    for (std::size_t i = 0; i < members.size(); ++i) expected.insert(expected.end(), lengths[i], members[i]);
    if (expected.size() != places.size()) throw std::logic_error("runs that are not the grid's");
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < places.size(); ++i)
        if (places[i] != std::vector<unsigned>{expected[i]}) ++wrong;
    return wrong;
}

}  // namespace contraflow::validate
