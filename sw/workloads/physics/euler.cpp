// SPDX-License-Identifier: Apache-2.0
// Euler's equations of a compressible gas on an unstructured mesh: a time step is three sub-steps, each of which sums
// the fluxes through the four faces of every element and then updates its state. In single precision, like GPU solvers.
#include <algorithm>
#include <cmath>
#include <vector>

#include "workloads/physics/gas.h"
#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/input.h"
#include "workloads/support/usual_block.h"

namespace contraflow::workloads {

enum class element_numbering : std::uint8_t { shuffled, natural };

}  // namespace contraflow::workloads

template <> struct contraflow::config::enum_names<contraflow::workloads::element_numbering> {
    using numbering = contraflow::workloads::element_numbering;
    static constexpr std::array names{std::pair{numbering::shuffled, "shuffled"},
                                      std::pair{numbering::natural, "natural"}};
};

namespace contraflow::workloads {
namespace {

using namespace gpu;
using reals = per_thread<float>;
using vector_values = std::array<reals, 3>;
using state_values = std::array<reals, 5>;

struct flow_values {
    vector_values velocity;
    reals pressure;
    reals wave;  // the fastest wave: the speed of the gas plus that of sound
    explicit flow_values(const state_values& s) {
        for (unsigned d = 0; d < 3; ++d) velocity[d] = s[d + 1] / s[0];
        const reals squared = velocity[0] * velocity[0] + velocity[1] * velocity[1] + velocity[2] * velocity[2];
        pressure = (heat_ratio - 1) * (s[4] - 0.5 * s[0] * squared);
        wave = sqrt(squared) + sqrt(heat_ratio * pressure / s[0]);
    }
};

// The state of an element without a thread or a neighbour, so that no thread divides by 0.
void set_far(state_values& s, mask where) {
    for (unsigned k = 0; k < 5; ++k) s[k].assign(where, reals(far_state[k]));
}

class euler_workload final : public workload_if {
public:
    struct spec {
        std::uint32_t side = 6;
        unsigned steps = 2;
        element_numbering numbering = element_numbering::shuffled;
        std::uint64_t seed = 1;

        static void describe(config::fields<spec>& f) {
            f("side", &spec::side).in(1, 128).text("small cubes along the mesh's sides, six elements each");
            f("steps", &spec::steps).in(1, 10000).text("steps of time");
            f("numbering", &spec::numbering)
                .text("order of the elements: shuffled, or natural, which keeps neighbours near each other");
            f("seed", &spec::seed).text("seed of the mesh and of the gas's first state");
        }
    };
    static spec sized(workload_size size) {
        spec s;
        if (size == workload_size::paper) {
            s.side = 28;
            s.steps = 1;
        }
        return s;
    }
    explicit euler_workload(const spec& s)
        : spec_(s),
          mesh_(s.side, s.numbering == element_numbering::shuffled, s.seed),
          n_(static_cast<std::uint32_t>(mesh_.elements().size())) {}

    void prepare(device_memory& memory) override;
    host_task run(gpu_system_if& gpu) override;
    std::string verify(device_memory& memory) override;

private:
    kernel begin(wave w);
    kernel find_step(wave w);
    kernel sum_fluxes(wave w);
    kernel update(wave w);
    task<state_values> load_state(wave w, const std::array<array<float>, 5>* from, per_thread<std::uint32_t> e,
                                  mask where);
    double disturbance(std::uint64_t element) const { return 0.95 + 0.1 * input_real(spec_.seed, element); }

