// SPDX-License-Identifier: Apache-2.0
// Any bytes give a sound trace or one clear error. A trace in text form is also one in bytes, and the bytes give the
// same text again. A trace that was accepted can be replayed. What would be refused for its checksum alone is tried
// with the right one as well.
#include <algorithm>
#include <cstdint>
#include <span>
#include <sstream>
#include <string>

#include "core/little_endian.h"
#include "fuzz_target.h"
#include "gpu/kernel/ideal_machine.h"
#include "text/text_fields.h"
#include "traces/replay.h"
#include "traces/text_form.h"
#include "traces/trace.h"

namespace {

using namespace contraflow;

std::string in_bytes(const std::string& text) {
    std::istringstream in(text);
    std::ostringstream out;
    traces::to_bytes(in, "fuzz.txt", out);
    return out.str();
}

std::string in_text(const std::string& contents) {
    std::ostringstream out;
    traces::to_text(traces::trace(traces::bytes(contents.begin(), contents.end())), out);
    return out.str();
}

// Whether its machine is small enough for one of thousands of inputs.
bool is_small(const traces::trace& t) {
    constexpr std::uint64_t most_bytes = 1 << 20, most_threads = 4096;
    std::uint64_t bytes = 0, threads = 0;
    for (const std::uint64_t b : t.array_bytes()) bytes += std::min(b, most_bytes);
    for (const auto& l : t.launches()) {
        bytes += std::min(l.shared.count, most_bytes);
        threads += std::min(std::min(l.grid.count(), most_threads) * l.block.count(), most_threads);
    }
    return bytes < most_bytes && threads < most_threads;
}

void replayed(const std::string& contents) {
    traces::trace t(traces::bytes(contents.begin(), contents.end()));
    if (!is_small(t)) return;
    gpu::ideal_machine machine({.wave_width = t.wave_width()});
    traces::replay again(std::move(t));
    try {
        again.prepare(machine.memory());
    } catch (const traces::rights_not_kept&) { return; }
    machine.run(again.run(machine));
    fuzz::must(again.verify().empty(), again.verify());
}

// Its last eight bytes are the checksum of those before.
std::string mended(std::string contents) {
    constexpr std::size_t sum = sizeof(std::uint64_t);
    if (contents.size() < sum) return contents;
    auto* const bytes = reinterpret_cast<std::uint8_t*>(contents.data());
    const std::size_t end = contents.size() - sum;
    core::store_le<std::uint64_t>(bytes + end, traces::checksum(std::span(bytes, end)));
    return contents;
}

// The text form has no empty traces and no empty arrays.
bool has_text(const std::string& contents) {
    const traces::trace t(traces::bytes(contents.begin(), contents.end()));
    return !t.launches().empty() && std::ranges::find(t.array_bytes(), 0u) == t.array_bytes().end();
}

void read_bytes(const std::string& contents) {
    try {
        const std::string text = in_text(contents);
        if (has_text(contents)) fuzz::must(in_text(in_bytes(text)) == text, "bytes whose text is another trace", text);
        replayed(contents);
    } catch (const traces::bad_trace&) {}
}

void read_trace(const std::string& input) {
    read_bytes(input);
    read_bytes(mended(input));
    std::string contents;
    try {
        contents = in_bytes(input);
    } catch (const text::input_error&) { return; }
    const std::string text = in_text(contents);
    fuzz::must(in_text(in_bytes(text)) == text, "another text the second time", text);
    replayed(contents);
}

}  // namespace

CF_FUZZ(trace, read_trace)
