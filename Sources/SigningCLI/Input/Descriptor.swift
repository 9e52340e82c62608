// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An open file, closed when it goes out of scope and not inherited by other programs.
struct Descriptor: ~Copyable {
    let number: Int32

    /// Opens a path; nil with `errno` set where the system refuses.
    init?(opening path: String, _ flags: Int32, mode: mode_t = 0) {
        let opened = unsafe open(path, flags | O_CLOEXEC, mode)
        guard opened >= 0 else { return nil }
        number = opened
    }

    deinit { close(number) }
}
