// SPDX-License-Identifier: Apache-2.0
// The folder DIR.points next to a sweep's result DIR: a run directory for each finished point, and .sweep/ with what is
// needed while points are run. A run directory appears by a rename when it is complete: a point is finished if its
// directory exists with exit status 0.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "sweep/plan.h"

namespace contraflow::sweep {

// An advisory lock on a file (flock), held until destroyed.
class file_lock {
public:
    explicit file_lock(const std::filesystem::path& file);
    ~file_lock();
    file_lock(const file_lock&) = delete;
    file_lock& operator=(const file_lock&) = delete;
    // False if another process holds it.
    bool try_lock();
    void unlock();
    void write(const std::string& text) const;

private:
    int descriptor_ = -1;
};

// The page of the point of that id, as what follows the path of the sweep's result. The same with every binary, because
// it leads over a link to the newest run.
std::string page_of(const std::string& id);

enum class ending { finished, failed, not_run };
struct verdict {
    ending end = ending::not_run;
    int exit_code = 0;    // set for a failed point
    std::string message;  // for a failed point, its last line on standard error
};

class point_store {
public:
    // Throws usage_error if another sweep works there.
    explicit point_store(const std::filesystem::path& result);

    std::filesystem::path path() const { return folder_; }
    std::filesystem::path work() const { return folder_ / ".sweep"; }
    std::filesystem::path run_directory(const point& p) const { return folder_ / p.directory; }

    bool is_finished(const plan& of, const point& p) const;
    // The unfinished points, each once, in the plan's order.
    std::vector<const point*> unfinished(const plan& of) const;

    // After this call, no job of an earlier call starts any more. Started points may still run: see idle().
    void replace_earlier_calls();
    // Whether no point is under way.
    bool idle();
    // Writes the files that the scripts need.
    void prepare(const plan& of, const std::vector<const point*>& todo);
    const std::string& generation() const { return generation_; }
    // How many points of this call have ended.
    std::size_t ended() const;

    verdict judge(const plan& of, const point& p) const;
    // Lets page_of() lead to the run of each finished point.
    void link_newest(const plan& of) const;

private:
    std::string command(const plan& of, const point& p, const std::filesystem::path& binary) const;
    std::filesystem::path frozen_binary(const plan& of) const;

    std::filesystem::path folder_;
    file_lock calls_;    // held by the only sweep that may work here
    file_lock workers_;  // shared by the points under way
    std::string generation_;
};

}  // namespace contraflow::sweep
