// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// `countersign-qr`, which looks at pictures for processes that do not.
package struct PictureProgram: Hashable, Sendable {
    /// Why there is no text.
    package enum ReadError: Error, Hashable, Sendable {
        /// The program is not there, or not to be trusted; in words, with what helps.
        case missingProgram(String, hint: String)
        /// It is no PNG picture, or a broken one.
        case unreadable
        /// It has too many bytes or pixels.
        case tooLarge
        /// There is no code in it.
        case noCode
        /// There are several that differ.
        case severalCodes
        /// It took longer than `secondsMax`, or more computing time than `QR/main.c` allows.
        case timedOut
        /// The program ended otherwise.
        case failed

        /// The fault in plain words, of the picture.
        package var text: String {
            switch self {
            case .missingProgram(let words, _): "cannot be looked at: \(words)"
            case .unreadable: "is no PNG picture that can be read"
            case .tooLarge: "is too large: 16 MiB and 16 million pixels are looked at"
            case .noCode: "has no QR code in it"
            case .severalCodes: "has several QR codes in it"
            case .timedOut: "takes too long to look at"
            case .failed: "cannot be looked at"
            }
        }
    }

    /// What it is called.
    package static let name = "countersign-qr"
    /// Names another place for it.
    package static let variable = "COUNTERSIGN_QR"
    /// How long it may take, in seconds.
    private static let secondsMax = 15
    /// Bytes of the longest text: no QR code holds more.
    private static let textBytesMax = 4_096

    /// Where it is.
    package let path: String

    /// Looks where `named` says, or else where `ChannelProgram` is looked for, as strictly.
    package init(named: String?) throws(ReadError) {
        do throws(HelperPlace.PlaceError) {
            path = try HelperPlace.of(Self.name, named: named)
        } catch {
            throw .missingProgram(
                error.words(on: Self.name),
                hint: error == .missing ? HelperPlace.installing(Self.variable) : "see Liquid.md")
        }
    }

    /// Whether it finds what it needs, and the kernel binds it.
    package func check() -> Bool {
        guard let nothing = Self.opened("/dev/null") else { return false }
        defer { close(nothing) }
        return (try? run(["--check"], nothing)) == "ready\n"
    }

    /// The text of the one code in a picture, which is open to read; it may hold anything.
    package func text(in picture: Int32) throws(ReadError) -> String { try run([], picture) }

    private static func opened(_ path: String) -> Int32? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        return file < 0 ? nil : file
    }

    /// It ends with the thread that starts it, which waits here.
    private func run(_ arguments: [String], _ input: Int32) throws(ReadError) -> String {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw .failed }
        defer { close(ends[0]) }
        let process = RunningProgram.spawn(path, arguments, input: input, output: ends[1])
        close(ends[1])
        guard process > 0 else { throw .failed }
        let text = Self.read(ends[0])
        // It may run on without its output. If it ends by itself, its status is settled by now.
        kill(process, SIGKILL)
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        guard let text else { throw .timedOut }
        // The lowest seven bits name a signal; this one comes with the limit of computing time.
        let signal = status & 0x7F
        guard signal == 0 else { throw signal == SIGXCPU ? .timedOut : .failed }
        // As `QR/main.c` has them.
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

    /// What it writes until its end; nil where that is too much or too late.
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
