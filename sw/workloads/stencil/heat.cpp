// SPDX-License-Identifier: Apache-2.0
#include "workloads/stencil/heat.h"

#include <utility>

#include "workloads/stencil/column.h"
#include "workloads/support/difference.h"
#include "workloads/support/input.h"

namespace contraflow::workloads {

using namespace gpu;

namespace {

constexpr double insulated = 1;  // nothing flows if the cell beyond has the same temperature

constexpr std::uint64_t enough_columns = 4096;  // for a few tens of units

double source(std::uint64_t seed, std::uint64_t i) { return 0.01 * input_real(~seed, i); }

}  // namespace

void heat::prepare(device_memory& memory) {
    now_ = memory.allocate<double>(problem_.cells.cells());
    next_ = memory.allocate<double>(problem_.cells.cells());
    sources_ = memory.allocate<double>(problem_.cells.cells());
}

host_task heat::run(gpu_system_if& gpu) {
    const unsigned width = gpu.wave_width();
    const std::uint32_t block = whole_waves(problem_.block, width);
    const auto ctas = columns(problem_.cells, width, enough_columns).ctas(block);
    co_await gpu.launch({"initialise", ctas, block, this, &heat::initialise});
    for (unsigned s = 0; s < problem_.steps; ++s) {
        co_await gpu.launch({"step", ctas, block, this, &heat::step});
        std::swap(now_, next_);
    }
}

kernel heat::initialise(wave w) {
    const columns all(problem_.cells, w.width(), enough_columns);
    const auto mine = column_share::of_grid(w).first;
    if (mine >= all.count()) co_return;
    const auto place = all[mine];
    const auto x = place.x + per_thread<std::uint64_t>(w.thread_ids());
    const auto in = w.only(x < problem_.cells.nx);
    for (std::uint64_t z = place.z; z < place.end; ++z) {
        const auto i = x + problem_.cells.at(0, place.y, z);
        const auto heating = map([this](std::uint64_t k) { return source(problem_.seed, k); }, i);
        co_await w.all(w.store(now_, i, input_real(problem_.seed, i)), w.store(sources_, i, heating));
    }
}

kernel heat::step(wave w) {
    const columns all(problem_.cells, w.width(), enough_columns);
    const auto mine = column_share::of_grid(w).first;
    if (mine >= all.count()) co_return;
    const auto place = all[mine];
    const auto in = w.only(place.x + per_thread<std::uint64_t>(w.thread_ids()) < problem_.cells.nx);
    const double neighbours = 2 * problem_.cells.dimensions();
    column c(w, problem_.cells, now_, insulated, place);
    for (co_await c.enter(); !c.done(); c.go_up()) {
        const auto heating = co_await c.step(sources_);
        const auto flow = c.neighbours() - neighbours * c.centre();
        w.work(2 * problem_.cells.dimensions() + 4);
        co_await w.store(next_, c.here(), c.centre() + conduction() * flow + heating);
    }
}

std::vector<double> heat::temperatures_on_host() const {
    const box b = problem_.cells;
    std::vector<double> now(b.cells()), next(b.cells());
    for (std::uint64_t i = 0; i < b.cells(); ++i) now[i] = input_real(problem_.seed, i);
    for (unsigned s = 0; s < problem_.steps; ++s) {
        for (std::uint64_t z = 0; z < b.nz; ++z) {
            for (std::uint64_t y = 0; y < b.ny; ++y) {
                for (std::uint64_t x = 0; x < b.nx; ++x) {
                    const std::uint64_t i = b.at(x, y, z);
                    double flow = 0;
                    const auto from = [&](bool there, std::uint64_t k) { flow += there ? now[k] - now[i] : 0; };
                    from(x > 0, i - 1);
                    from(x + 1 < b.nx, i + 1);
                    from(y > 0, i - b.nx);
                    from(y + 1 < b.ny, i + b.nx);
                    from(z > 0, i - b.nx * b.ny);
                    from(z + 1 < b.nz, i + b.nx * b.ny);
                    next[i] = now[i] + conduction() * flow + source(problem_.seed, i);
                }
            }
        }
        now.swap(next);
    }
    return now;
}

std::string heat::verify(device_memory& memory) {
    // A step does not amplify errors. It rounds about ten times, and values stay below 2 for up to 100 steps.
    const double scale = 1 + 0.01 * problem_.steps;
    return difference("temperature", memory.read(now_), temperatures_on_host(), problem_.steps * 0x1p-49, scale);
}

}  // namespace contraflow::workloads
