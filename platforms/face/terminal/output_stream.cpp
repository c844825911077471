// SPDX-License-Identifier: Apache-2.0
#include "face/terminal/output_stream.h"

#include <cerrno>
#include <system_error>

#include <unistd.h>

#include "face/command_line/errors.h"

namespace contraflow::face {

descriptor_buffer::descriptor_buffer(int descriptor) : descriptor_(descriptor) {
    setp(buffer_.data(), buffer_.data() + buffer_.size());
}

descriptor_buffer::int_type descriptor_buffer::overflow(int_type c) {
    if (sync() != 0) return traits_type::eof();
    if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
}

int descriptor_buffer::sync() {
    for (const char* at = pbase(); at < pptr() && error_ == 0;) {
        const ssize_t written = ::write(descriptor_, at, static_cast<std::size_t>(pptr() - at));
        if (written >= 0)
            at += written;
        else if (errno != EINTR)
            error_ = errno;
    }
    setp(buffer_.data(), buffer_.data() + buffer_.size());
    return error_ == 0 ? 0 : -1;
}

void output_stream::finish() {
    flush();
    if (buffer_.error() != 0 && buffer_.error() != EPIPE) {
        throw output_error("cannot write to standard output: " + std::generic_category().message(buffer_.error()));
    }
}

}  // namespace contraflow::face
