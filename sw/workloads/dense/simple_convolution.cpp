// SPDX-License-Identifier: Apache-2.0
// The convolution of an image: every result is a weighted sum of the pixels around it; pixels beyond the edge are 0.
#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/input.h"
#include "workloads/support/staging.h"

namespace contraflow::workloads {
namespace {

using namespace gpu;

class simple_convolution_workload final : public workload_if {
public:
    struct spec {
        std::uint32_t width = 256;
        std::uint32_t height = 256;
        std::uint32_t side = 3;
        std::uint64_t seed = 1;

        static void describe(config::fields<spec>& f) {
            f("width", &spec::width).in(1, 1 << 16).unit("pixels").text("width of the image");
            f("height", &spec::height).in(1, 1 << 16).unit("lines").text("height of the image");
            f("side", &spec::side)
                .in(1, 31)
                .check([](std::uint32_t s) { return s % 2 == 1; }, "an odd number")
                .unit("pixels")
                .text("side of the square of weights");
            f("seed", &spec::seed).text("seed of pixels and weights");
        }
    };
    static spec sized(workload_size size) { return size == workload_size::paper ? spec{2048, 1024, 5, 1} : spec{}; }
    explicit simple_convolution_workload(const spec& s) : spec_(s) {}

    void prepare(device_memory& memory) override {
        image_ = memory.allocate<std::int32_t>(pixels());
        result_ = memory.allocate<std::int32_t>(pixels());
        std::vector<std::int32_t> weights(std::size_t{spec_.side} * spec_.side);
        for (std::size_t k = 0; k < weights.size(); ++k) weights[k] = weight(k);
        weights_ = memory.upload(weights);
    }

    host_task run(gpu_system_if& gpu) override {
        const unsigned width = gpu.wave_width();
        const dim3 block(width, lines), grid(blocks_for(spec_.width, width), blocks_for(spec_.height, lines));
        co_await gpu.launch({"initialise", grid, block, this, &simple_convolution_workload::initialise});
        co_await gpu.launch({"convolve", grid, block, this, &simple_convolution_workload::convolve,
                             core::bytes{weights_.size() * sizeof(std::int32_t)}});
    }

    // Goes from every pixel to the results that it contributes to.
    std::string verify(device_memory& memory) override {
        const std::int64_t width = spec_.width, height = spec_.height, side = spec_.side, reach = side / 2;
        std::vector<std::int32_t> result(pixels());
        for (std::int64_t y = 0; y < height; ++y) {
            for (std::int64_t x = 0; x < width; ++x) {
                const std::int32_t value = pixel(static_cast<std::uint64_t>(y * width + x));
                for (std::int64_t k = 0; k < side * side; ++k) {
                    const std::int64_t to_x = x + reach - k % side, to_y = y + reach - k / side;
                    if (to_x < 0 || to_x >= width || to_y < 0 || to_y >= height) continue;
                    result[static_cast<std::size_t>(to_y * width + to_x)] +=
                        weight(static_cast<std::uint64_t>(k)) * value;
                }
            }
        }
        return difference("result", memory.read(result_), result);
    }

private:
    static constexpr std::uint32_t lines = 8;  // per CTA, one for each wavefront

    std::size_t pixels() const { return std::size_t{spec_.width} * spec_.height; }
    std::int32_t pixel(std::uint64_t i) const { return static_cast<std::int32_t>(input_word(spec_.seed, i) >> 56); }
    std::int32_t weight(std::uint64_t k) const {
        return static_cast<std::int32_t>(input_word(~spec_.seed, k) >> 60) - 8;
    }

    kernel initialise(wave w) {
        const std::uint64_t y = std::uint64_t{w.cta_place().y} * lines + w.wave_in_cta();
        if (y >= spec_.height) co_return;
        const per_thread<std::uint64_t> x(w.global_x());
        const auto i = y * spec_.width + x;
        co_await w.store(image_, i, map([this](std::uint64_t k) { return pixel(k); }, i), x < spec_.width);
    }

    kernel convolve(wave w) {
        const auto weights = w.shared<std::int32_t>(weights_.size());
        co_await stage(w, weights_, weights);
        const std::uint64_t y = std::uint64_t{w.cta_place().y} * lines + w.wave_in_cta();
        if (y >= spec_.height) co_return;
        const per_thread<std::uint64_t> x(w.global_x());
        const auto in = w.only(x < spec_.width);
        per_thread<std::int32_t> sum;
        for (std::uint32_t k = 0; k < weights_.size(); ++k) {
            // A position before the first line or column wraps to a large unsigned number beyond the last.
            const std::uint64_t line = y + k / spec_.side - spec_.side / 2;
            const auto column = x + k % spec_.side - spec_.side / 2;
            if (line >= spec_.height) continue;
            const auto value = co_await w.load(image_, line * spec_.width + column, column < spec_.width);
            sum += weights[k] * value;
            w.work(2);
        }
        co_await w.store(result_, y * spec_.width + x, sum);
    }

    const spec spec_;
    array<std::int32_t> image_, result_, weights_;
};

}  // namespace

workload_entry simple_convolution() {
    return entry_of<simple_convolution_workload>(
        "simple_convolution", "an image under a square of weights; lines at the border of two sockets' parts cross",
        "SimpleConvolution of the AMD APP SDK, filters of images", suite::gpus);
}

}  // namespace contraflow::workloads
