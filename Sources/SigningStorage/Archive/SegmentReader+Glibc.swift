// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningCodecs
internal import SigningCore
internal import SigningCrypto

/// An error in a segment's file.
package enum SegmentError: Error, Hashable, Sendable {
    /// There is no such file.
    case missing
    /// The path is not a regular file of this user.
    case notAFile
    /// The file's content is not the archived one.
    case altered
    /// The system refused, with this errno.
    case unreadable(code: Int32)

    /// The error in plain words; the subject is the file.
    package var text: String {
        switch self {
        case .missing: "is missing"
        case .notAFile: "is not a file of yours"
        case .altered: "was altered"
        case .unreadable(let code): "cannot be read: \(unsafe String(cString: strerror(code)))"
        }
    }
}

/// Reads the file of a segment: a header line, then the body of one entry per line.
///
/// A body contains no line end, as JSON escapes it. Numbers, times and hashes follow from the
/// bodies and from the entry before the first.
final class SegmentReader {
    private let descriptor: Int32
    /// The length of the file in bytes.
    let byteCount: Int64
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    private var state = SHA256State()

    /// The longest line, in bytes.
    static let lineBytesMax = 64 << 20
    private static let chunkBytes = 256 << 10

    /// The first line of a segment's file.
    static func beginning(first: Int64, after previous: [UInt8], logPublicKey: [UInt8]) -> String {
        let hashes = [previous, logPublicKey].map { Hex.encode($0.span) }
        return "countersign archive v1 \(first) \(hashes.joined(separator: " "))"
    }

    init(_ path: String) throws(SegmentError) {
        // Without O_NONBLOCK, opening a pipe would wait for its writer.
        descriptor = unsafe open(
            path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: throw .missing
            case ELOOP, ENXIO: throw .notAFile
            default: throw .unreadable(code: errno)
            }
        }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .unreadable(code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            throw .notAFile
        }
        byteCount = Int64(status.st_size)
    }

    deinit { close(descriptor) }

    /// The next line without its end; nil after the last, and if a line is too long or has no end.
    func nextLine() throws(SegmentError) -> [UInt8]? {
        var searched = start
        while true {
            if let end = lineEnd(from: searched) {
                defer { start = end + 1 }
                return Array(buffer[start..<end])
            }
            guard !isAtEnd, buffer.count - start <= Self.lineBytesMax else { return nil }
            buffer.removeFirst(start)
            start = 0
            searched = buffer.count
            try readChunk()
        }
    }

    /// Whether the file and these bytes agree up to the end of the shorter one; call it before
    /// reading.
    func begins(like bytes: [UInt8]) throws(SegmentError) -> Bool {
        while buffer.count < bytes.count, !isAtEnd { try readChunk() }
        return zip(buffer, bytes).allSatisfy { $0 == $1 }
    }

    /// The SHA-256 of the whole file, which is read to its end.
    func digest() throws(SegmentError) -> [UInt8] {
        while !isAtEnd {
            buffer.removeAll(keepingCapacity: true)
            start = 0
            try readChunk()
        }
        return state.finish()
    }

    private func lineEnd(from place: Int) -> Int? {
        unsafe buffer.withUnsafeBytes { bytes in
            guard place < bytes.count, let base = bytes.baseAddress,
                let found = unsafe memchr(
                    base + place, Int32(UInt8(ascii: "\n")), bytes.count - place)
            else { return nil }
            return unsafe UnsafeRawPointer(found) - base
        }
    }

    private func readChunk() throws(SegmentError) {
        let length = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: Self.chunkBytes))
        let found = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe read(descriptor, bytes.baseAddress?.advanced(by: length), Self.chunkBytes)
        }
        buffer.removeLast(Self.chunkBytes - max(0, found))
        if found < 0, errno == EINTR { return }
        guard found >= 0 else { throw .unreadable(code: errno) }
        isAtEnd = found == 0
        state.update(Array(buffer[length...]).span)
    }
}
