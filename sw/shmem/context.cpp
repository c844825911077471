// SPDX-License-Identifier: Apache-2.0
#include "shmem/context.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "gpu/ppb/ppb_protocol.h"
#include "nic/queue_pair/queue_pair_nic.h"

namespace contraflow::shmem {
namespace {

using gpu::mask;
using gpu::task;

constexpr mask first_thread = mask::thread(0);
constexpr std::size_t doorbell_word = 0, consumed_word = 1, state_word = 2;  // of the NIC's page of a queue pair

std::array<std::uint64_t, entry_words> words_of(const nic::work_entry& e) {
    std::array<std::uint8_t, nic::work_entry_bytes> bytes{};
    e.encode(bytes);
    std::array<std::uint64_t, entry_words> words{};
    std::memcpy(words.data(), bytes.data(), bytes.size());
    return words;
}

// The last word that this entry needs.
unsigned last_word(const nic::work_entry& e) {
    if (e.inline_data) return 4 + (e.length - 1) / 8;
    if (e.opcode == nic::work_opcode::compare_swap) return 7;
    return e.opcode == nic::work_opcode::fetch_add ? 6 : 5;
}

// Counts are modulo 2^32.
bool before(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) < 0; }

bool holds(cmp how, std::int64_t a, std::int64_t b, bool is_signed) {
    const auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
    const bool less = is_signed ? a < b : ua < ub;
    switch (how) {
    case cmp::eq: return a == b;
    case cmp::ne: return a != b;
    case cmp::gt: return !less && a != b;
    case cmp::ge: return !less;
    case cmp::lt: return less;
    case cmp::le: break;
    }
    return less || a == b;
}

// Is in the reports of waits as long as it lives.
class waiting {
public:
    waiting(const pe& of, wait_note n) : list_(of.waits()), note_(n) {
        note_.since = of.now();
        list_->push_back(&note_);
    }
    ~waiting() { std::erase(*list_, &note_); }
    waiting(const waiting&) = delete;
    waiting& operator=(const waiting&) = delete;

private:
    const std::shared_ptr<pe::wait_list> list_;
    wait_note note_;
};

}  // namespace

core::bytes context::scratchpad(const pe& of) {
    constexpr std::uint64_t step = 16;  // scratchpads of a kernel begin at multiples of it
    const std::uint64_t state = 4 * (1 + of.n_pes() * record_words(of.configuration()));
    return {step + (state + step - 1) / step * step};
}

context::context(pe& of, gpu::wave w)
    : pe_(of),
      w_(w),
      words_(record_words(of.configuration())),
      exchange_(w.shared<std::uint64_t>(1)) {
    state_ = w.shared<std::uint32_t>(1 + n_pes() * words_);
}

// ---- errors

std::string context::self() const {
    return state_[0] == 0 ? fmt::format("PE {}, workgroup {}", my_pe(), w_.cta())
                          : fmt::format("PE {}, context {}", my_pe(), number());
}
void context::refuse(const char* operation, const std::string& what) const {
    throw error(fmt::format("{}, {}: {}", self(), operation, what));
}
void context::check_open(const char* operation) const {
    if (state_[0] == 0) refuse(operation, "the context has not been created");
}

std::uint64_t context::check_local(const char* operation, const char* what, std::uint64_t address,
                                   std::uint64_t bytes) const {
    const std::uint64_t offset = pe_.offset_of(address, bytes);
    if (offset == pe::not_symmetric)
        refuse(operation, fmt::format("the {}, {} bytes at {:#x}, is not within the symmetric heap, {}", what, bytes,
                                      address, pe_.heap_text()));
    return pe_.where().base + offset;
}

std::uint64_t context::check_remote(const char* operation, const char* what, std::uint64_t address, std::uint64_t bytes,
                                    unsigned pe) const {
    check_open(operation);
    if (pe >= n_pes()) refuse(operation, fmt::format("there is no PE {}, they are 0 to {}", pe, n_pes() - 1));
    return check_local(operation, what, address, bytes);
}

// ---- the workgroup

