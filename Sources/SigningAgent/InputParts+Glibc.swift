// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// What comes in by an open file, part by part.
enum InputParts {
    private static let partBytes = 1 << 16
    private static let pauseMilliseconds: Int32 = 250

    /// Hands over each part until `take` says to stop, the file ends, or the task is cancelled.
    static func read(_ input: Int32, _ take: (ArraySlice<UInt8>) -> Bool) {
        var buffer = [UInt8](repeating: 0, count: partBytes)
        while !Task.isCancelled {
            var event = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
            // A signal that ends the program does not end a read.
            guard unsafe poll(&event, 1, pauseMilliseconds) > 0 else { continue }
            let count = unsafe Glibc.read(input, &buffer, buffer.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0, take(buffer[..<count]) else { return }
        }
    }
}
