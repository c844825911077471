// SPDX-License-Identifier: Apache-2.0
#include "workloads/stencil/multigrid_host.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace contraflow::workloads {
namespace {

// n cells along each edge and one more on either side, in two or three dimensions.
class field {
public:
    field(int n, int dimensions)
        : n_(n),
          d_(dimensions),
          values_(static_cast<std::size_t>((n + 2) * (n + 2)) * static_cast<std::size_t>(d_ == 3 ? n + 2 : 1)) {}

    int n() const { return n_; }
    int dimensions() const { return d_; }
    // The third coordinate is 0 in two dimensions.
    double& operator()(int i, int j, int k) { return values_[place(i, j, k)]; }
    double operator()(int i, int j, int k) const { return values_[place(i, j, k)]; }

    template <class Function> void each(Function f) const {
        for (int k = 0; k < (d_ == 3 ? n_ : 1); ++k)
            for (int j = 0; j < n_; ++j)
                for (int i = 0; i < n_; ++i) f(i, j, k);
    }

    // Border cells take values that make u 0 on the faces; edges and corners follow from the faces.
    void mirror() {
        const int low = -1, high = n_;
        const int first_k = d_ == 3 ? low : 0, last_k = d_ == 3 ? high : 0;
        if (d_ == 3) {
            for (int j = 0; j < n_; ++j) {
                for (int i = 0; i < n_; ++i) {
                    (*this)(i, j, low) = -(*this)(i, j, 0);
                    (*this)(i, j, high) = -(*this)(i, j, n_ - 1);
                }
            }
        }
        for (int k = first_k; k <= last_k; ++k) {
            for (int i = 0; i < n_; ++i) {
                (*this)(i, low, k) = -(*this)(i, 0, k);
                (*this)(i, high, k) = -(*this)(i, n_ - 1, k);
            }
            for (int j = low; j <= high; ++j) {
                (*this)(low, j, k) = -(*this)(0, j, k);
                (*this)(high, j, k) = -(*this)(n_ - 1, j, k);
            }
        }
    }

private:
    std::size_t place(int i, int j, int k) const {
        return (static_cast<std::size_t>(d_ == 3 ? k + 1 : 0) * static_cast<std::size_t>(n_ + 2) +
                static_cast<std::size_t>(j + 1)) *
                   static_cast<std::size_t>(n_ + 2) +
               static_cast<std::size_t>(i + 1);
    }

    int n_, d_;
    std::vector<double> values_;
};

// h^2 (f - A u); the border of u is set.
double scaled_residual(const field& u, const field& f, int i, int j, int k) {
    const double h = 1.0 / u.n();
    double laplace = u(i - 1, j, k) + u(i + 1, j, k) + u(i, j - 1, k) + u(i, j + 1, k) - 4 * u(i, j, k);
    if (u.dimensions() == 3) laplace += u(i, j, k - 1) + u(i, j, k + 1) - 2 * u(i, j, k);
    return h * h * f(i, j, k) + laplace;
}

void sweep(field& u, const field& f, double damping) {
    u.mirror();
    const field old = u;
    u.each(
        [&](int i, int j, int k) { u(i, j, k) += damping / (2 * u.dimensions()) * scaled_residual(old, f, i, j, k); });
}

void add_interpolated(field& fine, field& coarse) {
    coarse.mirror();
    const bool deep = fine.dimensions() == 3;
    fine.each([&](int i, int j, int k) {
        const int ci = i / 2, cj = j / 2, ck = deep ? k / 2 : 0;
        const int di = i % 2 == 0 ? -1 : 1, dj = j % 2 == 0 ? -1 : 1, dk = k % 2 == 0 ? -1 : 1;
        const auto plane = [&](int kk) {
            return (9 * coarse(ci, cj, kk) + 3 * coarse(ci + di, cj, kk) + 3 * coarse(ci, cj + dj, kk) +
                    coarse(ci + di, cj + dj, kk)) /
                   16;
        };
        fine(i, j, k) += deep ? (3 * plane(ck) + plane(ck + dk)) / 4 : plane(ck);
    });
}

void cycle(const multigrid_spec& s, field& u, const field& f) {
    if (!multigrid_spec::coarsens(static_cast<std::uint32_t>(u.n()))) {
        for (unsigned k = 0; k < s.bottom; ++k) sweep(u, f, s.damping());
        return;
    }
    for (unsigned k = 0; k < s.pre; ++k) sweep(u, f, s.damping());
    u.mirror();
    const int d = u.dimensions();
    field coarse_u(u.n() / 2, d), coarse_f(u.n() / 2, d);
    const double h = 1.0 / u.n(), share = d == 3 ? 0.125 : 0.25;
    u.each([&](int i, int j, int k) {
        coarse_f(i / 2, j / 2, d == 3 ? k / 2 : 0) += share / (h * h) * scaled_residual(u, f, i, j, k);
    });
    cycle(s, coarse_u, coarse_f);
    add_interpolated(u, coarse_u);
    for (unsigned k = 0; k < s.post; ++k) sweep(u, f, s.damping());
}

field right_hand_side(const multigrid_spec& s) {
    field f(static_cast<int>(s.grid), static_cast<int>(s.dimensions));
    const auto wave = [&](int i) { return std::sin(std::numbers::pi * (i + 0.5) / f.n()); };
    std::vector<double> along(s.grid);
    for (int i = 0; i < f.n(); ++i) along[static_cast<std::size_t>(i)] = wave(i);
    const auto at = [&](int i) { return along[static_cast<std::size_t>(i)]; };
    const double scale = s.dimensions * std::numbers::pi * std::numbers::pi;
    f.each([&](int i, int j, int k) { f(i, j, k) = scale * at(i) * at(j) * (s.dimensions == 3 ? at(k) : 1.0); });
    return f;
}

}  // namespace

std::vector<double> multigrid_host::solve() const {
    const field f = right_hand_side(spec_);
    field u(f.n(), f.dimensions());
    for (unsigned c = 0; c < spec_.cycles; ++c) cycle(spec_, u, f);
    std::vector<double> out;
    u.each([&](int i, int j, int k) { out.push_back(u(i, j, k)); });
    return out;
}

double multigrid_host::residual_norm(const std::vector<double>& values) const {
    const field f = right_hand_side(spec_);
    field u(f.n(), f.dimensions());
    auto next = values.begin();
    u.each([&](int i, int j, int k) { u(i, j, k) = *next++; });
    u.mirror();
    const double h = 1.0 / u.n();
    double largest = 0;
    u.each(
        [&](int i, int j, int k) { largest = std::max(largest, std::abs(scaled_residual(u, f, i, j, k)) / (h * h)); });
    return largest;
}

}  // namespace contraflow::workloads
