// SPDX-License-Identifier: Apache-2.0
#include "pcie/model/orders/speed_table.h"

#include <algorithm>

#include "pcie/model/orders/jobs.h"

namespace contraflow::pcie::model {
namespace {

// In a range of codes, fills the rows of codes that no symmetry maps to a smaller code, and their images.
class row_filler {
public:
    row_filler(const order_space& space, std::size_t slots, double* speeds)
        : space_(space),
          slots_(slots),
          speeds_(speeds),
          solver_(space.paths()),
          active_(space.sources()),
          row_(slots) {
        // The contribution of (source, active send) to the code of a symmetry's image; send 0 means idle.
        for (const order_symmetry& g : space.symmetries()) {
            auto& adds = adds_.emplace_back();
            for (std::size_t s = 0; s < space.sources(); ++s) {
                offset_.resize(s + 1);
                offset_[s] = adds.size();
                adds.push_back(0);
                for (const std::uint32_t send : g.send[s]) adds.push_back(space.radix(g.source[s]) * (send + 1));
            }
        }
    }

    void fill(std::uint64_t from, std::uint64_t to) {
        for (std::size_t s = 0; s < active_.size(); ++s)
            active_[s] = static_cast<std::uint8_t>(from / space_.radix(s) % (space_.sends(s).size() + 1) - 1);
        for (std::uint64_t code = from; code < to; ++code, next())
            if (is_smallest(code)) fill_images();
    }

private:
    static_assert(static_cast<std::uint8_t>(-1) == order_space::idle);

    void next() {
        for (std::size_t s = active_.size(); s-- > 0;) {
            if (++active_[s] != space_.sends(s).size()) return;
            active_[s] = order_space::idle;
        }
    }
    std::uint64_t image_code(std::size_t g) const {
        std::uint64_t code = 0;
        for (std::size_t s = 0; s < active_.size(); ++s)
            code += adds_[g][offset_[s] + static_cast<std::uint8_t>(active_[s] + 1)];
        return code;
    }
    bool is_smallest(std::uint64_t code) const {
        for (std::size_t g = 1; g < adds_.size(); ++g)
            if (image_code(g) < code) return false;
        return true;
    }
    void fill_images() {
        compute_speeds(space_, solver_, active_.data(), row_.data(), slots_);
        for (std::size_t g = 0; g < adds_.size(); ++g) {
            double* const row = speeds_ + image_code(g) * slots_;
            for (std::size_t s = 0; s < active_.size(); ++s) row[space_.symmetries()[g].source[s]] = row_[s];
        }
    }

    const order_space& space_;
    std::size_t slots_;
    double* speeds_;
    congestion_solver solver_;
    std::vector<std::uint8_t> active_;
    std::vector<double> row_;
    std::vector<std::vector<std::uint64_t>> adds_;  // by symmetry
    std::vector<std::size_t> offset_;               // by source, within a row of adds_
};

}  // namespace

void compute_speeds(const order_space& space, congestion_solver& solver, const std::uint8_t* active, double* speeds,
                    std::size_t slots) {
    std::array<path_id, order_space::most_sources> paths;
    std::array<std::uint8_t, order_space::most_sources> sources;
    std::size_t n = 0;
    for (std::size_t s = 0; s < space.sources(); ++s) {
        if (active[s] == order_space::idle) continue;
        paths[n] = space.sends(s)[active[s]].path;
        sources[n++] = static_cast<std::uint8_t>(s);
    }
    const auto rates = solver.solve({paths.data(), n});
    std::fill(speeds, speeds + slots, 0.0);
    for (std::size_t i = 0; i < n; ++i)
        speeds[sources[i]] = rates[i] / space.sends(sources[i])[active[sources[i]]].alone_s;
}

shared_speeds::shared_speeds(const order_space& space, std::size_t slots, std::uint64_t most_codes, unsigned jobs) {
    if (!space.has_codes() || space.codes() > most_codes) return;
    speeds_.assign(space.codes() * slots, 0.0);
    constexpr std::uint64_t chunk = 4096;
    const std::uint64_t chunks = (space.codes() + chunk - 1) / chunk;
    run_jobs(jobs, chunks, [&](std::uint64_t first, auto take) {
        row_filler filler(space, slots, speeds_.data());
        for (std::uint64_t c = first; c < chunks; c = take())
            filler.fill(c * chunk, std::min((c + 1) * chunk, space.codes()));
    });
}

}  // namespace contraflow::pcie::model