task<> context::enter(const char* operation) {
    if (w_.waves_in_cta() > 1 && pe_.configuration().steps.join) co_await w_.barrier();
    check_open(operation);
}
task<> context::leave() {
    if (w_.waves_in_cta() > 1) co_await w_.barrier();
}
task<> context::join() {
    if (w_.waves_in_cta() > 1)
        co_await w_.barrier();
    else
        co_await w_.fence();
}

task<std::uint64_t> context::share(std::uint64_t value) {
    if (w_.waves_in_cta() == 1) co_return value;
    if (leader()) exchange_[0] = value;
    co_await w_.barrier();
    const std::uint64_t shared = exchange_[0];
    co_await w_.barrier();
    co_return shared;
}

// ---- life

task<> context::create(unsigned number) {
    co_await leave();
    if (leader()) {
        if (state_[0] != 0) refuse("create", "it has been created");
        const pe_addresses& at = pe_.where();
        if (number >= at.owners.size())
            refuse("create", fmt::format("there is no context {}, they are 0 to {}", number, at.owners.size() - 1));
        const gpu::per_thread<std::uint64_t> nobody(std::uint64_t{0});
        const std::uint64_t owner =
            (co_await w_.atomic_cas(at.owners, number, nobody, std::uint64_t{w_.cta() + 1}, first_thread))[0];
        if (owner != 0)
            refuse("create",
                   fmt::format("context {} belongs to workgroup {}; a queue has one context", number, owner - 1));
        const auto threads = w_.thread_ids();
        for (unsigned to = 0; to < n_pes(); ++to) {
            if (to == my_pe()) continue;
            const std::size_t record = (std::size_t{number} * n_pes() + to) * words_;
            const auto words = co_await w_.load_uncached(at.records, threads + record, threads < words_);
            for (unsigned i = 0; i < words_; ++i) state_[1 + to * words_ + i] = words[i];
        }
        state_[0] = number + 1;
    }
    co_await leave();
}

task<> context::destroy() {
    co_await quiet();
    if (leader()) {
        const pe_addresses& at = pe_.where();
        const auto threads = w_.thread_ids();
        for (unsigned to = 0; to < n_pes(); ++to) {
            if (to == my_pe()) continue;
            const std::size_t record = (std::size_t{number()} * n_pes() + to) * words_;
            const auto words = gpu::per_thread<std::uint32_t>::from(
                [&](unsigned i) { return i < words_ ? state_[1 + to * words_ + i] : 0; });
            co_await w_.store(at.records, threads + record, words, threads < words_);
        }
        co_await w_.fence();
        co_await w_.atomic_exchange(at.owners, number(), std::uint64_t{0}, first_thread);
        state_[0] = 0;
    }
    co_await leave();
}

// ---- entries

task<> context::await_store() {
    if (pe_.configuration().stores_in_turn && pe_.configuration().steps.wait_for_stores) co_await w_.fence();
}

// Its last store is not awaited: the next entry's first one may follow at once.
task<> context::write_entry(unsigned to, nic::work_entry e) {
    const queue_addresses& q = queue(to);
    const spec& s = pe_.configuration();
    const auto places = static_cast<std::uint32_t>(q.entries.size() / entry_words);
    const std::uint32_t open = of_queue(to, produced) - of_queue(to, completed);
    if (open >= places && s.steps.wait_for_slot) {
        co_await ring();  // and then a quarter of the places, so that not every put has to look
        co_await complete(to, of_queue(to, produced) - places + std::max(1u, places / 4));
    }
    e.signalled = true;
    if (!q.by_helper && !unrung(to)) ++unrung_;
    e.number = ++of_queue(to, produced);
    const std::size_t place = (e.number - 1) % places;
    const auto words = words_of(e);
    w_.work(s.compose.count);
    if (q.by_helper) co_await invalidate();  // the thread of the host acts when it sees word 0

    // In a template's place, words 1 and 3 never change, and word 5 only for another length.
    const std::uint64_t usual = pe_.where().key | s.template_bytes.count << 32;
    std::uint32_t& changed = changed_of(to, place);
    const std::uint32_t bit = 1u << place % 32;
    const unsigned last = last_word(e);
    const bool in_template = s.templates && !q.by_helper;
    bool first = true;
    for (unsigned i = q.by_helper ? 1 : 0; i <= last; ++i) {
        if (in_template && (i == 1 || i == 3)) continue;
        if (in_template && i == 5) {
            if (words[i] == usual && (changed & bit) == 0) continue;
            changed = words[i] == usual ? changed & ~bit : changed | bit;
        }
        if (!std::exchange(first, false)) co_await await_store();
        co_await w_.store(q.entries, place * entry_words + i, words[i], first_thread);
    }
    if (!q.by_helper) co_return;
    co_await w_.fence();
    co_await w_.store(q.entries, place * entry_words, words[0], first_thread);
    of_queue(to, rung) = e.number;
}

