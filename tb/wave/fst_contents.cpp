// SPDX-License-Identifier: Apache-2.0
#include "wave/fst_contents.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <system_error>

#include <gtkwave/fstapi.h>

namespace contraflow::wave {
namespace {

using fst_file = std::unique_ptr<void, void (*)(void*)>;
fst_file open_fst(const std::string& path) { return {fstReaderOpen(path.c_str()), fstReaderClose}; }

fst_value_names names_of(const char* table) {
    fst_value_names all;
    fstETab* const t = fstUtilityExtractEnumTableFromString(table);
    if (t == nullptr) return all;
    all.type = t->name;
    for (unsigned i = 0; i < t->elem_count; ++i) all.names.emplace_back(t->val_arr[i], t->literal_arr[i]);
    fstUtilityFreeEnumTable(t);
    return all;
}

// Whether its blocks follow one another to the end of the file. GTKWave's reader may never end with one that a full
// disk has cut short, and its writer tells nobody. A block: a byte with its type, then eight with its length without
// that one, most significant first.
bool is_whole(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::error_code failure;
    const std::uint64_t size = std::filesystem::file_size(path, failure);
    if (!file || failure || size == 0) return false;
    std::uint64_t at = 0;
    while (at < size) {
        std::array<unsigned char, 9> head{};
        if (!file.seekg(static_cast<std::streamoff>(at)).read(reinterpret_cast<char*>(head.data()), head.size()))
            return false;
        const auto length = std::accumulate(head.begin() + 1, head.end(), std::uint64_t{0},
                                            [](std::uint64_t sum, unsigned char byte) { return sum << 8 | byte; });
        if (length < head.size() - 1 || length > size - at - 1) return false;
        at += 1 + length;
    }
    return true;
}

// "state_q [1:0]" to "state_q".
std::string without_range(const char* name) {
    const std::string all = name;
    return all.substr(0, all.find(' '));
}

}  // namespace

std::string value_names_file(const fst_value_names& n) {
    return "waves-" + n.type.substr(n.type.rfind(':') + 1) + ".txt";
}

const fst_signal* fst_contents::find(const std::string& name) const {
    const auto at = std::find_if(signals.begin(), signals.end(), [&](const auto& s) { return s.name == name; });
    return at == signals.end() ? nullptr : &*at;
}

void add_signals(observe::gtkw_group& to, const fst_contents& contents, const std::string& scope,
                 const std::vector<const char*>& names, observe::radix shown_as) {
    for (const char* const name : names) {
        const fst_signal* const s = contents.find(scope + name);
        if (s == nullptr) throw std::logic_error("waves: the file has no " + scope + name);
        to.signals.push_back({s->name, s->bits, shown_as,
                              s->value_names < 0
                                  ? ""
                                  : value_names_file(contents.value_names[static_cast<std::size_t>(s->value_names)])});
    }
}

std::optional<fst_contents> read_fst_contents(const std::string& fst_path) {
    if (!is_whole(fst_path)) return std::nullopt;
    const fst_file reader = open_fst(fst_path);
    if (!reader) return std::nullopt;
    fst_contents all;
    std::vector<std::string> scopes;  // the outer scopes of each, with a dot
    std::map<std::uint64_t, int> tables;
    int next_names = -1;  // for the variable that follows
    while (const fstHier* const h = fstReaderIterateHier(reader.get())) {
        switch (h->htyp) {
        case FST_HT_SCOPE: scopes.push_back((scopes.empty() ? "" : scopes.back()) + h->u.scope.name + '.'); break;
        case FST_HT_UPSCOPE: scopes.pop_back(); break;
        case FST_HT_ATTRBEGIN:
            if (h->u.attr.typ != FST_AT_MISC || h->u.attr.subtype != FST_MT_ENUMTABLE) break;
            if (h->u.attr.name_length > 0) {
                tables[h->u.attr.arg] = static_cast<int>(all.value_names.size());
                all.value_names.push_back(names_of(h->u.attr.name));
            } else if (const auto at = tables.find(h->u.attr.arg); at != tables.end()) {
                next_names = at->second;
            }
            break;
        case FST_HT_VAR:
            all.signals.push_back({(scopes.empty() ? "" : scopes.back()) + without_range(h->u.var.name),
                                   h->u.var.length, std::exchange(next_names, -1)});
            break;
        default: break;
        }
    }
    for (auto& table : all.value_names) {
        std::size_t bits = 0;
        for (const auto& [value, name] : table.names) bits = std::max(bits, value.size());
        for (auto& [value, name] : table.names) value.insert(0, bits - value.size(), '0');
    }
    return all;
}

bool write_as_vcd(const std::string& fst_path, const std::string& vcd_path) {
    const fst_file reader = open_fst(fst_path);
    if (!reader) return false;
    std::FILE* const vcd = std::fopen(vcd_path.c_str(), "wb");
    if (vcd == nullptr) return false;
    bool good = fstReaderProcessHier(reader.get(), vcd) != 0;
    if (good) {
        fstReaderSetFacProcessMaskAll(reader.get());
        good = fstReaderIterBlocks(reader.get(), nullptr, nullptr, vcd) != 0;
    }
    return std::fclose(vcd) == 0 && good;
}

}  // namespace contraflow::wave
