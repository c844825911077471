// SPDX-License-Identifier: Apache-2.0
// Fast Fourier transform of 2^k complex numbers: passes of radix 4, and one of radix 2 if k is odd. The passes also
// sort (Stockham's arrangement): each reads from four quarters of one array and writes runs of the other.
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

#include "workloads/support/butterfly.h"
#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/input.h"

namespace contraflow::workloads {
namespace {

using namespace gpu;
using indices = per_thread<std::uint64_t>;

struct complex_values {
    per_thread<double> re, im;
    friend complex_values operator+(const complex_values& a, const complex_values& b) {
        return {a.re + b.re, a.im + b.im};
    }
    friend complex_values operator-(const complex_values& a, const complex_values& b) {
        return {a.re - b.re, a.im - b.im};
    }
    friend complex_values operator*(const complex_values& a, const complex_values& b) {
        return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    }
    complex_values turned() const { return {-im, re}; }  // times i
};

struct complex_array {
    array<double> re, im;
};

class fft_workload final : public workload_if {
public:
    struct spec : butterfly_spec {
        static void describe(config::fields<spec>& f) {
            describe_butterfly(f, "2^bits complex numbers", "seed of the input", 2);
        }
    };
    static spec sized(workload_size size) {
        spec s;
        if (size == workload_size::paper) s.bits = 20;
        return s;
    }
    explicit fft_workload(const spec& s) : spec_(s), n_(s.elements()) {}

    void prepare(device_memory& memory) override {
        for (complex_array* a : {&x_, &y_}) {
            a->re = memory.allocate<double>(n_);
            a->im = memory.allocate<double>(n_);
        }
    }

    host_task run(gpu_system_if& gpu) override {
        co_await gpu.launch({"initialise", spec_.ctas_for(n_ / 4), spec_.block, this, &fft_workload::initialise});
        std::uint64_t stride = 1;
        for (; n_ / stride >= 4; stride *= 4) {
            co_await gpu.launch({"radix_4", spec_.ctas_for(n_ / 4), spec_.block,
                                 [this, stride](wave w) { return radix_4(w, stride); }});
            std::swap(x_, y_);
        }
        if (n_ / stride == 2) {
            co_await gpu.launch({"radix_2", spec_.ctas_for(n_ / 4), spec_.block, this, &fft_workload::radix_2});
            std::swap(x_, y_);
        }
    }

    std::string verify(device_memory& memory) override {
        std::vector<std::complex<double>> x(n_);
        for (std::uint64_t i = 0; i < n_; ++i) x[i] = {input(spec_.seed, i), input(~spec_.seed, i)};
        x = transformed_on_host(x);
        std::vector<double> re(n_), im(n_);
        for (std::uint64_t i = 0; i < n_; ++i) {
            re[i] = x[i].real();
            im[i] = x[i].imag();
        }
        // Each pass rounds a few times, relative to the whole signal's norm, which is below sqrt(n).
        const double norm = std::sqrt(static_cast<double>(n_)), tolerance = spec_.bits * 0x1p-51;
        if (auto wrong = difference("re", memory.read(x_.re), re, tolerance, norm); !wrong.empty()) return wrong;
        return difference("im", memory.read(x_.im), im, tolerance, norm);
    }

private:
    static double input(std::uint64_t seed, std::uint64_t i) { return input_real(seed, i) - 0.5; }

    kernel initialise(wave w) {
        for (auto i : w.own(n_)) {
            co_await w.all(w.store(x_.re, i, input_real(spec_.seed, i) - 0.5),
                           w.store(x_.im, i, input_real(~spec_.seed, i) - 0.5));
        }
    }

    // `stride` interleaved transforms of n / stride points each.
    kernel radix_4(wave w, std::uint64_t stride) {
        const std::uint64_t quarter = n_ / 4;
        for (auto i : w.own(quarter)) {
            const auto [r0, i0, r1, i1, r2, i2, r3, i3] = co_await w.all(
                w.load(x_.re, i), w.load(x_.im, i), w.load(x_.re, i + quarter), w.load(x_.im, i + quarter),
                w.load(x_.re, i + 2 * quarter), w.load(x_.im, i + 2 * quarter), w.load(x_.re, i + 3 * quarter),
                w.load(x_.im, i + 3 * quarter));
            const complex_values a{r0, i0}, b{r1, i1}, c{r2, i2}, d{r3, i3};
            const auto w1 = root(i / stride, n_ / stride);
            const auto w2 = w1 * w1;
            const auto turned = (b - d).turned();
            const complex_values y0 = a + c + (b + d), y1 = w1 * (a - c - turned), y2 = w2 * (a + c - (b + d)),
                                 y3 = w1 * w2 * (a - c + turned);
            w.work(60);
            const auto to = i % stride + i / stride * (4 * stride);
            const auto to1 = to + stride, to2 = to + 2 * stride, to3 = to + 3 * stride;
            co_await w.all(w.store(y_.re, to, y0.re), w.store(y_.im, to, y0.im), w.store(y_.re, to1, y1.re),
                           w.store(y_.im, to1, y1.im), w.store(y_.re, to2, y2.re), w.store(y_.im, to2, y2.im),
                           w.store(y_.re, to3, y3.re), w.store(y_.im, to3, y3.im));
        }
    }

    kernel radix_2(wave w) {
        const std::uint64_t half = n_ / 2;
        for (auto i : w.own(half)) {
            const auto [r0, i0, r1, i1] =
                co_await w.all(w.load(x_.re, i), w.load(x_.im, i), w.load(x_.re, i + half), w.load(x_.im, i + half));
            w.work(4);
            co_await w.all(w.store(y_.re, i, r0 + r1), w.store(y_.im, i, i0 + i1), w.store(y_.re, i + half, r0 - r1),
                           w.store(y_.im, i + half, i0 - i1));
        }
    }

    // exp(-2 pi i k / n)
    static complex_values root(const indices& k, std::uint64_t n) {
        const double angle = -2 * std::numbers::pi / static_cast<double>(n);
        return {map([angle](std::uint64_t p) { return std::cos(angle * static_cast<double>(p)); }, k),
                map([angle](std::uint64_t p) { return std::sin(angle * static_cast<double>(p)); }, k)};
    }

    // Works in place, by radix 2 after a reversal of the indices' bits.
    static std::vector<std::complex<double>> transformed_on_host(std::vector<std::complex<double>> x) {
        const std::size_t n = x.size();
        for (std::size_t i = 1, j = 0; i < n; ++i) {
            std::size_t bit = n >> 1;
            for (; (j & bit) != 0; bit >>= 1) j ^= bit;
            j ^= bit;
            if (i < j) std::swap(x[i], x[j]);
        }
        for (std::size_t length = 2; length <= n; length *= 2) {
            std::vector<std::complex<double>> roots(length / 2);
            for (std::size_t k = 0; k < roots.size(); ++k)
                roots[k] =
                    std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(length));
            for (std::size_t first = 0; first < n; first += length) {
                for (std::size_t k = 0; k < length / 2; ++k) {
                    const auto even = x[first + k], odd = roots[k] * x[first + k + length / 2];
                    x[first + k] = even + odd;
                    x[first + k + length / 2] = even - odd;
                }
            }
        }
        return x;
    }

    const spec spec_;
    const std::uint64_t n_;
    complex_array x_, y_;
};

}  // namespace

workload_entry fft() {
    return entry_of<fft_workload>("fft", "a long Fourier transform: each pass reads from all sockets",
                                  "spectral methods, signal processing, butterfly exchanges");
}

}  // namespace contraflow::workloads
