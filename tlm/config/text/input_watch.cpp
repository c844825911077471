// SPDX-License-Identifier: Apache-2.0
#include "config/text/input_watch.h"

#include <mutex>
#include <utility>

namespace contraflow::config {
namespace {

struct watch {
    std::mutex mutex;
    input_watcher watcher;
};

watch& the_watch() {
    static watch only;
    return only;
}

}  // namespace

void watch_inputs(input_watcher watcher) {
    watch& w = the_watch();
    const std::lock_guard lock(w.mutex);
    w.watcher = std::move(watcher);
}

void tell_input(const std::string& what, const std::string& path, const std::string* text) {
    watch& w = the_watch();
    const std::lock_guard lock(w.mutex);
    if (w.watcher) w.watcher(what, path, text);
}

}  // namespace contraflow::config
