// SPDX-License-Identifier: Apache-2.0
// Copies of pages that several GPUs read: in addition to the home, which the page table knows, a frame in the memory of
// each GPU with a copy. While copies exist, the page is read-only.
#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "host/migration/page_touch.h"

namespace contraflow::host::migration {

class duplicates {
public:
    struct copy {
        unsigned gpu = 0;
        std::uint64_t frame = 0;
    };

    bool has(const page_id& page) const { return pages_.find(key(page)) != pages_.end(); }
    // That GPU's copy, or null.
    const copy* of(const page_id& page, unsigned gpu) const {
        const auto at = pages_.find(key(page));
        if (at == pages_.end()) return nullptr;
        const auto c = std::find_if(at->second.begin(), at->second.end(), [&](const copy& x) { return x.gpu == gpu; });
        return c == at->second.end() ? nullptr : &*c;
    }
    void add(const page_id& page, const copy& c) { pages_[key(page)].push_back(c); }
    // Removes the copies; the caller then owns them.
    std::vector<copy> take(const page_id& page) {
        const auto at = pages_.find(key(page));
        if (at == pages_.end()) return {};
        std::vector<copy> copies = std::move(at->second);
        pages_.erase(at);
        return copies;
    }
    std::vector<page_id> pages() const {
        std::vector<page_id> all;
        for (const auto& [page, copies] : pages_) all.push_back({page.first, page.second});
        return all;
    }

private:
    using ordered = std::pair<std::uint32_t, std::uint64_t>;
    static ordered key(const page_id& p) { return {p.process, p.address}; }

    std::map<ordered, std::vector<copy>> pages_;
};

}  // namespace contraflow::host::migration
