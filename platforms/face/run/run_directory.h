// SPDX-License-Identifier: Apache-2.0
// The directory that a run leaves. It grows as DIR.partial-PID next to DIR and takes DIR's name when it is complete,
// so DIR is always either a whole run or not there. Only a directory that a run of ours wrote is ever deleted.
#pragma once

#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace contraflow::face {

inline constexpr const char* manifest_schema_id = "contraflow-manifest/1";
inline constexpr const char* manifest_name = "manifest.json";

// Writes a whole file; throws output_error naming it.
void write_file(const std::filesystem::path& file, std::string_view content);

// Gives `to` the content of `from`, and deletes the old content of `to`: by one exchange of names if the file system
// can and `may_exchange`, else by moving `to` aside first.
void replace_directory(const std::filesystem::path& from, const std::filesystem::path& to, bool may_exchange);

class run_directory {
public:
    // Throws usage_error if DIR exists and is not a run directory with nothing else in it; with `move_aside` such a
    // directory is kept as DIR.old-N instead, when the run is published. Throws it too while another run fills
    // DIR. Removes what dead runs left next to DIR.
    run_directory(const std::filesystem::path& wanted, bool move_aside);
    ~run_directory() { discard(); }
    run_directory(const run_directory&) = delete;
    run_directory& operator=(const run_directory&) = delete;

    // The directory in which files are written until publish().
    const std::filesystem::path& path() const { return partial_; }
    // The files in it now: relative paths, sorted.
    std::vector<std::string> files() const;
    // Takes the wanted name.
    void publish();
    // Removes everything unless published. May be called from another thread than the one that fills it.
    void discard() noexcept;

private:
    // Partial directories of DIR, of any run, each with its process.
    std::vector<std::pair<std::filesystem::path, long>> partials() const;
    void create();
    bool occupied() const;  // DIR is there and has to be replaced or moved aside

    std::filesystem::path wanted_;  // absolute
    std::filesystem::path partial_;
    std::vector<std::filesystem::path> made_parents_;  // innermost first
    bool move_aside_ = false;
    bool created_ = false;  // the partial directory is ours to remove
    int lock_ = -1;         // held on the partial directory while this process lives
    bool finished_ = false;
    std::mutex mutex_;  // publish() against discard()
};

}  // namespace contraflow::face
