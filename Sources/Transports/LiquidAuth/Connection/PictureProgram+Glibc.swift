// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The program `countersign-qr`, which parses pictures in a separate process.
package struct PictureProgram: Hashable, Sendable {
    /// The reasons that a picture gives no text.
    package enum ReadError: Error, Hashable, Sendable {
        /// The program is missing or not trusted; the reason and a hint.
        case missingProgram(String, hint: String)
        /// The file is not a PNG picture, or it is damaged.
        case unreadable
        /// The picture has too many bytes or pixels.
        case tooLarge
        /// The picture contains no code.
        case noCode
        /// The picture contains several different codes.
        case severalCodes
        /// The program took longer than `secondsMax`, or more computing time than `QR/main.c`
        /// allows.
        case timedOut
        /// The program failed.
        case failed

        /// The error in plain words about the picture.
        package var text: String {
            switch self {
            case .missingProgram(let words, _): "cannot be read: \(words)"
            case .unreadable: "is not a PNG picture, or is damaged"
            case .tooLarge: "is too large: at most 16 MiB and 16 million pixels are read"
            case .noCode: "has no QR code in it"
            case .severalCodes: "has several QR codes in it"
            case .timedOut: "takes too long to read"
            case .failed: "cannot be read"
            }
        }
    }

    /// The name of the program.
    package static let name = "countersign-qr"
    /// The environment variable with another path of the program.
    package static let variable = "COUNTERSIGN_QR"
    /// The time limit, in seconds.
    private static let secondsMax = 15
    /// The maximum length of the text in bytes: the capacity of a QR code.
    private static let textBytesMax = 4_096

    /// The path of the program.
    package let path: String

    /// Finds the program at `named`, otherwise like `ChannelProgram`, with the same checks.
    package init(named: String?) throws(ReadError) {
        do throws(HelperPlace.PlaceError) {
            path = try HelperPlace.of(Self.name, named: named)
        } catch {
            throw .missingProgram(
                error.words(on: Self.name),
                hint: error == .missing
                    ? HelperPlace.installing(Self.variable) : "see Docs/Liquid.md")
        }
    }

    /// Returns true if everything that it needs is present and the kernel restricts it.
    package func check() -> Bool {
        guard let nothing = Self.opened("/dev/null") else { return false }
        defer { close(nothing) }
        return (try? run(["--check"], nothing)) == "ready\n"
    }

    /// Returns the text of the only code in an open picture; the text is not checked.
    package func text(in picture: Int32) throws(ReadError) -> String { try run([], picture) }

    private static func opened(_ path: String) -> Int32? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        return file < 0 ? nil : file
    }

    /// Runs the program, which would end with the thread that started it; so this thread waits.
    private func run(_ arguments: [String], _ input: Int32) throws(ReadError) -> String {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw .failed }
        defer { close(ends[0]) }
        let process = RunningProgram.spawn(path, arguments, input: input, output: ends[1])
        close(ends[1])
        guard process > 0 else { throw .failed }
        let text = Self.read(ends[0])
        // The program may still run although it closed its output. If it ended normally, the kill
        // does not change its status.
        kill(process, SIGKILL)
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        guard let text else { throw .timedOut }
        // The lowest seven bits are a signal; SIGXCPU comes from the limit on computing time.
        let signal = status & 0x7F
        guard signal == 0 else { throw signal == SIGXCPU ? .timedOut : .failed }
        // The exit codes of `QR/main.c`.
        switch (status >> 8) & 0xFF {
        case 0: break
        case 1: throw .noCode
        case 2: throw .severalCodes
        case 3: throw .tooLarge
        case 65: throw .unreadable
        default: throw .failed
        }
        guard let text = String(validating: text, as: UTF8.self) else { throw .failed }
        return text
    }

    /// Returns the output of the program; nil if it is too long or too late.
    private static func read(_ output: Int32) -> [UInt8]? {
        let end = ContinuousClock.now + .seconds(secondsMax)
        var text: [UInt8] = []
        var part = [UInt8](repeating: 0, count: textBytesMax)
        while true {
            let left = end - .now
            let milliseconds = Int32(left.components.seconds * 1_000) + 1
            guard left > .zero else { return nil }
            var waiting = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            let count = unsafe poll(&waiting, 1, milliseconds)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { continue }
            let got = unsafe Glibc.read(output, &part, part.count)
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { return got == 0 ? text : nil }
            text += part[..<got]
            guard text.count <= textBytesMax else { return nil }
        }
    }
}
