// SPDX-License-Identifier: Apache-2.0
// The tests of the queue, for the program of tb/lib.
#include <array>

#include <fmt/format.h>

#include "core/random.h"
#include "fifo/fifo_bench.h"
#include "lib/stream.h"
#include "lib/suite_if.h"

namespace contraflow::fifo {
namespace {

constexpr std::array<const char*, static_cast<std::size_t>(cover_point::count)> names{{
#define CF_COVER_POINT(id, name) name,
#include "fifo/cover_points.inc"
#undef CF_COVER_POINT
}};

class fifo_suite final : public lib::suite_if {
public:
    fifo_suite(std::uint32_t variant, bool cover)
        : block_(make_block(variant)),
          cover_(names),
          bench_(*block_, cover ? &cover_ : nullptr) {}

    bool reset() override { return bench_.reset(); }
    void begin_test() override { bench_.begin_test(); }
    const lib::findings& found() const override { return bench_.found(); }
    void directed(bool long_tests, const lib::test_list& list) override;
    bool random(std::uint64_t seed, std::uint64_t cycles) override;

    std::vector<lib::counted> compared() const override {
        return {{"cycles", bench_.cycles()}, {"words", bench_.words()}};
    }
    void write_cover(std::ostream& to) const override { cover_.write(to); }
    void clear_coverage() override { block_->clear_coverage(); }
    void write_coverage(const std::string& file) override { block_->write_coverage(file); }

private:
    // After a reset, `words` are put in.
    bool filled(std::uint64_t words) {
        if (!bench_.reset()) return false;
        for (std::uint64_t i = 0; i < words; ++i)
            if (!bench_.cycle({.in_valid = true, .in_data = word(i)})) return false;
        return true;
    }
    // Different for each of many i, with every bit at 0 and at 1.
    std::uint64_t word(std::uint64_t i) const {
        const unsigned width = bench_.size().width;
        return core::mix64(i + 1) & (width < 64 ? (1ull << width) - 1 : ~0ull);
    }
    bool words_pass(std::uint64_t level);
    bool refuses(std::uint64_t level);
    bool resets(std::uint64_t level);
    bool bits();

    std::unique_ptr<fifo_block> block_;
    lib::cover_counts cover_;
    fifo_bench bench_;
};

// With so many inside, a word enters and one leaves in every cycle, several times around.
bool fifo_suite::words_pass(std::uint64_t level) {
    if (!filled(level)) return false;
    for (std::uint64_t i = 0; i < 5ull * bench_.size().depth; ++i)
        if (!bench_.cycle({.in_valid = true, .in_data = word(100 + i), .out_ready = true})) return false;
    return bench_.drain();
}

// What is offered to a full queue, and asked of an empty one, changes nothing.
bool fifo_suite::refuses(std::uint64_t level) {
    if (!filled(level)) return false;
    for (unsigned i = 0; i < 3; ++i)
        if (!bench_.cycle({.in_valid = level != 0, .in_data = ~word(i) & word(i + 1), .out_ready = level == 0}))
            return false;
    return bench_.drain();
}

bool fifo_suite::resets(std::uint64_t level) {
    if (!filled(level) || !bench_.reset() || !bench_.cycle({})) return false;
    return words_pass(level);
}

// Each bit of the word alone, and all but that, in each place.
bool fifo_suite::bits() {
    if (!bench_.reset()) return false;
    for (unsigned bit = 0; bit < bench_.size().width; ++bit)
        for (unsigned i = 0; i <= bench_.size().depth; ++i)
            for (const std::uint64_t flip : {0ull, ~0ull}) {
                const std::uint64_t data = ((1ull << bit) ^ flip) & (~0ull >> (64 - bench_.size().width));
                if (!bench_.cycle({.in_valid = true, .in_data = data, .out_ready = true})) return false;
            }
    return bench_.drain();
}

void fifo_suite::directed(bool, const lib::test_list& list) {
    bool going = true;
    const auto test = [&](const std::string& name, auto&& body) {
        if (!going || !list.wanted(name)) return;
        bench_.begin_test();
        const bool good = body() && bench_.found().empty();
        going = list.ended(name, good);
    };
    for (std::uint64_t level = 0; level <= bench_.size().depth; ++level) {
        test(fmt::format("words pass with {} inside", level), [&] { return words_pass(level); });
        test(fmt::format("reset with {} inside", level), [&] { return resets(level); });
    }
    test("an empty queue gives nothing", [&] { return refuses(0); });
    test("a full queue takes nothing", [&] { return refuses(bench_.size().depth); });
    test("each bit in each place", [&] { return bits(); });
}

bool fifo_suite::random(std::uint64_t seed, std::uint64_t cycles) {
    core::random_source r(core::mix64(seed));
    const std::uint64_t from = seed % lib::patterns, to = seed / lib::patterns % lib::patterns;
    bench_.hit(
        static_cast<cover_point>(static_cast<std::uint64_t>(cover_point::load_none_none) + lib::patterns * from + to));
    lib::stream_source source(r.next(), static_cast<lib::pattern>(from), bench_.size().width);
    lib::stream_sink sink(r.next(), static_cast<lib::pattern>(to));
    const std::uint64_t reset_every = r.below(3) == 0 ? 20 + r.below(400) : 0;
    if (!bench_.reset()) return false;
    for (std::uint64_t i = 0; i < cycles; ++i) {
        const bool empty = bench_.inside().empty(), full = bench_.inside().size() == bench_.size().depth;
        source.begin_cycle(empty || full);
        inputs in{.in_valid = source.valid(), .in_data = source.data(), .out_ready = sink.ready(empty || full)};
        if (reset_every != 0 && r.below(reset_every) == 0) in.rst_n = false;
        if (!bench_.cycle(in)) return false;
        if (in.rst_n)
            source.end_cycle(bench_.out().in_ready);
        else
            source.reset();
    }
    return bench_.drain();
}

}  // namespace
}  // namespace contraflow::fifo

namespace contraflow::lib {

std::unique_ptr<suite_if> make_suite(std::uint32_t variant, bool cover) {
    return std::make_unique<fifo::fifo_suite>(variant, cover);
}

}  // namespace contraflow::lib
