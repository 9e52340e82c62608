// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningCore

/// A file that stores a freeze of signing if the record cannot be written.
///
/// It is needed on a full disk, and while the record is damaged or locked. The file is created in
/// its full size in advance and is overwritten in place, which needs no free space. Every request
/// reads it before a key is used.
struct FreezeMark: Sendable {
    /// The content of the file.
    struct Content: Hashable {
        let time: Timestamp
        let reason: String
    }

    let path: String

    /// Creates the mark for the file `freeze.mark` in the folder of a ledger.
    init(besideLedger ledgerPath: String) {
        let folder = ledgerPath.lastIndex(of: "/").map { ledgerPath[...$0] } ?? ""
        path = folder + "freeze.mark"
    }

    /// Creates the file in its full size; does nothing if it exists.
    func prepare() {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        // For a file that is not written completely, the space could be missing when it is needed.
        // The next command creates the file again.
        if !Self.write(Self.blank, to: file) { unsafe unlink(path) }
    }

    /// Stores a freeze durably; false if that fails.
    func set(_ content: Content) -> Bool {
        prepare()
        var bytes = Array("\(Self.kind)\(content.time.seconds)\n\(content.reason)\n".utf8)
        bytes = Array(bytes.prefix(Self.bytesMax))
        bytes += [UInt8](repeating: 0, count: Self.bytesMax - bytes.count)
        return overwrite(with: bytes)
    }

    /// Removes the freeze from the file after it was recorded; false if that fails.
    func clear() -> Bool { overwrite(with: Self.blank) }

    /// The stored freeze; nil if the file contains none.
    ///
    /// Content of an unknown form counts as a freeze.
    func read() throws(LedgerError) -> Content? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            guard errno == ENOENT else { throw .unavailable("freeze.mark cannot be read") }
            return nil
        }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Self.bytesMax)
        let count = unsafe pread(file, &bytes, bytes.count, 0)
        guard count >= 0 else { throw .unavailable("freeze.mark cannot be read") }
        guard bytes.contains(where: { $0 != 0 }) else { return nil }
        let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard text.hasPrefix(Self.kind), lines.count >= 3, let seconds = Int64(lines[1]) else {
            return Content(time: Timestamp(seconds: 0), reason: "freeze.mark is damaged")
        }
        let reason = lines[2...].dropLast().joined(separator: "\n")
        return Content(time: Timestamp(seconds: seconds), reason: reason)
    }

    private func overwrite(with bytes: [UInt8]) -> Bool {
        let file = unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return false }
        defer { close(file) }
        return Self.write(bytes, to: file)
    }

    private static func write(_ bytes: [UInt8], to file: Int32) -> Bool {
        unsafe pwrite(file, bytes, bytes.count, 0) == bytes.count && fsync(file) == 0
    }

    private static let kind = "countersign freeze v1\n"
    /// The size of the file in bytes: one block of common file systems.
    ///
    /// The longest reason fits.
    private static let bytesMax = 4_096
    private static let blank = [UInt8](repeating: 0, count: bytesMax)
}
