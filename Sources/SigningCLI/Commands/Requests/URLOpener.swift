// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Opens a URL with the desktop's program, without a shell.
enum URLOpener {
    static func open(_ url: String) throws {
        let words = ["xdg-open", url]
        var pointers = unsafe words.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        defer { unsafe pointers.forEach { unsafe free($0) } }
        var process: pid_t = 0
        let status = unsafe posix_spawnp(
            &process, "xdg-open", nil, nil, &pointers, environ)
        guard status == 0 else {
            throw CLIError(
                "xdg-open cannot be started",
                hint: "install xdg-utils, or open the printed URL yourself")
        }
        var ended: Int32 = 0
        while unsafe waitpid(process, &ended, 0) < 0 && errno == EINTR {}
        guard ended == 0 else {
            throw CLIError(
                "xdg-open did not open the callback",
                hint: "check that an application is registered for its scheme")
        }
    }
}
