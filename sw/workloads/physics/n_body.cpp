// SPDX-License-Identifier: Apache-2.0
// Bodies under their mutual gravity, all pairs: a CTA goes through all bodies by tiles in its scratchpad. Source of the
// kernel's form: Nyland, Harris, Prins: Fast N-Body Simulation with CUDA, GPU Gems 3, 2007.
#include <array>
#include <cmath>

#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/input.h"

namespace contraflow::workloads {
namespace {

using namespace gpu;

constexpr unsigned axes = 3;
using body_arrays = std::array<array<double>, axes>;

class n_body_workload final : public workload_if {
public:
    struct spec {
        std::uint32_t bodies = 512;
        unsigned steps = 1;
        std::uint32_t block = 128;
        std::uint64_t seed = 1;

        static void describe(config::fields<spec>& f) {
            f("bodies", &spec::bodies).in(1, 1 << 20).text("bodies in a cube of side 1; their masses add up to 1");
            f("steps", &spec::steps).in(1, 100).text("steps in time, a launch each");
            f("block", &spec::block).in(32, 1024).unit("threads").text("threads of a CTA, and bodies of a tile");
            f("seed", &spec::seed).text("seed of places and velocities");
        }
    };
    static spec sized(workload_size size) { return size == workload_size::paper ? spec{4096, 2, 128, 1} : spec{}; }
    explicit n_body_workload(const spec& s) : spec_(s) {}

    void prepare(device_memory& memory) override {
        for (auto* const arrays : {&place_, &next_, &speed_})
            for (auto& a : *arrays) a = memory.allocate<double>(spec_.bodies);
    }
    host_task run(gpu_system_if& gpu) override {
        const std::uint32_t ctas = blocks_for(spec_.bodies, spec_.block);
        co_await gpu.launch({"initialise", ctas, spec_.block, this, &n_body_workload::initialise});
        for (unsigned s = 0; s < spec_.steps; ++s) {
            co_await gpu.launch({"step", ctas, spec_.block, this, &n_body_workload::step,
                                 core::bytes{axes * (spec_.block * sizeof(double) + 16)}});
            std::swap(place_, next_);
        }
    }
    std::string verify(device_memory& memory) override;

private:
    static constexpr double softening = 0.01;  // added to the square of a distance
    static constexpr double time_step = 0.01;

    double mass() const { return 1.0 / spec_.bodies; }
    double first_place(unsigned axis, std::uint64_t i) const { return input_real(spec_.seed + axis, i); }
    double first_speed(unsigned axis, std::uint64_t i) const { return input_real(~spec_.seed - axis, i) - 0.5; }

    kernel initialise(wave w) {
        for (auto i : w.own(spec_.bodies)) {
            for (unsigned a = 0; a < axes; ++a) {
                const auto place = map([&](std::uint64_t k) { return first_place(a, k); }, i);
                const auto speed = map([&](std::uint64_t k) { return first_speed(a, k); }, i);
                co_await w.all(w.store(place_[a], i, place), w.store(speed_[a], i, speed));
            }
        }
    }
    kernel step(wave w);
    void pull(wave w, std::uint64_t bodies, const std::array<std::span<double>, axes>& tile,
              const std::array<per_thread<double>, axes>& place, std::array<per_thread<double>, axes>& pulls) const;