task<> context::invalidate() {
    const coherence_steps& steps = pe_.configuration().steps;
    if (steps.wait_for_stores) co_await w_.fence();
    if (!steps.invalidate) co_return;
    co_await w_.store(pe_.where().control, 0, gpu::ppb_invalidate_and_flush, first_thread);
    if (steps.wait_for_invalidate) co_await w_.fence();
}

// What the NIC has written here may still be in the write combiner, where it is not in order.
task<> context::flush_results() {
    if (!pe_.configuration().steps.flush_results) co_return;
    co_await w_.store(pe_.where().control, 0, gpu::ppb_invalidate_and_flush, first_thread);
    co_await w_.fence();
}

task<> context::ring() {
    if (unrung_ == 0) co_return;
    co_await invalidate();
    for (unsigned to = 0, left = unrung_; left > 0; ++to) {
        if (!unrung(to)) continue;
        --left;
        pe_.reached(moment::invalidated, number(), to);
    }
    for (unsigned to = 0; unrung_ > 0; ++to) {
        if (!unrung(to)) continue;
        --unrung_;
        of_queue(to, rung) = of_queue(to, produced);
        co_await w_.store(queue(to).registers, doorbell_word, std::uint64_t{of_queue(to, produced)}, first_thread);
        pe_.reached(moment::rung, number(), to);
    }
}

task<> context::ring_full_batch(unsigned to) {
    const spec& s = pe_.configuration();
    if (of_queue(to, produced) - of_queue(to, rung) >= std::max(1u, std::min(s.batch, s.entries / 4))) co_await ring();
}

task<> context::complete(unsigned to, std::uint32_t n) {
    if (!before(of_queue(to, completed), n)) co_return;
    const queue_addresses& q = queue(to);
    const spec& s = pe_.configuration();
    const auto places = static_cast<std::uint32_t>(q.completions.size() / entry_words);
    std::uint64_t word = 0;
    {
        const waiting wait(pe_, {wait_note::kind::completion, number(), to, n});
        for (unsigned looks = 1;; ++looks) {
            word = (co_await w_.load(q.completions, (n - 1) % places * entry_words, first_thread))[0];
            if (word >> 32 == n) break;
            w_.work(s.poll.count);
            if (looks % s.patience == 0 && !q.by_helper) co_await check_queue(to, n);
        }
    }
    const auto status = static_cast<nic::work_status>(word & 0xff);
    if (status != nic::work_status::done) co_await fail_completion(to, n, status);
    of_queue(to, completed) = n;
    pe_.reached(moment::seen, number(), to);
    // The NIC needs room for the completions of all entries that may be under way.
    if (q.by_helper || !s.steps.take || n - of_queue(to, told) < places / completions_per_entry / 2) co_return;
    of_queue(to, told) = n;
    co_await w_.store(q.registers, consumed_word, std::uint64_t{n}, first_thread);
}

// A queue pair that has failed by other than an entry writes no completion for it.
task<> context::check_queue(unsigned to, std::uint32_t n) {
    const std::uint64_t word = (co_await w_.load(queue(to).registers, state_word, first_thread))[0];
    if (static_cast<nic::queue_state>(word & 0xff) != nic::queue_state::failed) co_return;
    const queue_addresses& q = queue(to);
    const nic::queue_failure f{static_cast<nic::queue_fault>(word >> 8 & 0xff),
                               static_cast<nic::work_status>(word >> 16 & 0xff), static_cast<std::uint32_t>(word >> 32),
                               static_cast<std::uint32_t>(q.entries.size() / entry_words),
                               static_cast<std::uint32_t>(q.completions.size() / entry_words)};
    const std::string waits = fmt::format("; this is the wait for the {}", pe_.entry_text(number(), to, n));
    if (f.fault == nic::queue_fault::entry)
        throw error(fmt::format("{}: the {} has failed: {}{}", self(), pe_.entry_text(number(), to, f.number),
                                to_text(f.entry), f.number == n ? "" : waits));
    throw error(fmt::format("{}: queue pair {} to PE {} has failed: {}{}", self(), q.number, to, to_text(f), waits));
}

