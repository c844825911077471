// SPDX-License-Identifier: Apache-2.0
// Images as a matrix that turns a convolution into a matrix product: a column has the pixels in one position of the
// window, and 0 beyond the image.
#include <optional>

#include "workloads/support/difference.h"
#include "workloads/support/entry.h"
#include "workloads/support/input.h"
#include "workloads/support/thread_spec.h"

namespace contraflow::workloads {
namespace {

using namespace gpu;

struct im2col_spec : thread_spec {
    std::uint32_t batch = 2;
    std::uint32_t channels = 3;
    std::uint32_t height = 32;
    std::uint32_t width = 32;
    std::uint32_t window = 3;
    std::uint32_t stride = 1;
    std::uint32_t pad = 1;
    std::uint32_t dilation = 1;
    std::uint64_t seed = 1;

    static void describe(config::fields<im2col_spec>& f) {
        f("batch", &im2col_spec::batch).in(1, 1 << 16).text("images");
        f("channels", &im2col_spec::channels).in(1, 1 << 16).text("channels of an image");
        f("height", &im2col_spec::height).in(1, 1 << 16).unit("pixels").text("height of an image");
        f("width", &im2col_spec::width).in(1, 1 << 16).unit("pixels").text("width of an image");
        f("window", &im2col_spec::window).in(1, 64).unit("pixels").text("side of the convolution's window");
        f("stride", &im2col_spec::stride)
            .in(1, 64)
            .unit("pixels")
            .text("step from one position of the window to the next");
        f("pad", &im2col_spec::pad).in(0, 64).unit("pixels").text("width of the border of zeros around the image");
        f("dilation", &im2col_spec::dilation)
            .in(1, 64)
            .unit("pixels")
            .text("distance between neighbours in the window");
        f("seed", &im2col_spec::seed).text("seed of the images");
        describe_threads(f);
    }
    std::uint64_t reach() const { return std::uint64_t{dilation} * (window - 1) + 1; }
    std::vector<config::problem> problems() const {
        if (reach() <= std::min(height, width) + 2ull * pad) return {};
        return {{"the window is larger than the image with its padding",
                 {{"window", "less"}, {"dilation", "less"}, {"pad", "more"}, {"height", "more"}, {"width", "more"}}}};
    }
    std::uint64_t rows_out() const { return (height + 2ull * pad - reach()) / stride + 1; }
    std::uint64_t columns_out() const { return (width + 2ull * pad - reach()) / stride + 1; }
    std::uint64_t positions() const { return batch * rows_out() * columns_out(); }
    std::uint64_t taps() const { return std::uint64_t{channels} * window * window; }
    std::uint64_t pixels() const { return std::uint64_t{batch} * channels * height * width; }
};

class im2col_workload final : public workload_if {
public:
    using spec = im2col_spec;

    static spec sized(workload_size size) {
        spec s;
        if (size == workload_size::paper) {
            s.batch = 8;
            s.channels = 16;
            s.height = s.width = 64;
        }
        return s;
    }
    explicit im2col_workload(const spec& s) : spec_(s) {}

    void prepare(device_memory& memory) override {
        images_ = memory.allocate<std::uint32_t>(spec_.pixels());
        matrix_ = memory.allocate<std::uint32_t>(spec_.taps() * spec_.positions());
    }
    host_task run(gpu_system_if& gpu) override {
        co_await gpu.launch(
            {"initialise", spec_.ctas_for(images_.size()), spec_.block, this, &im2col_workload::initialise});
        co_await gpu.launch({"im2col", spec_.ctas_for(matrix_.size()), spec_.block, this, &im2col_workload::gather});
    }
    std::string verify(device_memory& memory) override {
        return difference("matrix", memory.read(matrix_), by_pixel());
    }

private:
    std::uint32_t pixel(std::uint64_t i) const { return static_cast<std::uint32_t>(input_word(spec_.seed, i) >> 32); }

    // Goes from every pixel to its elements in the matrix; the kernel goes from elements to pixels.
    std::vector<std::uint32_t> by_pixel() const {
        std::vector<std::uint32_t> matrix(spec_.taps() * spec_.positions());
        // The position of the window whose tap t is pixel `at`; none if it is between two positions.
        const auto position = [this](std::uint32_t at, std::uint32_t t,
                                     std::uint64_t positions) -> std::optional<std::uint64_t> {
            const std::int64_t from = std::int64_t{at} + spec_.pad - std::int64_t{t} * spec_.dilation;
            if (from < 0 || from % spec_.stride != 0) return std::nullopt;
            const auto p = static_cast<std::uint64_t>(from) / spec_.stride;
            return p < positions ? std::optional(p) : std::nullopt;
        };
        std::uint64_t i = 0;
        for (std::uint32_t n = 0; n < spec_.batch; ++n)
            for (std::uint32_t c = 0; c < spec_.channels; ++c)
                for (std::uint32_t y = 0; y < spec_.height; ++y)
                    for (std::uint32_t x = 0; x < spec_.width; ++x, ++i)
                        for (std::uint32_t t = 0; t < spec_.window * spec_.window; ++t) {
                            const auto row = position(y, t / spec_.window, spec_.rows_out());
                            const auto column = position(x, t % spec_.window, spec_.columns_out());
                            if (!row || !column) continue;
                            const std::uint64_t line = std::uint64_t{c} * spec_.window * spec_.window + t;
                            matrix[line * spec_.positions() + (n * spec_.rows_out() + *row) * spec_.columns_out() +
                                   *column] = pixel(i);
                        }
        return matrix;
    }

    kernel initialise(wave w) {
        for (auto i : w.own(images_.size()))
            co_await w.store(images_, i, map([this](std::uint64_t k) { return pixel(k); }, i));
    }
    kernel gather(wave w) {
        const std::uint64_t window = spec_.window;
        for (auto e : w.own(matrix_.size())) {
            const auto position = e % spec_.positions(), tap = e / spec_.positions();
            // Unsigned: a position before the image's edge wraps to one beyond its end.
            const auto x = position % spec_.columns_out() * spec_.stride + tap % window * spec_.dilation - spec_.pad;
            const auto y = position / spec_.columns_out() % spec_.rows_out() * spec_.stride +
                           tap / window % window * spec_.dilation - spec_.pad;
            const auto image =
                position / (spec_.columns_out() * spec_.rows_out()) * spec_.channels + tap / (window * window);
            w.work(20);
            const auto value = co_await w.load(images_, (image * spec_.height + y) * spec_.width + x,
                                               x < spec_.width && y < spec_.height);
            co_await w.store(matrix_, e, value);
        }
    }

    const spec spec_;
    array<std::uint32_t> images_, matrix_;
};

}  // namespace

workload_entry im2col() {
    return entry_of<im2col_workload>("im2col", "images laid out as the matrix of a convolution: one read, many copies",
                                     "convolution layers as products of matrices (Caffe, DNNMark)", suite::gpus);
}

}  // namespace contraflow::workloads
