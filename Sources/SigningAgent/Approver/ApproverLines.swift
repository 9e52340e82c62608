// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningCodecs
internal import Synchronization

/// Lines of JSON to and from a program, of which neither side can make the other wait for ever.
final class ApproverLines: Sendable {
    private let socket: Int32
    private let writing = Mutex(())

    /// The socket is closed at its end.
    init(_ socket: Int32) { self.socket = socket }

    deinit { close(socket) }

    /// Ends it for both directions.
    func shut() { shutdown(socket, Int32(SHUT_RDWR)) }

    /// Writes one; false where the program does not take it in time.
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
                _ = isReady(POLLOUT)
            }
            return true
        }
    }

    /// Hands over each line as it comes, until the program ends, writes a line that is too long,
    /// or the task is cancelled.
    func read(_ body: ([UInt8]) async -> Bool) async {
        var held: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: Self.lineBytesMax)
        while !Task.isCancelled {
            guard isReady(POLLIN) else { continue }
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

    private func isReady(_ event: Int32) -> Bool {
        var request = pollfd(fd: socket, events: Int16(event), revents: 0)
        return unsafe poll(&request, 1, Self.pollMilliseconds) > 0
    }

    /// The longest line that is read: an answer, and what it is to.
    static let lineBytesMax = QuestionAnswer.bodyBytesMax
    /// How long a program may take to read a line.
    private static let patience = Duration.seconds(5)
    private static let pollMilliseconds: Int32 = 250
}
