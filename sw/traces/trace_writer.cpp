// SPDX-License-Identifier: Apache-2.0
#include "traces/trace_writer.h"

#include "core/little_endian.h"

namespace contraflow::traces {

trace_writer::trace_writer(std::ostream& out, unsigned wave_width) : out_(out) {
    record_.assign(magic.begin(), magic.end());
    record_.push_back(version);
    record_.push_back(static_cast<std::uint8_t>(wave_width));
    put(record_);
}

void trace_writer::put(const bytes& record) {
    checksum_ = checksum(record, checksum_);
    out_.write(reinterpret_cast<const char*>(record.data()), static_cast<std::streamsize>(record.size()));
}

void trace_writer::array(std::uint64_t size) {
    record_ = {static_cast<std::uint8_t>(record::array)};
    put_number(record_, size);
    put(record_);
}

void trace_writer::protect(std::uint32_t array, memory::access_rights rights) {
    record_ = {static_cast<std::uint8_t>(record::protect)};
    put_number(record_, array);
    put_number(record_, static_cast<std::uint64_t>(rights));
    put(record_);
}

void trace_writer::launch(const launch_head& l) {
    record_ = {static_cast<std::uint8_t>(record::launch)};
    put_text(record_, l.name);
    for (const std::uint32_t n : {l.grid.x, l.grid.y, l.grid.z, l.block.x, l.block.y, l.block.z})
        put_number(record_, n);
    put_number(record_, l.shared.count);
    put_number(record_, l.ended);
    put(record_);
}

void trace_writer::write(const host_write& w) {
    record_ = {static_cast<std::uint8_t>(record::host_write)};
    for (const std::uint64_t n : {std::uint64_t{w.array}, w.offset, w.bytes, w.ended}) put_number(record_, n);
    put(record_);
}

void trace_writer::wave(std::uint64_t launch, std::uint64_t cta, unsigned index, const step_encoder& steps) {
    record_ = {static_cast<std::uint8_t>(record::wave)};
    put_number(record_, launch);
    put_number(record_, cta);
    put_number(record_, index);
    put_number(record_, steps.encoded().size());
    put(record_);
    put(steps.encoded());
    ++waves_;
    steps_ += steps.count();
}

bool trace_writer::end() {
    record_ = {static_cast<std::uint8_t>(record::end)};
    put_number(record_, waves_);
    put_number(record_, steps_);
    put(record_);
    record_.clear();
    for (unsigned i = 0; i < sizeof checksum_; ++i) record_.push_back(core::byte_of(checksum_, i));
    out_.write(reinterpret_cast<const char*>(record_.data()), static_cast<std::streamsize>(record_.size()));
    out_.flush();
    return out_.good();
}

}  // namespace contraflow::traces
