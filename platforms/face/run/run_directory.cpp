// SPDX-License-Identifier: Apache-2.0
#include "face/run/run_directory.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <optional>
#include <set>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "face/command_line/errors.h"

namespace contraflow::face {
namespace {

namespace fs = std::filesystem;

std::string reason(int error) { return std::generic_category().message(error); }

std::vector<std::string> files_below(const fs::path& directory) {
    std::vector<std::string> out;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory)) {
        if (!entry.is_directory() || entry.is_symlink()) out.push_back(entry.path().lexically_relative(directory));
    }
    std::sort(out.begin(), out.end());
    return out;
}

// The files its manifest lists; nothing if it is not a run directory.
std::optional<std::set<std::string>> listed_files(const fs::path& directory) {
    std::ifstream in(directory / manifest_name);
    if (!in) return std::nullopt;
    const nlohmann::json manifest = nlohmann::json::parse(in, nullptr, false);
    if (!manifest.is_object() || manifest.value("schema", nlohmann::json()) != manifest_schema_id) return std::nullopt;
    std::set<std::string> out{manifest_name};
    const nlohmann::json files = manifest.value("files", nlohmann::json::array());
    if (!files.is_array()) return std::nullopt;
    for (const nlohmann::json& file : files) {
        if (file.is_string()) out.insert(file.get<std::string>());
    }
    return out;
}

// Why the directory may not be deleted; "" if it may: a run wrote all that is in it.
std::string why_not_ours(const fs::path& directory) {
    if (fs::is_empty(directory)) return "";
    const auto listed = listed_files(directory);
    if (!listed) return "it is not a run directory";
    for (const std::string& file : files_below(directory)) {
        if (!listed->contains(file)) return fmt::format("it holds '{}', which no run wrote", file);
    }
    return "";
}

fs::path free_name_beside(const fs::path& directory) {
    for (unsigned n = 1;; ++n) {
        fs::path candidate = directory;
        candidate += fmt::format(".old-{}", n);
        if (!fs::exists(fs::symlink_status(candidate))) return candidate;
    }
}

void rename_or_throw(const fs::path& from, const fs::path& to) {
    std::error_code error;
    fs::rename(from, to, error);
    if (error) {
        throw output_error(fmt::format("cannot rename {} to {}: {}", from.string(), to.string(), error.message()));
    }
}

// The lock on a directory; -1 if another process holds it, or the file system has no locks.
int lock_directory(const fs::path& directory) {
    const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 && ::flock(fd, LOCK_EX | LOCK_NB) != 0) {
        ::close(fd);
        return -1;
    }
    return fd;
}

// Whether a run fills this partial directory now. Where the file system has no locks, none is known to.
bool under_way(const fs::path& directory) {
    const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return false;
    const bool held = ::flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    ::close(fd);
    return held;
}

// A partial directory may be removed if no process fills it any more. A process of another container may have a pid
// that is unknown here, but it still holds the lock.
bool abandoned(const fs::path& directory, long pid) {
    if (pid != ::getpid() && (::kill(static_cast<pid_t>(pid), 0) == 0 || errno != ESRCH)) return false;
    const int lock = lock_directory(directory);
    if (lock < 0) return false;
    ::close(lock);
    return fs::is_empty(directory) || listed_files(directory).has_value();
}

}  // namespace

void write_file(const fs::path& file, std::string_view content) {
    std::FILE* out = std::fopen(file.c_str(), "wbe");
    bool good = out != nullptr;
    if (good) good = std::fwrite(content.data(), 1, content.size(), out) == content.size();
    const int write_error = errno;
    if (out && std::fclose(out) != 0 && good) {
        throw output_error(fmt::format("cannot write {}: {}", file.string(), reason(errno)));
    }
    if (!good) throw output_error(fmt::format("cannot write {}: {}", file.string(), reason(write_error)));
}

void replace_directory(const fs::path& from, const fs::path& to, bool may_exchange) {
    if (may_exchange && ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) {
        fs::remove_all(from);
        return;
    }
    const fs::path aside = free_name_beside(to);
    rename_or_throw(to, aside);
    try {
        rename_or_throw(from, to);
    } catch (const output_error&) {
        rename_or_throw(aside, to);
        throw;
    }
    fs::remove_all(aside);
}

