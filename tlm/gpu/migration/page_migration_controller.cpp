// SPDX-License-Identifier: Apache-2.0
#include "gpu/migration/page_migration_controller.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace contraflow::gpu {

// Four pages hide the round trip of each other's last lines. A line per cycle and 64 in flight are what a link of 64
// GB/s and 600 cycles can carry. Assumed.
void page_migration_controller::spec::describe(config::fields<spec>& f) {
    f("pages", &spec::pages).in(1, 256).text("pages that are pulled at a time");
    f("queue", &spec::queue).in(1, 4096).unit("pages").text("pages that wait for their turn");
    f("outstanding", &spec::outstanding).in(1, 4096).unit("lines").text("lines read or written, and not yet answered");
    f("through_l2", &spec::through_l2)
        .text("whether the other GPU's second level answers for the lines it has, which then need not be written back "
              "before; else memory answers for all");
}

void page_migration_controller::spec::check() const {
    if (pages == 0 || queue == 0 || outstanding == 0)
        throw std::invalid_argument("page_migration_controller: pages, queue and outstanding are at least 1");
    if (line.count == 0 || line.count > memory::payload::max_bytes)
        throw std::invalid_argument("page_migration_controller: a line has 1 to 128 bytes");
}

page_migration_controller::statistics_set::statistics_set(observe::statistics& group, const std::string& path,
                                                          const std::uint64_t& refused)
    : pages(group, path + ".pages", "pages", "pages brought here"),
      bytes(group, path + ".bytes", "bytes", "of these pages"),
      failed(group, path + ".failed", "pages", "pages of which a line was answered with an error"),
      held_back(group, path + ".held_back", "pages", "pages whose order was held back because the queue was full",
                refused),
      at_work(group, path + ".at_work", "pages", "pages that are being pulled"),
      outstanding(group, path + ".outstanding", "lines", "lines read or written, and not yet answered"),
      latency(group, path + ".latency", "ns", "from the order for a page to its last byte, with the queue") {}

page_migration_controller::page_migration_controller(const memory::resources& shared, std::string path, const spec& s)
    : shared_(shared),
      path_(std::move(path)),
      spec_((s.check(), s)),
      pulls_(shared.events, path_, *this),
      works_(s.pages),
      slots_(s.outstanding),
      to_write_(s.outstanding),
      pump_at_(shared.events, *this),
      calls_(shared.events, *this),
      statistics_(shared.statistics, path_, pulls_.held_back()) {
    for (std::uint32_t n = s.outstanding; n > 0; --n) free_.push_back(n - 1);
}

page_migration_controller::~page_migration_controller() {
    for (slot& s : slots_)
        if (s.sent != nullptr) s.sent->release();
}

// ---- orders

bool page_migration_controller::can_take(unsigned, page_pull* const& wanted) {
    const page_pull& p = *wanted;
    if (p.bytes == 0 || (p.from | p.to | p.bytes) % spec_.line.count != 0)
        throw std::invalid_argument(fmt::format("{}: {} bytes from {:#x} to {:#x} are no whole lines of {}", path_,
                                                p.bytes, p.from, p.to, core::to_text(spec_.line)));
    return intake_.taking && queue_.size() < spec_.queue;
}

void page_migration_controller::take(unsigned, page_pull* p) {
    p->failed = false;
    queue_.push(*p);
    arm(shared_.events.now());
}

// Starts work on pages from the queue, and takes orders that were held back into the queue.
void page_migration_controller::take_in() {
    const core::sim_time now = shared_.events.now();
    for (;;) {
        while (!queue_.empty() && at_work_ < works_.size()) {
            const auto unused = std::find_if(works_.begin(), works_.end(), [](const work& w) { return !w.pull; });
            *unused = {&queue_.pop(), 0, 0};
            statistics_.at_work.set(now, ++at_work_);
        }
        if (!pulls_.admit_next()) return;
    }
}

// ---- lines

void page_migration_controller::arm(core::sim_time when) {
    if (!pump_at_.armed()) pump_at_.arm(std::max(when, next_send_));
}

void page_migration_controller::pump() {
    if (!intake_.serving) return;
    take_in();
    while (port_->ready()) {
        if (shared_.events.now() < next_send_) return arm(next_send_);
        if (!send_next()) return;
        next_send_ = shared_.events.now() + spec_.cycle;
    }
}

// Writes of read lines go first, because each holds a slot.
bool page_migration_controller::send_next() {
    if (!to_write_.empty()) {
        send(to_write_.pop(), memory::cache_policy::bypass);
        return true;
    }
    if (free_.empty()) return false;
    for (unsigned n = 0; n < works_.size(); ++n) {
        const unsigned of = turn_;
        turn_ = turn_ + 1 == works_.size() ? 0 : turn_ + 1;
        work& w = works_[of];
        if (w.pull == nullptr || w.asked == w.pull->bytes) continue;
        const std::uint32_t number = free_.back();
        free_.pop_back();
        memory::payload& p = shared_.payloads.take();
        p.read(w.pull->from + w.asked, static_cast<unsigned>(spec_.line.count));
        slots_[number] = {of, &p, w.asked, true};
        w.asked += spec_.line.count;
        statistics_.outstanding.set(shared_.events.now(), outstanding());
        send(number, spec_.through_l2 ? memory::cache_policy::streaming : memory::cache_policy::bypass);
        return true;
    }
    return false;
}

