// SPDX-License-Identifier: Apache-2.0
#include "net/torus/torus_link.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "net/torus/torus_node.h"

namespace contraflow::net {

torus_link::torus_link(core::scheduler& events, observe::statistics& group, std::string path, const torus_spec& s,
                       unsigned number, const place& at, unsigned channels)
    : events_(events),
      // The most credits on their way at once: with packets of one word.
      channels_(channels, virtual_channel{core::credits(s.buffer, s.wire + 4)}),
      turns_(channels, s.transit_turns),
      wake_(events, *this),
      wire_time_(s.wire_time()),
      path_(std::move(path)),
      protection_(group, path_, s, number),
      at_(at),
      buffer_words_(s.buffer),
      statistics_(group, path_, counts_) {}

void torus_link::connect(torus_node& receiver, const std::vector<input_buffer*>& buffers) {
    receiver_ = &receiver;
    for (unsigned c = 0; c < channels_.size(); ++c) channels_[c].into = buffers[c];
}

void torus_link::request(unsigned channel, input_buffer& b) {
    turns_.add(channel, b);
    serve();
}

void torus_link::serve() {
    const core::sim_time now = events_.now();
    if (busy_until_ > now) return wake_.arm_by(busy_until_);
    input_buffer* const next = turns_.next(
        [&](unsigned channel, std::uint32_t words) { return channels_[channel].credits.available(now) >= words; });
    if (next != nullptr) return send(*next);
    if (turns_.empty()) return;
    starved_since_ = std::min(starved_since_, now);
    core::sim_time at = core::sim_time::never();
    turns_.each(
        [&](unsigned c, const input_buffer& b) { at = std::min(at, channels_[c].credits.when(b.first().words)); });
    if (at != core::sim_time::never()) wake_.arm_by(at);
}

void torus_link::send(input_buffer& from) {
    const core::sim_time now = events_.now();
    const flight& first = from.first();
    auto t = protection_.send(now, first.words, first.what.payload->bytes_on_wire());
    // Gaps between words remain: each word stays in the router for the router's time.
    t.finish = std::max(t.finish, first.tail + (first.ready - first.header));
    if (starved()) counts_.credit_stall_ps += (now - starved_since_).ps;
    starved_since_ = core::sim_time::never();
    ++counts_.packets;
    counts_.words += first.words;
    busy_until_ = t.finish;
    flight& f = from.leave(t.finish);
    virtual_channel& channel = channels_[f.channel];
    channel.credits.take(f.words);
    if (from.feeder != nullptr) from.feeder->credit_back(from.channel, f.words, t.finish);
    f.header = t.header + wire_time_;
    f.tail = t.finish + wire_time_;
    f.what.payload->crossed(path_.c_str(), f.kind == packet_class::response, now, f.tail);
    receiver_->arrives(*channel.into, f);
    if (!turns_.empty()) wake_.arm_by(busy_until_);
    from.room();
}

void torus_link::credit_back(unsigned channel, std::uint32_t words, core::sim_time left) {
    virtual_channel& c = channels_[channel];
    if (c.to_lose > 0) {
        --c.to_lose;
        counts_.lost_credits += words;
        return;
    }
    const core::sim_time at = left + wire_time_;
    c.credits.available(events_.now());
    c.credits.give_back(words, at);
    if (starved() && turns_.wanted(channel)) wake_.arm_by(at);
}

void torus_link::reset() {
    for (virtual_channel& c : channels_) {
        c.credits.reset();
        c.to_lose = 0;
    }
    turns_.reset();
    wake_.cancel();
    protection_.reset();
    busy_until_ = {};
    starved_since_ = core::sim_time::never();
}

void torus_link::report_waits(std::vector<core::wait_edge>& edges) const {
    if (!starved()) return;
    const std::uint64_t lost = counts_.lost_credits;
    turns_.each([&](unsigned c, const input_buffer& b) {
        edges.push_back({path_,
                         fmt::format("credit for {} words{}", b.first().words,
                                     lost == 0 ? "" : fmt::format(" ({} words of credit were lost)", lost)),
                         channels_[c].into->path(), starved_since_});
    });
}

void torus_link::check(observe::conservation& checks) const {
    for (unsigned c = 0; c < channels_.size(); ++c)
        if (const std::uint64_t found = channels_[c].credits.all() + channels_[c].into->words(); found != buffer_words_)
            checks.check(
                fmt::format("{}: credits of virtual channel {}, here, on their way, and of what is held", path_, c),
                "words", buffer_words_, found);
}

std::uint64_t torus_link::all_credits() const {
    std::uint64_t sum = 0;
    for (unsigned c = 0; c < channels_.size(); ++c) sum += channels_[c].credits.all() + channels_[c].into->words();
    return sum;
}

}  // namespace contraflow::net