// Entries after the one that has failed are flushed. The NIC's registers name it; a helper's queue has its completion.
task<> context::fail_completion(unsigned to, std::uint32_t n, nic::work_status seen) {
    if (seen == nic::work_status::flushed && !queue(to).by_helper) co_await check_queue(to, n);
    const gpu::array<std::uint64_t> ring = queue(to).completions;
    std::uint32_t at = n;
    for (std::uint32_t i = of_queue(to, completed) + 1; seen == nic::work_status::flushed && before(i, n); ++i) {
        std::uint64_t word = 0;
        while (word >> 32 != i)
            word = (co_await w_.load(ring, (i - 1) % (ring.size() / entry_words) * entry_words, first_thread))[0];
        seen = static_cast<nic::work_status>(word & 0xff);
        at = i;
        if (seen == nic::work_status::done) seen = nic::work_status::flushed;
    }
    throw error(fmt::format("{}: the {} has failed: {}", self(), pe_.entry_text(number(), to, at), to_text(seen)));
}

// ---- operations

task<> context::move(const char* operation, std::uint64_t dest, std::uint64_t source, std::uint64_t bytes, unsigned to,
                     bool blocking) {
    co_await enter(operation);
    if (leader() && bytes != 0) {
        nic::work_entry e;
        e.remote_address = check_remote(operation, "destination", dest, bytes, to);
        e.local_address = check_local(operation, "source", source, bytes);
        if (to == my_pe()) {
            if (blocking) co_await ring();
            co_await copy_locally(dest, source, bytes);
        } else {
            pe_.reached(moment::called, number(), to);
            e.remote_key = pe_.where().remote_keys[to];
            e.local_key = pe_.where().key;
            e.length = static_cast<std::uint32_t>(bytes);
            co_await write_due_fence(to);
            co_await write_entry(to, e);
            of_queue(to, last_put) = of_queue(to, produced);
            if (!blocking) {
                co_await ring_full_batch(to);
                co_return;
            }
            co_await await_store();
            pe_.reached(moment::stored, number(), to);
            co_await ring();
            if (pe_.configuration().steps.wait_for_completions) co_await complete(to, of_queue(to, produced));
        }
    } else if (leader() && blocking) {
        co_await ring();
    }
    if (blocking) co_await leave();
}

task<> context::fetch(const char* operation, std::uint64_t dest, std::uint64_t source, std::uint64_t bytes,
                      unsigned from, bool blocking) {
    co_await enter(operation);
    if (leader() && bytes != 0) {
        nic::work_entry e;
        e.opcode = nic::work_opcode::read;
        e.remote_address = check_remote(operation, "source", source, bytes, from);
        e.local_address = check_local(operation, "destination", dest, bytes);
        if (from == my_pe()) {
            if (blocking) co_await ring();
            co_await copy_locally(dest, source, bytes);
        } else {
            e.remote_key = pe_.where().remote_keys[from];
            e.local_key = pe_.where().key;
            e.length = static_cast<std::uint32_t>(bytes);
            co_await write_entry(from, e);
            of_queue(from, getting) = 1;
            if (!blocking) {
                co_await ring_full_batch(from);
                co_return;
            }
            co_await ring();
            if (pe_.configuration().steps.wait_for_completions) {
                co_await complete(from, of_queue(from, produced));
                of_queue(from, getting) = 0;
                co_await flush_results();
            }
        }
    } else if (leader() && blocking) {
        co_await ring();
    }
    if (blocking) co_await leave();
}