run_directory::run_directory(const fs::path& wanted, bool move_aside) : move_aside_(move_aside) {
    std::error_code error;
    wanted_ = fs::weakly_canonical(fs::absolute(wanted), error);
    if (error) throw usage_error(fmt::format("--out {}: {}", wanted.string(), error.message()));
    if (!wanted_.has_filename()) wanted_ = wanted_.parent_path();  // "DIR/"
    const auto refuse = [&](const std::string& why) {
        throw usage_error(fmt::format("--out {}: {}", wanted.string(), why));
    };
    if (!wanted_.has_filename() || wanted.empty()) refuse("cannot be replaced by a run; name a directory to be made");
    const fs::path here = fs::current_path(error);
    if (!error && (here == wanted_ || here.string().starts_with(wanted_.string() + "/"))) {
        refuse("is where this command runs; name a directory to be made");
    }
    if (fs::exists(wanted_) && !fs::is_directory(wanted_)) refuse("exists and is not a directory");
    if (!fs::exists(wanted_) && fs::is_symlink(wanted_)) refuse("is a symbolic link to nothing");
    if (fs::exists(wanted_) && !move_aside_) {
        const std::string why = why_not_ours(wanted_);
        if (!why.empty()) {
            refuse(fmt::format("the directory exists and {}; choose another name, or --force to keep it as {}", why,
                               free_name_beside(wanted_).filename().string()));
        }
    }
    partial_ = wanted_;
    partial_ += fmt::format(".partial-{}", ::getpid());
    for (const auto& [other, pid] : partials()) {
        if (under_way(other))
            refuse(fmt::format("a run of process {} is filling it; wait, or choose another name", pid));
        if (abandoned(other, pid)) fs::remove_all(other, error);
    }
    create();
}

std::vector<std::pair<fs::path, long>> run_directory::partials() const {
    const std::string prefix = wanted_.filename().string() + ".partial-";
    std::vector<std::pair<fs::path, long>> out;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(wanted_.parent_path(), error)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(prefix) || entry.is_symlink() || !entry.is_directory()) continue;
        long pid = 0;
        const char* end = name.data() + name.size();
        const auto number = std::from_chars(name.data() + prefix.size(), end, pid);
        if (number.ec == std::errc() && number.ptr == end && pid > 0) out.emplace_back(entry.path(), pid);
    }
    return out;
}

void run_directory::create() {
    std::error_code error;
    for (fs::path parent = wanted_.parent_path(); !fs::exists(parent); parent = parent.parent_path()) {
        made_parents_.push_back(parent);
    }
    fs::create_directories(wanted_.parent_path(), error);
    if (!error) created_ = fs::create_directory(partial_, error);
    if (!error && !created_) error = std::make_error_code(std::errc::file_exists);
    if (error) {
        discard();
        throw usage_error(fmt::format("cannot make {}: {}", wanted_.string(), error.message()));
    }
    lock_ = lock_directory(partial_);
    // Marks the directory as a run directory from the start.
    try {
        write_file(partial_ / manifest_name, nlohmann::json{{"schema", manifest_schema_id}}.dump() + "\n");
    } catch (const output_error&) {
        discard();
        throw;
    }
}

std::vector<std::string> run_directory::files() const { return files_below(partial_); }

bool run_directory::occupied() const { return fs::exists(wanted_) && !fs::is_empty(wanted_); }

void run_directory::publish() {
    const std::lock_guard guard(mutex_);
    if (finished_) return;
    if (!occupied()) {
        rename_or_throw(partial_, wanted_);  // also over an empty directory
    } else if (why_not_ours(wanted_).empty()) {
        replace_directory(partial_, wanted_, true);
    } else if (move_aside_) {
        rename_or_throw(wanted_, free_name_beside(wanted_));
        rename_or_throw(partial_, wanted_);
    } else {
        throw output_error(fmt::format("{} was changed while the run went on; not replaced", wanted_.string()));
    }
    finished_ = true;
    if (lock_ >= 0) ::close(lock_);
    lock_ = -1;
}

void run_directory::discard() noexcept {
    const std::lock_guard guard(mutex_);
    if (finished_) return;
    finished_ = true;
    std::error_code error;
    // Another thread may still be adding files.
    for (int attempt = 0; created_ && attempt < 100; ++attempt) {
        fs::remove_all(partial_, error);
        if (!fs::exists(partial_, error)) break;
    }
    for (const fs::path& parent : made_parents_) fs::remove(parent, error);  // only while empty
    if (lock_ >= 0) ::close(lock_);
    lock_ = -1;
}

}  // namespace contraflow::face
