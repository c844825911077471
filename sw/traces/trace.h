// SPDX-License-Identifier: Apache-2.0
// A trace that has been read: its arrays, its launches, and the steps of their wavefronts, still as bytes and known to
// be sound.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "traces/byte_stream.h"
#include "traces/step_code.h"
#include "traces/trace_writer.h"

namespace contraflow::traces {

inline constexpr std::size_t longest_name = 1024;    // bytes, of a launch
inline constexpr std::uint64_t most_threads = 1024;  // per CTA
inline constexpr std::uint64_t most_ctas = std::uint64_t{1} << 48;
inline constexpr std::uint64_t most_bytes = std::uint64_t{1} << 40;  // in an array or a scratchpad

class trace {
public:
    struct wave {
        std::uint64_t cta;
        unsigned index;  // in the CTA
        std::size_t begin, end;
    };
    struct launch : launch_head {
        std::vector<wave> waves;  // in the order of CTAs; one that is missing does nothing
    };

    struct write : host_write {
        std::size_t launches = 0;  // made before it
    };

    trace() = default;
    // Throws bad_trace with the first error.
    explicit trace(bytes contents);

    unsigned wave_width() const { return wave_width_; }
    const std::vector<std::uint64_t>& array_bytes() const { return array_bytes_; }
    // The kernels' rights to each array.
    const std::vector<memory::access_rights>& array_rights() const { return array_rights_; }
    const std::vector<launch>& launches() const { return launches_; }
    const std::vector<write>& writes() const { return writes_; }
    std::uint64_t steps() const { return steps_; }
    std::uint64_t waves() const { return waves_; }

    // Begins at the first step of that wavefront.
    void read(const wave& w, step_decoder& with) const;
    void read(const launch& of, std::uint64_t cta, unsigned index, step_decoder& with) const;

private:
    void read_array(byte_reader& in);
    void read_protection(byte_reader& in);
    void read_launch(byte_reader& in);
    void read_write(byte_reader& in);
    void read_wave(byte_reader& in);
    void read_end(byte_reader& in) const;
    void order_waves();
    void check_steps();

    bytes contents_;
    unsigned wave_width_ = gpu::default_wave_width;
    std::vector<std::uint64_t> array_bytes_;
    std::vector<memory::access_rights> array_rights_;
    std::vector<launch> launches_;
    std::vector<write> writes_;
    std::uint64_t waves_ = 0;
    std::uint64_t steps_ = 0;
};

// A file in either form: bytes, or text (text_form.h). Throws text::input_error.
trace read_file(const std::string& path);

}  // namespace contraflow::traces