void page_migration_controller::send(std::uint32_t number, memory::cache_policy policy) {
    memory::memory_extension& e = slots_[number].sent->extension();
    e.origin = {static_cast<std::uint16_t>(spec_.socket), unit_number, number};
    e.scope = memory::scope::system;
    e.policy = policy;
    e.push_route(number);
    e.times.begin(shared_.events.now());
    ++sent_total_;
    port_->send(e);
}

bool page_migration_controller::response_arrived(unsigned, memory::memory_extension& request) {
    const std::uint32_t number = request.pop_route();
    slot& s = slots_[number];
    ++answered_total_;
    const bool good = s.sent->get_response_status() == tlm::TLM_OK_RESPONSE;
    if (!good) works_[s.of].pull->failed = true;
    if (s.reading && good)
        read_done(number);
    else
        line_done(number);
    // Not from here: this may be within a call backward, in which nothing may be sent.
    arm(shared_.events.now());
    return true;
}

void page_migration_controller::read_done(std::uint32_t number) {
    slot& s = slots_[number];
    memory::payload& w = shared_.payloads.take();  // others may still look at the one that came back
    w.write(works_[s.of].pull->to + s.offset, static_cast<unsigned>(spec_.line.count));
    std::memcpy(w.bytes(), s.sent->bytes(), spec_.line.count);
    s.sent->release();
    s.sent = &w;
    s.reading = false;
    to_write_.try_push(number);
}

void page_migration_controller::line_done(std::uint32_t number) {
    slot& s = slots_[number];
    work& w = works_[s.of];
    w.moved += spec_.line.count;
    moved_total_ += spec_.line.count;
    s.sent->release();
    s.sent = nullptr;
    free_.push_back(number);
    statistics_.outstanding.set(shared_.events.now(), outstanding());
    if (w.moved < w.pull->bytes) return;
    calls_.after<&page_migration_controller::finish>({}, s.of);
}

void page_migration_controller::finish(unsigned number) {
    page_pull& p = *works_[number].pull;
    works_[number].pull = nullptr;
    const core::sim_time now = shared_.events.now();
    statistics_.at_work.set(now, --at_work_);
    ++(p.failed ? statistics_.failed : statistics_.pages);
    if (!p.failed) statistics_.bytes += p.bytes;
    statistics_.latency.add((now - p.since).ps / 1000);
    arm(now);
    page_pull_server::answer(p);
}

// ---- control and questions

bool page_migration_controller::control(core::control_verb verb) {
    if (verb == core::control_verb::reset) {
        reset();
        return true;
    }
    if (!intake_.control(verb)) return false;
    stopped_since_ = shared_.events.now();
    if (intake_.serving) arm(stopped_since_);
    return true;
}

void page_migration_controller::reset() {
    free_.clear();
    for (auto n = static_cast<std::uint32_t>(slots_.size()); n > 0; --n) {
        if (slots_[n - 1].sent != nullptr) slots_[n - 1].sent->release();
        slots_[n - 1] = {};
        free_.push_back(n - 1);
    }
    for (work& w : works_) w = {};
    queue_.clear();
    pulls_.reset();
    to_write_.clear();
    at_work_ = turn_ = 0;
    next_send_ = {};
    pump_at_.cancel();
    intake_ = {};
    statistics_.at_work.set(shared_.events.now(), 0);
    statistics_.outstanding.set(shared_.events.now(), 0);
    sent_total_ = answered_total_;
    calls_.cancel();
}

void page_migration_controller::report_waits(std::vector<core::wait_edge>& edges) const {
    if (!intake_.taking || !intake_.serving) edges.push_back({path_, "to be enabled", path_, stopped_since_});
    if (port_ != nullptr && !port_->ready())
        edges.push_back({path_, "acceptance of a request", port_->peer_name(), port_->sending_since()});
    const slot* oldest = nullptr;
    for (const slot& s : slots_)
        if (s.sent != nullptr &&
            (oldest == nullptr || s.sent->extension().times.begun() < oldest->sent->extension().times.begun()))
            oldest = &s;
    if (oldest != nullptr && outstanding() > to_write_.size())
        edges.push_back({path_, fmt::format("responses to {} lines", outstanding() - to_write_.size()),
                         port_->peer_name(), oldest->sent->extension().times.begun()});
}

void page_migration_controller::check(observe::conservation& checks) const {
    checks.check(path_ + ": pages taken in and done", "pages", pulls_.taken(), pulls_.answered());
    checks.check(path_ + ": requests sent and answered", "requests", sent_total_, answered_total_);
}

}  // namespace contraflow::gpu