task<> context::put_value(const char* operation, std::uint64_t dest, std::uint64_t word, unsigned bytes, unsigned to,
                          unsigned alignment) {
    co_await enter(operation);
    if (!leader()) co_return;
    nic::work_entry e;
    e.remote_address = check_remote(operation, "destination", dest, bytes, to);
    if (dest % alignment != 0) refuse(operation, fmt::format("{:#x} is no multiple of {}", dest, alignment));
    if (to == my_pe()) {
        for (unsigned i = 0; i < bytes; ++i)
            if (bytes != 8 || dest % 8 != 0)
                co_await w_.store(gpu::array<std::uint8_t>(dest, bytes), i, static_cast<std::uint8_t>(word >> 8 * i),
                                  first_thread);
        if (bytes == 8 && dest % 8 == 0) co_await w_.store(gpu::array<std::uint64_t>(dest, 1), 0, word, first_thread);
        co_return;
    }
    e.inline_data = true;
    e.remote_key = pe_.where().remote_keys[to];
    e.length = bytes;
    std::memcpy(e.data.data(), &word, bytes);
    co_await write_due_fence(to);
    co_await write_entry(to, e);
    of_queue(to, last_put) = of_queue(to, produced);
    co_await ring_full_batch(to);
}

task<std::uint64_t> context::get_value(std::uint64_t source, unsigned bytes, unsigned from) {
    const gpu::array<std::uint64_t> result = pe_.where().results.slice(std::size_t{number()} * entry_words, 1);
    co_await fetch("g", result.address(), source, bytes, from, true);
    std::uint64_t word = 0;
    if (leader()) word = (co_await w_.load(result, 0, first_thread))[0];
    if (bytes < 8) word &= (std::uint64_t{1} << 8 * bytes) - 1;
    word = co_await share(word);
    co_return word;
}

task<std::uint64_t> context::atomic(const char* operation, std::uint64_t address, unsigned at, nic::work_opcode what,
                                    std::uint64_t operand, std::uint64_t compare) {
    co_await enter(operation);
    std::uint64_t old = 0;
    if (leader()) {
        const std::uint64_t remote = check_remote(operation, "variable", address, 8, at);
        if (address % 8 != 0) refuse(operation, fmt::format("{:#x} is no multiple of 8", address));
        if (at == my_pe()) {
            co_await ring();
            const gpu::array<std::uint64_t> here(address, 1);
            const gpu::per_thread<std::uint64_t> expected(compare);
            if (what == add)
                old = (co_await w_.atomic_add(here, 0, operand, first_thread))[0];
            else
                old = (co_await w_.atomic_cas(here, 0, expected, operand, first_thread))[0];
        } else {
            const gpu::array<std::uint64_t> result = pe_.where().results.slice(std::size_t{number()} * entry_words, 1);
            nic::work_entry e;
            e.opcode = what;
            e.remote_address = remote;
            e.remote_key = pe_.where().remote_keys[at];
            e.local_address = check_local(operation, "result", result.address(), 8);
            e.local_key = pe_.where().key;
            e.length = nic::atomic_bytes;
            e.operand = operand;
            e.compare = compare;
            co_await write_due_fence(at);
            co_await write_entry(at, e);
            co_await ring();
            co_await complete(at, of_queue(at, produced));
            co_await flush_results();
            old = (co_await w_.load(result, 0, first_thread))[0];
        }
    }
    old = co_await share(old);
    co_return old;
}

task<> context::copy_locally(std::uint64_t dest, std::uint64_t source, std::uint64_t bytes) {
    const auto threads = w_.thread_ids();
    std::uint64_t done = 0;
    if (dest % 8 == 0 && source % 8 == 0) {
        const std::uint64_t n = bytes / 8;
        const gpu::array<std::uint64_t> to(dest, n), from(source, n);
        for (std::uint64_t i = 0; i < n; i += w_.width()) {
            const auto at = threads + i;
            const auto word = co_await w_.load(from, at, at < n);
            co_await w_.store(to, at, word, at < n);
        }
        done = n * 8;
    }
    const gpu::array<std::uint8_t> to(dest, bytes), from(source, bytes);
    for (; done < bytes; done += w_.width()) {
        const auto at = threads + done;
        const auto byte = co_await w_.load(from, at, at < bytes);
        co_await w_.store(to, at, byte, at < bytes);
    }
    co_await w_.fence();
}

