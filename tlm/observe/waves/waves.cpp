// SPDX-License-Identifier: Apache-2.0
#include "observe/waves/waves.h"

#include <algorithm>
#include <iterator>
#include <ostream>
#include <stdexcept>
#include <utility>

#include "observe/waves/gtkw.h"
#include "observe/waves/wave_names.h"

namespace contraflow::observe {
namespace {

constexpr std::size_t waves_flush_size = 64 * 1024;

}  // namespace

waves::waves(std::ostream& vcd, core::sim_time begin) : out_(vcd), begin_(begin), now_(begin), stamped_(begin) {
    buffer_.reserve(waves_flush_size + 4096);
}

waves::~waves() { close(now_); }

signal_id waves::add(std::string dotted_name, unsigned bits) {
    std::string name = checked_wave_name(std::move(dotted_name));
    if (bits < 1 || bits > 64) throw std::logic_error(fmt::format("waves: '{}' has {} bits, not 1 to 64", name, bits));
    if (started_ || closed_) throw std::logic_error(fmt::format("waves: '{}' comes after the first value", name));
    if (!names_.insert(name).second) throw std::logic_error(fmt::format("waves: '{}' is added twice", name));
    const auto index = static_cast<std::uint32_t>(signals_.size());
    signals_.push_back({std::move(name), wave_code(index), bits});
    return {index};
}

void waves::set(signal_id signal, core::sim_time now, std::uint64_t value) {
    if (closed_) return;
    started_ = true;
    if (now != now_) {
        if (now < now_) throw std::logic_error("waves: time runs backwards");
        write_instant();
        now_ = now;
    }
    auto& s = signals_[signal.index];
    s.value = s.bits == 64 ? value : value & ((std::uint64_t{1} << s.bits) - 1);
    if (s.touched) return;
    s.touched = true;
    touched_.push_back(signal.index);
}

void waves::close(core::sim_time end) {
    if (closed_) return;
    write_instant();
    closed_ = true;
    end_ = std::max(end, now_);
    if (end_ > stamped_) fmt::format_to(std::back_inserter(buffer_), "#{}\n", end_.ps);
    flush();
    out_.flush();
}

void waves::write_instant() {
    if (!header_written_) {
        write_header();
        header_written_ = true;
    }
    for (const auto index : touched_) {
        signal& s = signals_[index];
        s.touched = false;
        if (s.value == s.written) continue;
        if (now_ != stamped_) fmt::format_to(std::back_inserter(buffer_), "#{}\n", now_.ps);
        stamped_ = now_;
        s.written = s.value;
        write_value(s, s.written);
    }
    touched_.clear();
    if (buffer_.size() >= waves_flush_size) flush();
}

void waves::write_value(const signal& s, std::uint64_t value) {
    if (s.bits == 1)
        fmt::format_to(std::back_inserter(buffer_), "{}{}\n", value, s.code);
    else
        fmt::format_to(std::back_inserter(buffer_), "b{:b} {}\n", value, s.code);
}

void waves::write_header() {
    const auto put = [this](std::string_view text) { buffer_.append(text.data(), text.data() + text.size()); };
    put("$version Contraflow $end\n$timescale 1 ps $end\n");
    std::vector<std::string_view> open;
    for (const auto index : order()) {
        const signal& s = signals_[index];
        auto scopes = parts_of(s.name);
        const std::string_view leaf = scopes.back();
        scopes.pop_back();
        const auto differ = std::mismatch(open.begin(), open.end(), scopes.begin(), scopes.end()).first;
        const auto shared = static_cast<std::size_t>(differ - open.begin());
        for (; open.size() > shared; open.pop_back()) put("$upscope $end\n");
        for (; open.size() < scopes.size(); open.push_back(scopes[open.size()]))
            put(fmt::format("$scope module {} $end\n", scopes[open.size()]));
        put(fmt::format("$var wire {} {} {} {}{}$end\n", s.bits, s.code, leaf, bit_range(s.bits),
                        s.bits > 1 ? " " : ""));
    }
    for (; !open.empty(); open.pop_back()) put("$upscope $end\n");
    put(fmt::format("$enddefinitions $end\n#{}\n$dumpvars\n", begin_.ps));
    // The initial values belong here. If the recording begins at this instant, they are the present values.
    for (signal& s : signals_) {
        if (now_ == begin_) s.written = s.value;
        write_value(s, s.written);
    }
    put("$end\n");
}

std::vector<std::uint32_t> waves::order() const {
    std::vector<std::string_view> names;
    names.reserve(signals_.size());
    for (const signal& s : signals_) names.push_back(s.name);
    return order_by_scope(names);
}

void waves::write_gtkw(std::ostream& out, std::string_view vcd_file_name) const {
    std::vector<gtkw_signal> all;
    all.reserve(signals_.size());
    for (const signal& s : signals_) all.push_back({s.name, s.bits});
    observe::write_gtkw(out, {std::string(vcd_file_name), begin_, end_, {}, groups_by_scope(all)});
}

void waves::flush() {
    out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    buffer_.clear();
}

}  // namespace contraflow::observe
