// SPDX-License-Identifier: Apache-2.0
#include "observe/trace.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <ostream>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace contraflow::observe {
namespace {

constexpr std::size_t trace_flush_size = 64 * 1024;

bool needs_no_escape(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

}  // namespace

trace::trace(std::ostream& out) : out_(out) {
    buffer_.reserve(trace_flush_size + 4096);
    append("[\n");
}

trace::~trace() { close(); }

track_id trace::track(const std::string& process, const std::string& thread) {
    const auto [p, new_process] = processes_.try_emplace(process, static_cast<std::uint32_t>(processes_.size() + 1));
    const auto [t, new_thread] =
        threads_.try_emplace({p->second, thread}, static_cast<std::uint32_t>(threads_.size() + 1));
    const track_id id{p->second, t->second};
    if (new_process) describe("process", id, process, id.process);
    if (new_thread) describe("thread", id, thread, id.thread);
    return id;
}

void trace::describe(std::string_view what, track_id where, std::string_view name, std::uint32_t order) {
    if (closed_) return;
    begin_event('M', where, fmt::format("{}_name", what), {});
    append(R"(,"args":{"name":)");
    append_string(name);
    append("}");
    end_event({});
    begin_event('M', where, fmt::format("{}_sort_index", what), {});
    fmt::format_to(std::back_inserter(buffer_), R"(,"args":{{"sort_index":{}}})", order);
    end_event({});
}

void trace::slice(track_id where, std::string_view name, core::sim_time begin, core::sim_time end,
                  std::string_view args_json) {
    if (end < begin) throw std::logic_error(fmt::format("trace: slice '{}' ends before it begins", name));
    if (closed_) return;
    begin_event('X', where, name, begin);
    append(R"(,"dur":)");
    append_time(end - begin);
    end_event(args_json);
}

void trace::instant(track_id where, std::string_view name, core::sim_time at, std::string_view args_json) {
    if (closed_) return;
    begin_event('i', where, name, at);
    append(R"(,"s":"t")");
    end_event(args_json);
}

void trace::flow_begin(track_id where, std::uint64_t flow_id, std::string_view name, core::sim_time at) {
    flow('s', where, flow_id, name, at);
}

void trace::flow_step(track_id where, std::uint64_t flow_id, std::string_view name, core::sim_time at) {
    flow('t', where, flow_id, name, at);
}

void trace::flow_end(track_id where, std::uint64_t flow_id, std::string_view name, core::sim_time at) {
    flow('f', where, flow_id, name, at);
}

void trace::flow(char phase, track_id where, std::uint64_t flow_id, std::string_view name, core::sim_time at) {
    if (closed_) return;
    begin_event(phase, where, name, at);
    // Written as text: a JSON number above 2^53 would lose digits in a viewer.
    fmt::format_to(std::back_inserter(buffer_), R"(,"cat":"flow","id":"{:#x}")", flow_id);
    if (phase == 'f') append(R"(,"bp":"e")");  // bind to the enclosing slice, as the other points do
    end_event({});
}

void trace::counter(track_id where, std::string_view name, core::sim_time at, double value) {
    if (closed_ || !std::isfinite(value)) return;
    begin_event('C', where, name, at);
    fmt::format_to(std::back_inserter(buffer_), R"(,"args":{{"value":{}}})", value);
    end_event({});
}

void trace::close() {
    if (closed_) return;
    closed_ = true;
    append("\n]\n");
    flush();
    out_.flush();
}

void trace::begin_event(char phase, track_id where, std::string_view name, core::sim_time at) {
    if (!first_) append(",\n");
    first_ = false;
    append(R"({"name":)");
    append_string(name);
    fmt::format_to(std::back_inserter(buffer_), R"(,"ph":"{}","pid":{},"tid":{},"ts":)", phase, where.process,
                   where.thread);
    append_time(at);
}

void trace::end_event(std::string_view args_json) {
    if (!args_json.empty()) {
        append(R"(,"args":)");
        append(args_json);
    }
    append("}");
    if (buffer_.size() >= trace_flush_size) flush();
}

void trace::append_string(std::string_view text) {
    if (needs_no_escape(text)) {
        append("\"");
        append(text);
        append("\"");
        return;
    }
    append(nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
}

void trace::append_time(core::sim_time t) {
    const std::uint64_t fraction = t.ps % 1'000'000;
    if (fraction == 0)
        fmt::format_to(std::back_inserter(buffer_), "{}", t.ps / 1'000'000);
    else
        fmt::format_to(std::back_inserter(buffer_), "{}.{:06}", t.ps / 1'000'000, fraction);
}

void trace::flush() {
    out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    buffer_.clear();
}

}  // namespace contraflow::observe
