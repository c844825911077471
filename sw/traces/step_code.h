// SPDX-License-Identifier: Apache-2.0
// The steps of one wavefront as bytes (docs/traces.md). Offsets are differences to the last one in the same array, so
// that a loop's accesses take a few bytes each.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "traces/byte_stream.h"
#include "traces/step.h"

namespace contraflow::traces {

inline constexpr std::uint64_t most_accesses = 1024;  // per instruction

// The last offset at which each array was accessed.
class last_offsets {
public:
    std::uint64_t& of(std::uint32_t array) {
        if (array >= last_.size()) last_.resize(array + 1);
        return last_[array];
    }
    void clear() { last_.clear(); }

private:
    std::vector<std::uint64_t> last_;
};

class step_encoder {
public:
    explicit step_encoder(unsigned wave_width = gpu::default_wave_width) : everything_(gpu::mask::first(wave_width)) {}

    void clear();
    void add(const step& s);
    const bytes& encoded() const { return bytes_; }
    std::uint64_t count() const { return count_; }

private:
    void add(const access& a);

    const gpu::mask everything_;
    bytes bytes_;
    std::uint64_t count_ = 0;
    last_offsets last_;
};

class step_decoder {
public:
    // `array_bytes`: the size of each array; an access beyond one is a bad_trace. Both must outlive this.
    void begin(byte_reader from, std::span<const std::uint64_t> array_bytes,
               unsigned wave_width = gpu::default_wave_width);
    // False at the end.
    bool next(step& s);

private:
    void read(access& a);

    byte_reader from_;
    std::span<const std::uint64_t> array_bytes_;
    last_offsets last_;
    unsigned wave_width_ = gpu::default_wave_width;
    std::uint64_t loads_ = 0;  // so far
};

}  // namespace contraflow::traces
