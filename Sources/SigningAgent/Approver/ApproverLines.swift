// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningCodecs
internal import Synchronization

/// Lines of JSON to and from a program; neither side can block the other forever.
final class ApproverLines: Sendable {
    private let socket: Int32
    private let writing = Mutex(())

    /// Takes over a socket, which is closed with this object.
    init(_ socket: Int32) { self.socket = socket }

    deinit { close(socket) }

    /// Shuts down both directions.
    func shut() { shutdown(socket, Int32(SHUT_RDWR)) }

    /// Writes one line; false if the program does not read it in time.
    func put(_ json: JSON) -> Bool {
        writing.withLock { _ in
            var rest = (json.write() + [0x0A])[...]
            let end = ContinuousClock.now + Self.patience
            while !rest.isEmpty {
                let part = Array(rest)
                let count = unsafe send(
                    socket, part, part.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
                if count > 0 {
                    rest = rest.dropFirst(count)
                    continue
                }
                guard count < 0, errno == EAGAIN || errno == EINTR, .now < end else {
                    return false
                }
                _ = isReady(POLLOUT, milliseconds: Self.writingMilliseconds)
            }
            return true
        }
    }

    /// Passes on each line as it arrives, until the program ends or writes a line that is too long,
    /// or until `shut`.
    func read(_ body: ([UInt8]) async -> Bool) async {
        var held: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: Self.lineBytesMax)
        while !Task.isCancelled {
            // `shut` ends the wait.
            guard isReady(POLLIN, milliseconds: -1) else { continue }
            let count = unsafe recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else { return }
            held += buffer[..<count]
            while let place = held.firstIndex(of: 0x0A) {
                let line = Array(held[..<place])
                held.removeSubrange(...place)
                guard line.count <= Self.lineBytesMax, await body(line) else { return }
            }
            guard held.count <= Self.lineBytesMax else { return }
        }
    }

    private func isReady(_ event: Int32, milliseconds: Int32) -> Bool {
        var request = pollfd(fd: socket, events: Int16(event), revents: 0)
        return unsafe poll(&request, 1, milliseconds) > 0
    }

    /// The longest line that is read, in bytes: the longest answer with the id of its question.
    static let lineBytesMax = QuestionAnswer.bodyBytesMax
    /// The time that a program has to read a line.
    private static let patience = Duration.seconds(5)
    private static let writingMilliseconds: Int32 = 250
}