    const spec spec_;
    const tetrahedral_mesh mesh_;
    const std::uint32_t n_;
    std::array<array<float>, 5> state_, old_, flux_;
    array<float> stride_;  // the longest stable step over the volume
    std::array<array<std::uint32_t>, 4> beyond_;
    std::array<std::array<array<float>, 3>, 4> normal_;
    unsigned sub_step_ = 0;
};

void euler_workload::prepare(device_memory& memory) {
    for (auto& a : state_) a = memory.allocate<float>(n_);
    for (auto& a : old_) a = memory.allocate<float>(n_);
    for (auto& a : flux_) a = memory.allocate<float>(n_);
    stride_ = memory.allocate<float>(n_);
    for (unsigned f = 0; f < 4; ++f) {
        std::vector<std::uint32_t> beyond;
        for (const mesh_element& e : mesh_.elements()) beyond.push_back(e.beyond[f]);
        beyond_[f] = memory.upload(beyond);
        for (unsigned d = 0; d < 3; ++d) {
            std::vector<float> normal;
            for (const mesh_element& e : mesh_.elements()) normal.push_back(static_cast<float>(e.normal[f][d]));
            normal_[f][d] = memory.upload(normal);
        }
    }
}

host_task euler_workload::run(gpu_system_if& gpu) {
    const std::uint32_t grid = blocks_for(n_, usual_block);
    co_await gpu.launch({"begin", grid, usual_block, this, &euler_workload::begin});
    for (unsigned s = 0; s < spec_.steps; ++s) {
        co_await gpu.launch({"find_step", grid, usual_block, this, &euler_workload::find_step});
        for (sub_step_ = 0; sub_step_ < sub_steps; ++sub_step_) {
            co_await gpu.launch({"sum_fluxes", grid, usual_block, this, &euler_workload::sum_fluxes});
            co_await gpu.launch({"update", grid, usual_block, this, &euler_workload::update});
        }
    }
}

task<state_values> euler_workload::load_state(wave w, const std::array<array<float>, 5>* from,
                                              per_thread<std::uint32_t> e, mask where) {
    const auto [density, x, y, z, energy] =
        co_await w.all(w.load((*from)[0], e, where), w.load((*from)[1], e, where), w.load((*from)[2], e, where),
                       w.load((*from)[3], e, where), w.load((*from)[4], e, where));
    state_values s{density, x, y, z, energy};
    set_far(s, !where);
    co_return s;
}

kernel euler_workload::begin(wave w) {
    const auto e = w.global_ids();
    const auto factor = map([this](std::uint64_t k) { return disturbance(k); }, e);
    for (unsigned k = 0; k < 5; ++k) co_await w.store(state_[k], e, factor * far_state[k], e < n_);
}

kernel euler_workload::find_step(wave w) {
    const auto e = per_thread<std::uint32_t>(w.global_ids());
    const mask in = e < n_;
    const state_values state = co_await load_state(w, &state_, e, in);
    reals surface;
    for (const auto& face : normal_) {
        const auto [x, y, z] = co_await w.all(w.load(face[0], e, in), w.load(face[1], e, in), w.load(face[2], e, in));
        surface += sqrt(x * x + y * y + z * z);
    }
    w.work(40);
    co_await w.store(stride_, e, courant_number / (surface * flow_values(state).wave), in);
    for (unsigned k = 0; k < 5; ++k) co_await w.store(old_[k], e, state[k], in);
}

kernel euler_workload::sum_fluxes(wave w) {
    const auto e = per_thread<std::uint32_t>(w.global_ids());
    const mask in = e < n_;
    const state_values here = co_await load_state(w, &state_, e, in);
    const flow_values flow(here);
    state_values sum;
    for (unsigned f = 0; f < 4; ++f) {
        const auto [beyond, nx, ny, nz] = co_await w.all(w.load(beyond_[f], e, in), w.load(normal_[f][0], e, in),
                                                         w.load(normal_[f][1], e, in), w.load(normal_[f][2], e, in));
        const mask wall = in && beyond == tetrahedral_mesh::wall;
        const state_values there = co_await load_state(w, &state_, beyond, in && beyond < n_);
        const flow_values other(there);
        const vector_values normal{nx, ny, nz};
        const reals area = sqrt(nx * nx + ny * ny + nz * nz);
        const reals wave_area = max(flow.wave, other.wave) * area;
        reals out_here, out_there;  // volume that leaves with the gas of either side
        for (unsigned d = 0; d < 3; ++d) {
            out_here += flow.velocity[d] * normal[d];
            out_there += other.velocity[d] * normal[d];
        }
        for (unsigned k = 0; k < 5; ++k) {
            reals through = here[k] * out_here + there[k] * out_there - wave_area * (there[k] - here[k]);
            reals at_wall;
            if (k > 0 && k < 4) {
                through += (flow.pressure + other.pressure) * normal[k - 1];
                at_wall = flow.pressure * normal[k - 1];
            }
            if (k == 4) through += flow.pressure * out_here + other.pressure * out_there;
            sum[k] += select(wall, at_wall, 0.5 * through);
        }
        w.work(110);
    }
    for (unsigned k = 0; k < 5; ++k) co_await w.store(flux_[k], e, sum[k], in);
}

kernel euler_workload::update(wave w) {
    const auto e = w.global_ids();
    const mask in = e < n_;
    const auto share = co_await w.load(stride_, e, in) / (sub_steps - sub_step_);
    for (unsigned k = 0; k < 5; ++k) {
        const auto [old, flux] = co_await w.all(w.load(old_[k], e, in), w.load(flux_[k], e, in));
        co_await w.store(state_[k], e, old - share * flux, in);
    }
}

std::string euler_workload::verify(device_memory& memory) {
    std::vector<gas_state> states(n_);
    for (std::uint32_t e = 0; e < n_; ++e)
        for (unsigned k = 0; k < 5; ++k) states[e][k] = disturbance(e) * far_state[k];
    flow(mesh_, states, spec_.steps);
    // Single precision: about a hundred operations per element and sub-step, rounded to 2^-24 each; errors are damped.
    const double tolerance = spec_.steps * sub_steps * 100 * 0x1p-24;
    constexpr std::array names{"density", "momentum in x", "momentum in y", "momentum in z", "energy"};
    std::string wrong;
    for (unsigned k = 0; k < 5 && wrong.empty(); ++k) {
        const auto single = memory.read(state_[k]);
        std::vector<double> right(n_);
        for (std::uint32_t e = 0; e < n_; ++e) right[e] = states[e][k];
        wrong = difference(names[k], std::vector<double>(single.begin(), single.end()), right, tolerance, 1);
    }
    return wrong;
}

}  // namespace

workload_entry euler() {
    return entry_of<euler_workload>("euler", "compressible flow over an unstructured mesh of tetrahedra",
                                    "CFD (Euler3D) of Rodinia");
}

}  // namespace contraflow::workloads
