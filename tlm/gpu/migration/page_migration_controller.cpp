// SPDX-License-Identifier: Apache-2.0
#include "gpu/migration/page_migration_controller.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace contraflow::gpu {

// Assumed. A port of the crossbar carries a line's read and write, with a flit of header, in 6 cycles, so four are
// faster than a link of 64 GB/s. A line holds its slot for its read from the other GPU and its write here: 0.9 us, in
// which the link carries 400 lines; 1024 allow for load. As many pages as the driver moves at a time.
void page_migration_controller::spec::describe(config::fields<spec>& f) {
    f("pages", &spec::pages).in(1, 256).text("pages that are pulled at a time");
    f("queue", &spec::queue).in(1, 4096).unit("pages").text("pages that wait for their turn");
    f("outstanding", &spec::outstanding).in(1, 4096).unit("lines").text("lines read or written, and not yet answered");
    f("ports", &spec::ports).in(1, 64).text("ports of the GPU's crossbar that its requests use in turn");
    f("through_l2", &spec::through_l2)
        .text("whether the other GPU's second level answers for the lines it has, which then need not be written back "
              "before; else memory answers for all");
}

void page_migration_controller::spec::check() const {
    if (pages == 0 || queue == 0 || outstanding == 0 || ports == 0)
        throw std::invalid_argument("page_migration_controller: pages, queue, outstanding and ports are at least 1");
    if (line.count == 0 || line.count > memory::payload::max_bytes)
        throw std::invalid_argument("page_migration_controller: a line has 1 to 128 bytes");
}

page_migration_controller::statistics_set::statistics_set(observe::statistics& group, const std::string& path,
                                                          const std::uint64_t& refused)
    : pages(group, path + ".pages", "pages", "pages brought here"),
      bytes(group, path + ".bytes", "bytes", "bytes of these pages"),
      failed(group, path + ".failed", "pages", "pages of which a line was answered with an error"),
      held_back(group, path + ".held_back", "pages", "pages whose order was held back because the queue was full",
                refused),
      at_work(group, path + ".at_work", "pages", "pages that are being pulled"),
      outstanding(group, path + ".outstanding", "lines", "lines read or written, and not yet answered"),
      latency(group, path + ".latency", "ns", "time from the order for a page to its last byte, queue included") {}

page_migration_controller::page_migration_controller(const memory::resources& shared, std::string path, const spec& s)
    : line_copier(shared, std::move(path),
                  {(s.check(), s.outstanding), s.cycle, static_cast<std::uint16_t>(s.socket), unit_number,
                   memory::cache_policy::bypass}),
      spec_(s),
      pulls_(shared.events, path_, *this),
      works_(s.pages),
      calls_(shared.events, *this),
      statistics_(shared.statistics, path_, pulls_.held_back()) {}

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
    arm();
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

bool page_migration_controller::may_send() {
    if (!intake_.serving) return false;
    take_in();
    return true;
}

bool page_migration_controller::start_next() {
    if (full()) return false;
    for (unsigned n = 0; n < works_.size(); ++n) {
        const unsigned job = turn_;
        turn_ = turn_ + 1 == works_.size() ? 0 : turn_ + 1;
        work& w = works_[job];
        if (w.pull == nullptr || w.asked == w.pull->bytes) continue;
        const auto length = static_cast<unsigned>(spec_.line.count);
        memory::payload& p = shared_.payloads.take();
        p.read(w.pull->from + w.asked, length);
        const line l{&p, job, w.asked, length};
        w.asked += length;
        statistics_.outstanding.set(shared_.events.now(), outstanding() + 1);
        start(l, spec_.through_l2 ? memory::cache_policy::streaming : memory::cache_policy::bypass);
        return true;
    }
    return false;
}

bool page_migration_controller::failed(const line& l) {
    works_[l.job].pull->failed = true;
    return false;
}

void page_migration_controller::ended(const line& l) {
    work& w = works_[l.job];
    w.moved += l.length;
    moved_total_ += l.length;
    statistics_.outstanding.set(shared_.events.now(), outstanding());
    if (w.moved == w.pull->bytes) calls_.after<&page_migration_controller::finish>({}, l.job);
}

void page_migration_controller::finish(std::uint32_t number) {
    page_pull& p = *works_[number].pull;
    works_[number].pull = nullptr;
    const core::sim_time now = shared_.events.now();
    statistics_.at_work.set(now, --at_work_);
    ++(p.failed ? statistics_.failed : statistics_.pages);
    if (!p.failed) statistics_.bytes += p.bytes;
    statistics_.latency.add((now - p.since).ps / 1000);
    arm();
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
    if (intake_.serving) arm();
    return true;
}

void page_migration_controller::reset() {
    line_copier::reset();
    for (work& w : works_) w = {};
    queue_.clear();
    pulls_.reset();
    at_work_ = turn_ = 0;
    intake_ = {};
    statistics_.at_work.set(shared_.events.now(), 0);
    statistics_.outstanding.set(shared_.events.now(), 0);
    calls_.cancel();
}

void page_migration_controller::report_waits(std::vector<core::wait_edge>& edges) const {
    if (!intake_.taking || !intake_.serving) edges.push_back({path_, "to be enabled", path_, stopped_since_});
    line_copier::report_waits(edges);
}

void page_migration_controller::check(observe::conservation& checks) const {
    checks.check(path_ + ": pages taken in and done", "pages", pulls_.taken(), pulls_.answered());
    line_copier::check(checks);
}

}  // namespace contraflow::gpu
