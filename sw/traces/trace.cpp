// SPDX-License-Identifier: Apache-2.0
#include "traces/trace.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <sstream>

#include <fmt/format.h>

#include "config/text/file_form.h"
#include "core/little_endian.h"
#include "text/text_fields.h"
#include "traces/text_form.h"

namespace contraflow::traces {
namespace {

constexpr std::size_t checksum_bytes = 8;

// The number of positions in three dimensions fits into 64 bits.
gpu::dim3 read_size(byte_reader& in, std::uint64_t most, std::string_view what) {
    const auto side = [&] {
        const auto n = static_cast<std::uint32_t>(in.number(std::numeric_limits<std::uint32_t>::max(), what));
        if (n == 0) in.refuse(fmt::format("{} of 0", what));
        return n;
    };
    gpu::dim3 size;
    size.x = side();
    size.y = side();
    size.z = side();
    if (size.y > most / size.x || size.z > most / (std::uint64_t{size.x} * size.y))
        in.refuse(fmt::format("{} has more than {} places", what, most));
    return size;
}

}  // namespace

trace::trace(bytes contents) : contents_(std::move(contents)) {
    byte_reader in(contents_);
    const auto head = in.take(magic.size());
    if (!std::equal(head.begin(), head.end(), magic.begin())) in.refuse("this is no trace");
    if (const unsigned v = in.byte(); v != version) in.refuse(fmt::format("version {}, and not {}", v, version));
    wave_width_ = in.byte();
    if (wave_width_ != 32 && wave_width_ != 64)
        in.refuse(fmt::format("wavefronts of {} threads, and not of 32 or 64", wave_width_));
    for (bool more = true; more;) {
        switch (const auto kind = in.byte(); static_cast<record>(kind)) {
        case record::array: read_array(in); break;
        case record::protect: read_protection(in); break;
        case record::host_write: read_write(in); break;
        case record::launch: read_launch(in); break;
        case record::wave: read_wave(in); break;
        case record::end: more = false; break;
        default: in.refuse(fmt::format("there is no record of kind {}", kind));
        }
    }
    order_waves();
    check_steps();
    read_end(in);
}

void trace::read_array(byte_reader& in) {
    array_bytes_.push_back(in.number(most_bytes, "the size of an array"));
    array_rights_.push_back(memory::access_rights::read_write);
}

void trace::read_protection(byte_reader& in) {
    const std::uint64_t array = in.number();
    if (array >= array_bytes_.size()) in.refuse(fmt::format("there is no array {}", array));
    array_rights_[static_cast<std::size_t>(array)] = static_cast<memory::access_rights>(
        in.number(static_cast<std::uint64_t>(memory::access_rights::read_write), "what kernels may do with an array"));
}

void trace::read_launch(byte_reader& in) {
    launch l;
    l.name = in.text(longest_name, "the length of a name");
    if (config::fault_of_text(l.name)) in.refuse("the name of a launch is not UTF-8 text");  // pages and lists show it
    l.grid = read_size(in, most_ctas, "the grid");
    l.block = read_size(in, most_threads, "the block");
    l.shared = core::bytes{in.number(most_bytes, "the scratchpad")};
    l.ended = in.number(launches_.size(), "the number of launches that had ended");
    launches_.push_back(std::move(l));
}

void trace::read_write(byte_reader& in) {
    write w;
    const std::uint64_t array = in.number();
    if (array >= array_bytes_.size()) in.refuse(fmt::format("there is no array {}", array));
    w.array = static_cast<std::uint32_t>(array);
    w.offset = in.number(array_bytes_[w.array], "the offset of the host's write");
    w.bytes = in.number(array_bytes_[w.array] - w.offset, "the length of the host's write");
    w.ended = in.number(launches_.size(), "the number of launches that had ended");
    w.launches = launches_.size();
    writes_.push_back(w);
}

void trace::read_wave(byte_reader& in) {
    const std::uint64_t number = in.number();
    if (number >= launches_.size()) in.refuse(fmt::format("a wavefront of launch {}, which there is not yet", number));
    launch& l = launches_[static_cast<std::size_t>(number)];
    wave w{};
    w.cta = in.number(l.grid.count() - 1, "the number of a CTA");
    w.index = static_cast<unsigned>(in.number(gpu::waves_of(l.block, wave_width_) - 1, "the number of a wavefront"));
    const std::uint64_t length = in.number();
    w.begin = in.place();
    in.take(length);
    w.end = in.place();
    l.waves.push_back(w);
    ++waves_;
}

void trace::order_waves() {
    const auto before = [](const wave& a, const wave& b) {
        return std::pair(a.cta, a.index) < std::pair(b.cta, b.index);
    };
    for (launch& l : launches_) {
        std::stable_sort(l.waves.begin(), l.waves.end(), before);
        for (std::size_t i = 1; i < l.waves.size(); ++i)
            if (!before(l.waves[i - 1], l.waves[i]))
                byte_reader(contents_, l.waves[i].begin)
                    .refuse(fmt::format("wavefront {} of CTA {} comes twice", l.waves[i].index, l.waves[i].cta));
    }
}

void trace::check_steps() {
    step_decoder steps;
    step s;
    for (const launch& l : launches_) {
        for (const wave& w : l.waves) {
            read(w, steps);
            while (steps.next(s)) ++steps_;
        }
    }
}

void trace::read_end(byte_reader& in) const {
    if (in.number() != waves_) in.refuse("it has another number of wavefronts than its end says");
    if (in.number() != steps_) in.refuse("it has another number of instructions than its end says");
    const std::uint64_t sum = checksum(std::span(contents_).first(in.place()));
    const auto stored = in.take(checksum_bytes);
    if (core::load_le<std::uint64_t>(stored.data()) != sum) in.refuse("it has been changed: its checksum differs");
    if (!in.at_end()) in.refuse("there is something after its end");
}

void trace::read(const wave& w, step_decoder& with) const {
    with.begin(byte_reader(std::span(contents_).first(w.end), w.begin), array_bytes_, wave_width_);
}

void trace::read(const launch& of, std::uint64_t cta, unsigned index, step_decoder& with) const {
    const auto at =
        std::lower_bound(of.waves.begin(), of.waves.end(), std::pair(cta, index),
                         [](const wave& w, const auto& wanted) { return std::pair(w.cta, w.index) < wanted; });
    const bool found = at != of.waves.end() && at->cta == cta && at->index == index;
    read(found ? *at : wave{cta, index, 0, 0}, with);
}

trace read_file(const std::string& path) {
    std::ifstream in = text::open_text(path, "trace");
    bytes contents{std::istreambuf_iterator<char>(in), {}};
    if (contents.size() < magic.size() || !std::equal(magic.begin(), magic.end(), contents.begin())) {
        std::istringstream lines(std::string(contents.begin(), contents.end()));
        std::ostringstream out;
        to_bytes(lines, path, out);
        const auto form = out.str();
        contents.assign(form.begin(), form.end());
    }
    try {
        return trace(std::move(contents));
    } catch (const bad_trace& e) {
        throw text::input_error({path, 0, 0}, e.what(), "a trace as --record writes it is needed");
    }
}

}  // namespace contraflow::traces
