// SPDX-License-Identifier: Apache-2.0
#include "net/torus/torus_link.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace contraflow::net {

torus_link::torus_link(core::scheduler& events, observe::statistics& group, std::string path, const torus_spec& s,
                       unsigned number, const place& at, unsigned channels)
    : events_(events),
      path_(std::move(path)),
      at_(at),
      wire_time_(s.wire_time()),
      buffer_words_(s.buffer),
      // Packets of a word each: how many credits are on their way at once.
      credits_(channels, core::credits(s.buffer, s.wire + 4)),
      to_lose_(channels),
      turns_(channels, s.transit_turns),
      wake_(events, *this),
      protection_(group, path_, s, number),
      statistics_(group, path_) {}

void torus_link::connect(link_receiver_if& receiver, unsigned port, std::vector<const input_buffer*> buffers) {
    far_port_ = port;
    receiver_ = &receiver;
    buffers_ = std::move(buffers);
}

void torus_link::request(unsigned channel, input_buffer& b) {
    turns_.add(channel, b);
    serve();
}

void torus_link::serve() {
    const core::sim_time now = events_.now();
    if (busy_until_ > now) return wake_.arm_by(busy_until_);
    input_buffer* const next =
        turns_.next([&](unsigned channel, std::uint32_t words) { return credits_[channel].available(now) >= words; });
    if (next != nullptr) return send(*next);
    if (turns_.empty()) return;
    if (!starved_) starved_since_ = now;
    starved_ = true;
    core::sim_time at = core::sim_time::never();
    turns_.each([&](unsigned c, const input_buffer& b) { at = std::min(at, credits_[c].when(b.first().words)); });
    if (at != core::sim_time::never()) wake_.arm_by(at);
}

void torus_link::send(input_buffer& from) {
    const core::sim_time now = events_.now();
    const flight& first = from.first();
    auto t = protection_.send(now, first.words, first.what.payload->bytes_on_wire());
    // What comes with gaps leaves with gaps: no word before the router has had it for its time.
    t.finish = std::max(t.finish, first.tail + (first.ready - first.header));
    if (starved_) statistics_.credit_stall += (now - starved_since_).ps;
    starved_ = false;
    ++statistics_.packets;
    statistics_.words += first.words;
    busy_until_ = t.finish;
    flight& f = from.leave(t.finish);
    credits_[f.channel].take(f.words);
    if (from.feeder != nullptr) from.feeder->credit_back(from.channel, f.words, t.finish);
    f.header = t.header + wire_time_;
    f.tail = t.finish + wire_time_;
    f.what.payload->crossed(path_.c_str(), f.kind == packet_class::response, now, f.tail);
    receiver_->arrives(far_port_, f);
    if (!turns_.empty()) wake_.arm_by(busy_until_);
    from.room();
}

void torus_link::credit_back(unsigned channel, std::uint32_t words, core::sim_time left) {
    if (to_lose_[channel] > 0) {
        --to_lose_[channel];
        statistics_.lost_credits += words;
        return;
    }
    const core::sim_time at = left + wire_time_;
    credits_[channel].available(events_.now());
    credits_[channel].give_back(words, at);
    if (starved_ && turns_.wanted(channel)) wake_.arm_by(at);
}

void torus_link::reset() {
    for (auto& c : credits_) c.reset();
    std::fill(to_lose_.begin(), to_lose_.end(), 0u);
    turns_.reset();
    wake_.cancel();
    protection_.reset();
    busy_until_ = {};
    starved_ = false;
}

void torus_link::report_waits(std::vector<core::wait_edge>& edges) const {
    if (!starved_) return;
    const std::uint64_t lost = statistics_.lost_credits.value();
    turns_.each([&](unsigned c, const input_buffer& b) {
        edges.push_back({path_,
                         fmt::format("credit for {} words{}", b.first().words,
                                     lost == 0 ? "" : fmt::format(" ({} words of credit were lost)", lost)),
                         buffers_[c]->path(), starved_since_});
    });
}

void torus_link::check(observe::conservation& checks) const {
    for (unsigned c = 0; c < credits_.size(); ++c)
        if (const std::uint64_t found = credits_[c].all() + buffers_[c]->words(); found != buffer_words_)
            checks.check(
                fmt::format("{}: credits of virtual channel {}, here, on their way, and of what is held", path_, c),
                "words", buffer_words_, found);
}

std::uint64_t torus_link::all_credits() const {
    std::uint64_t sum = 0;
    for (unsigned c = 0; c < credits_.size(); ++c) sum += credits_[c].all() + buffers_[c]->words();
    return sum;
}

}  // namespace contraflow::net
