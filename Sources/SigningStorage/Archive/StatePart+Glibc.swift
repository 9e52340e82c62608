// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningCore
internal import SigningFiles

/// The file of a state that comes with the content of a shared ledger, line by line.
enum StatePart {
    /// Adds a line, with its end.
    static func add(_ line: [UInt8], besides ledgerPath: String) throws(LedgerError) {
        let path = Home.statePartPath(of: ledgerPath)
        let opened = unsafe open(
            path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw failed }
        do throws(HomeError) {
            let file = NewFileWriter(path, opened)
            try file.write(line)
            try file.finish()
        } catch {
            throw failed
        }
    }

    /// Gives the file its name if a segment of the ledger names it, and deletes it otherwise.
    static func finish(in access: borrowing Access<LedgerError>) throws(LedgerError) {
        let path = Home.statePartPath(of: access.path)
        guard let reader = try? SegmentReader(path), let digest = try? reader.digest() else {
            return
        }
        guard let segment = try access.segments().last(where: { $0.stateDigest == digest }) else {
            unsafe unlink(path)
            return
        }
        do throws(HomeError) {
            try Home.move(path, to: Home.statePath(segment.number, of: access.path))
        } catch {
            throw LedgerError(error)
        }
    }

    private static var failed: LedgerError {
        .unavailable(
            "the state of the shared record cannot be written here: free space on the disk, or"
                + " check the permissions of the folder")
    }
}