// ---- order and synchronisation

task<> context::write_fence(unsigned to) {
    of_queue(to, fence_due) = 0;
    if (!before(of_queue(to, last_fence), of_queue(to, last_put))) co_return;
    if (pe_.configuration().steps.fence) {
        nic::work_entry e;
        e.inline_data = true;
        e.remote_address = pe_.control_page() + static_cast<std::uint64_t>(gpu::ppb_register::control);
        e.remote_key = pe_.where().remote_keys[to];
        e.length = 4;
        e.data[0] = static_cast<std::uint8_t>(gpu::ppb_invalidate_and_flush);
        co_await write_entry(to, e);
    }
    of_queue(to, last_fence) = of_queue(to, produced);
}

task<> context::write_due_fence(unsigned to) {
    if (of_queue(to, fence_due) != 0) co_await write_fence(to);
}

task<> context::fence() {
    co_await enter("fence");
    if (!leader()) co_return;
    for (unsigned to = 0; to < n_pes(); ++to)
        if (to != my_pe()) of_queue(to, fence_due) = 1;
    co_await ring();
    co_await w_.fence();  // puts to this PE itself
}

task<> context::submit() {
    if (!leader()) co_return;
    check_open("submit");
    co_await ring();
}

task<> context::quiet() {
    co_await enter("quiet");
    if (leader()) {
        for (unsigned to = 0; to < n_pes(); ++to)
            if (to != my_pe()) co_await write_fence(to);
        co_await ring();
        co_await w_.fence();
        bool got = false;
        for (unsigned to = 0; to < n_pes(); ++to) {
            if (to == my_pe()) continue;
            if (pe_.configuration().steps.wait_for_completions) co_await complete(to, of_queue(to, produced));
            got |= of_queue(to, getting) != 0;
            of_queue(to, getting) = 0;
        }
        if (got) co_await flush_results();
    }
    co_await leave();
}

task<std::int64_t> context::look(std::uint64_t address, unsigned bytes, bool is_signed) {
    switch (bytes) {
    case 1: {
        const auto v = (co_await w_.load(gpu::array<std::uint8_t>(address, 1), 0, first_thread))[0];
        co_return is_signed ? static_cast<std::int8_t>(v) : static_cast<std::int64_t>(v);
    }
    case 2: {
        const auto v = (co_await w_.load(gpu::array<std::uint16_t>(address, 1), 0, first_thread))[0];
        co_return is_signed ? static_cast<std::int16_t>(v) : static_cast<std::int64_t>(v);
    }
    case 4: {
        const auto v = (co_await w_.load(gpu::array<std::uint32_t>(address, 1), 0, first_thread))[0];
        co_return is_signed ? static_cast<std::int32_t>(v) : static_cast<std::int64_t>(v);
    }
    default: {
        const auto v = (co_await w_.load(gpu::array<std::uint64_t>(address, 1), 0, first_thread))[0];
        co_return static_cast<std::int64_t>(v);
    }
    }
}

task<> context::await_variable(std::uint64_t address, unsigned bytes, bool is_signed, cmp how, std::int64_t value) {
    co_await enter("wait_until");
    if (leader()) {
        check_local("wait_until", "variable", address, bytes);
        co_await ring();
        const waiting wait(pe_, {wait_note::kind::variable, number(), 0, 0, address, bytes, how, value});
        for (;;) {
            const std::int64_t seen = co_await look(address, bytes, is_signed);
            if (holds(how, seen, value, is_signed)) break;
            w_.work(pe_.configuration().poll.count);
        }
    }
    co_await leave();
}

task<bool> context::test_variable(std::uint64_t address, unsigned bytes, bool is_signed, cmp how, std::int64_t value) {
    co_await enter("test");
    std::uint64_t yes = 0;
    if (leader()) {
        check_local("test", "variable", address, bytes);
        co_await ring();
        const std::int64_t seen = co_await look(address, bytes, is_signed);
        yes = holds(how, seen, value, is_signed) ? 1 : 0;
    }
    yes = co_await share(yes);
    co_return yes != 0;
}

}  // namespace contraflow::shmem
