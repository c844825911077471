// SPDX-License-Identifier: Apache-2.0
// A file that grows as FILE.partial-PID next to FILE and takes FILE's name when it is complete, so that FILE is either
// unchanged or complete. A pipe or a device is written at once.
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace contraflow::face {

class growing_file {
public:
    // `option`: the option that asked for it, for messages. Throws usage_error if it can't be written there, or is in
    // the run directory, which the run replaces as a whole.
    growing_file(const std::string& option, const std::filesystem::path& wanted,
                 const std::optional<std::filesystem::path>& run_directory = {});
    ~growing_file() { discard(); }
    growing_file(const growing_file&) = delete;
    growing_file& operator=(const growing_file&) = delete;

    std::ostream& stream() { return stream_; }
    // Call it when all is written: the file takes its name. Throws output_error if that fails.
    void publish();
    // Removes the partial file, unless published. Another thread may still write to the stream.
    void discard() noexcept;

private:
    const std::string asked_;        // "--record FILE"
    std::filesystem::path wanted_;   // its final path, with links resolved
    std::filesystem::path partial_;  // empty: no file, or published
    std::ofstream stream_;
};

}  // namespace contraflow::face
