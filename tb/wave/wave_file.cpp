// SPDX-License-Identifier: Apache-2.0
#include "wave/wave_file.h"

#include <deque>
#include <fstream>
#include <string_view>
#include <vector>

#include "observe/waves/wave_names.h"
#include "wave/verilated_waves.h"

namespace contraflow::wave {
namespace {

struct signal {
    std::string name;
    unsigned bits = 1;
    std::uint64_t value = 0;
    std::uint32_t code = 0;  // the first signal's
};

}  // namespace

struct wave_file::contents {
    VerilatedContext context;
    VerilatedFstC trace;
    std::deque<signal> signals;
    std::uint32_t base = 0;  // first of our codes, given by the trace object
    std::uint32_t codes = 0;

    static void declare(void* self, VerilatedFst* to, std::uint32_t base) {
        auto& all = *static_cast<contents*>(self);
        all.base = base;
        std::vector<std::string_view> names;
        for (const signal& s : all.signals) names.push_back(s.name);
        for (const auto index : observe::order_by_scope(names)) {
            const signal& s = all.signals[index];
            auto scopes = observe::parts_of(s.name);
            const std::string leaf(scopes.back());
            scopes.pop_back();
            for (const auto scope : scopes) to->pushNamePrefix(std::string(scope) + ' ');
            const auto bits = static_cast<int>(s.bits);
            const char* const name = leaf.c_str();
            const std::uint32_t code = base + s.code;
            if (bits == 1)
                to->declBit(code, name, -1, FST_VD_IMPLICIT, FST_VT_SV_LOGIC, false, -1);
            else if (bits <= 32)
                to->declBus(code, name, -1, FST_VD_IMPLICIT, FST_VT_SV_LOGIC, false, -1, bits - 1, 0);
            else
                to->declQuad(code, name, -1, FST_VD_IMPLICIT, FST_VT_SV_LOGIC, false, -1, bits - 1, 0);
            to->popNamePrefix(static_cast<unsigned>(scopes.size()));
        }
    }
    template <bool Full> static void show(void* self, VerilatedFst::Buffer* to) {
        const auto& all = *static_cast<const contents*>(self);
        std::uint32_t* const old = to->oldp(all.base);
        for (const signal& s : all.signals) {
            std::uint32_t* const at = old + s.code;
            const auto bits = static_cast<int>(s.bits);
            if constexpr (Full) {
                if (bits == 1)
                    to->fullBit(at, static_cast<CData>(s.value));
                else if (bits <= 32)
                    to->fullIData(at, static_cast<IData>(s.value), bits);
                else
                    to->fullQData(at, s.value, bits);
            } else {
                if (bits == 1)
                    to->chgBit(at, static_cast<CData>(s.value));
                else if (bits <= 32)
                    to->chgIData(at, static_cast<IData>(s.value), bits);
                else
                    to->chgQData(at, s.value, bits);
            }
        }
    }
};

VerilatedContext& context_of(wave_file& file) { return file.inner().context; }
VerilatedFstC& trace_of(wave_file& file) { return file.inner().trace; }

wave_file::wave_file() : contents_(std::make_unique<contents>()) {
    contents_->context.traceEverOn(true);
    contents_->context.timeunit(-12);
    contents_->context.timeprecision(-12);
}

wave_file::~wave_file() { close(); }

observe::signal_id wave_file::add(const std::string& dotted_name, unsigned bits) {
    auto& all = *contents_;
    all.signals.push_back({observe::checked_wave_name(dotted_name), bits, 0, all.codes});
    all.codes += bits > 32 ? 2 : 1;
    return {static_cast<std::uint32_t>(all.signals.size() - 1)};
}

bool wave_file::open(const std::string& path) {
    auto& all = *contents_;
    if (!all.signals.empty()) {
        all.trace.spTrace()->addInitCb(&contents::declare, &all);
        all.trace.spTrace()->addFullCb(&contents::show<true>, &all);
        all.trace.spTrace()->addChgCb(&contents::show<false>, &all);
    }
    all.trace.set_time_unit("1ps");
    all.trace.set_time_resolution("1ps");
    path_ = path;
    all.trace.open(path.c_str());
    return all.trace.isOpen();
}

void wave_file::set(observe::signal_id signal, std::uint64_t value) { contents_->signals[signal.index].value = value; }

void wave_file::dump(core::sim_time now) { contents_->trace.dump(now.ps); }

void wave_file::close() {
    if (!contents_->trace.isOpen()) return;
    contents_->trace.close();
    // Removes the date from the header of an FST, so that two runs of the same inputs give the same bytes.
    constexpr std::streamoff date = 1 + 9 * 8 + 1 + 128;
    constexpr std::size_t date_bytes = 119;
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(date);
    file << std::string(date_bytes, '\0');
}

}  // namespace contraflow::wave