    const spec spec_;
    body_arrays place_, next_, speed_;
};

kernel n_body_workload::step(wave w) {
    static_assert(axes == 3);
    const auto i = w.global_ids();
    const mask mine = i < spec_.bodies;
    const std::array tile{w.shared<double>(spec_.block), w.shared<double>(spec_.block), w.shared<double>(spec_.block)};
    const auto [x, y, z] =
        co_await w.all(w.load(place_[0], i, mine), w.load(place_[1], i, mine), w.load(place_[2], i, mine));
    const std::array place{x, y, z};
    std::array<per_thread<double>, axes> pulls;
    for (std::uint64_t first = 0; first < spec_.bodies; first += spec_.block) {
        const auto other = w.local_ids() + first;
        if (auto in = w.only(other < spec_.bodies)) {
            const auto [ox, oy, oz] =
                co_await w.all(w.load(place_[0], other), w.load(place_[1], other), w.load(place_[2], other));
            w.write(tile[0], w.local_ids(), ox);
            w.write(tile[1], w.local_ids(), oy);
            w.write(tile[2], w.local_ids(), oz);
        }
        co_await w.barrier();
        pull(w, std::min<std::uint64_t>(spec_.block, spec_.bodies - first), tile, place, pulls);
        co_await w.barrier();
    }
    const auto [vx, vy, vz] =
        co_await w.all(w.load(speed_[0], i, mine), w.load(speed_[1], i, mine), w.load(speed_[2], i, mine));
    const std::array speed{vx + time_step * pulls[0], vy + time_step * pulls[1], vz + time_step * pulls[2]};
    w.work(4 * axes);
    for (unsigned a = 0; a < axes; ++a)
        co_await w.all(w.store(speed_[a], i, speed[a], mine),
                       w.store(next_[a], i, place[a] + time_step * speed[a], mine));
}

// A body is the same for all threads; it pulls itself by 0.
void n_body_workload::pull(wave w, std::uint64_t bodies, const std::array<std::span<double>, axes>& tile,
                           const std::array<per_thread<double>, axes>& place,
                           std::array<per_thread<double>, axes>& pulls) const {
    for (std::uint64_t k = 0; k < bodies; ++k) {
        const auto x = tile[0][k] - place[0], y = tile[1][k] - place[1], z = tile[2][k] - place[2];
        const auto square = x * x + y * y + z * z + softening;
        const auto strength = mass() / (square * sqrt(square));
        pulls[0] += strength * x;
        pulls[1] += strength * y;
        pulls[2] += strength * z;
    }
    w.work(bodies * 20);  // the operations of a pair, as Nyland, Harris and Prins count them
}

// Each pair once, as action and reaction.
std::string n_body_workload::verify(device_memory& memory) {
    const std::size_t n = spec_.bodies;
    std::array<std::vector<double>, axes> place, speed;
    for (unsigned a = 0; a < axes; ++a) {
        for (std::size_t i = 0; i < n; ++i) {
            place[a].push_back(first_place(a, i));
            speed[a].push_back(first_speed(a, i));
        }
    }
    for (unsigned s = 0; s < spec_.steps; ++s) {
        std::array<std::vector<double>, axes> pulls{std::vector<double>(n), std::vector<double>(n),
                                                    std::vector<double>(n)};
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = i + 1; j < n; ++j) {
                std::array<double, axes> d{};
                for (unsigned a = 0; a < axes; ++a) d[a] = place[a][j] - place[a][i];
                const double strength = mass() / std::pow(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + softening, 1.5);
                for (unsigned a = 0; a < axes; ++a) {
                    pulls[a][i] += strength * d[a];
                    pulls[a][j] -= strength * d[a];
                }
            }
        }
        for (unsigned a = 0; a < axes; ++a) {
            for (std::size_t i = 0; i < n; ++i) {
                speed[a][i] += time_step * pulls[a][i];
                place[a][i] += time_step * speed[a][i];
            }
        }
    }
    // A pull is at most 0.4 / softening for all bodies together; its sum is rounded once per body. A step amplifies an
    // error by a factor of at most 1 + time_step^2 / softening^1.5, or 1.1.
    const double tolerance = static_cast<double>(n + 8) * 0x1p-52 * std::pow(1.1, spec_.steps);
    for (unsigned a = 0; a < axes; ++a) {
        const std::string axis(1, static_cast<char>('x' + a));
        if (auto wrong = difference("place " + axis, memory.read(place_[a]), place[a], tolerance, 2); !wrong.empty())
            return wrong;
        if (auto wrong = difference("speed " + axis, memory.read(speed_[a]), speed[a], tolerance, 2); !wrong.empty())
            return wrong;
    }
    return {};
}

}  // namespace

workload_entry n_body() {
    return entry_of<n_body_workload>("n_body", "gravity between all pairs: every socket reads all places in each step",
                                     "NBody of the AMD APP SDK and the CUDA SDK", suite::gpus);
}

}  // namespace contraflow::workloads
