// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningCore
internal import SigningFiles

/// The file of a new segment, and the file with the state after it.
///
/// The first is written under a temporary name that one process locks. Both get their final names
/// in the transaction that records them, so a file that a ledger names is never changed. A file
/// that does not get its final name is deleted.
final class SegmentFile {
    private let plan: ArchivePlan
    private let folder: String
    private let path: String
    private let name: String
    private let part: String
    private let ledgerPath: String
    private let descriptor: Int32
    private var isInPlace = false
    /// The written segment without its signature; nil until it is written.
    private(set) var segment: ArchivedSegment?

    /// Reads at most `countMax` entries after a place.
    typealias Entries = (_ place: Int64, _ countMax: Int) throws(LedgerError) -> [AuditEntry]

    /// Throws if another file has the final name, or another process writes a segment.
    init(_ plan: ArchivePlan, besides ledgerPath: String) throws(ArchiveError) {
        self.plan = plan
        self.ledgerPath = ledgerPath
        path = Home.segmentPath(plan.number, of: ledgerPath)
        name = Home.segmentName(plan.number)
        part = Home.segmentPartPath(of: ledgerPath)
        folder = String(ledgerPath[..<(ledgerPath.lastIndex(of: "/") ?? ledgerPath.startIndex)])
        try Self.checkPlace(path, name, plan)
        descriptor = try Self.open(part)
    }

    deinit {
        if !isInPlace {
            unsafe unlink(part)
            unsafe unlink(Home.statePartPath(of: ledgerPath))
        }
        close(descriptor)
    }

    /// Writes the entries, durably, and reads them back: their hashes must lead from the previous
    /// entry to the last.
    func write(_ entries: Entries) throws(ArchiveError) {
        // The lock belongs to the descriptor that stays open.
        let output = NewFileWriter(part, fcntl(descriptor, F_DUPFD_CLOEXEC, 0))
        let line = plan.beginning.prefix { $0 != UInt8(ascii: "\n") }
        try Self.write(name) { () throws(HomeError) in
            try output.write(line + [UInt8(ascii: "\n")])
        }
        var place = plan.previous.sequence
        while place < plan.last.sequence {
            let batch = try next(entries, after: place)
            guard let last = batch.last else {
                throw .ledger(.unavailable("another process archived meanwhile: try again"))
            }
            try Self.write(name) { () throws(HomeError) in
                try output.write(batch.flatMap { Array($0.body.utf8) + [UInt8(ascii: "\n")] })
            }
            place = last.sequence
        }
        try Self.write(name) { () throws(HomeError) in try output.finish() }
        segment = try read()
    }

    /// Writes the state after the segment, durably, by a replay of the ledger.
    ///
    /// Writes none if files with earlier entries are missing. Call it after `write`.
    func writeState() throws(ArchiveError) {
        let statePart = Home.statePartPath(of: ledgerPath)
        let name = Home.stateName(plan.number)
        // The lock on the other file is also for this one.
        unsafe unlink(statePart)
        let output = try Self.write(name) { () throws(HomeError) in try NewFileWriter(statePart) }
        do throws(LedgerError) {
            segment?.stateDigest = try Self.replay(ledgerPath, upTo: plan.last) {
                line throws(LedgerError) in
                do throws(HomeError) { try output.write(line) } catch {
                    throw .unavailable("the state of the record cannot be written")
                }
            }
        } catch {
            throw .ledger(error)
        }
        guard segment?.stateDigest != nil else { return }
        try Self.write(name) { () throws(HomeError) in try output.finish() }
    }

    /// Runs an operation on a part; an error names the file that the part was to become.
    private static func write<R>(
        _ name: String, _ body: () throws(HomeError) -> R
    ) throws(ArchiveError) -> R {
        do throws(HomeError) {
            return try body()
        } catch .failed(_, let code) {
            throw failed(name, code)
        } catch {
            throw .notWritten("\(name): \(error.text)")
        }
    }

    /// Puts out the state after an entry; returns its SHA-256, or nil if it cannot be made.
    private static func replay(
        _ ledgerPath: String, upTo last: AuditHead, _ output: StateLines.Output
    ) throws(LedgerError) -> [UInt8]? {
        // The replay makes temporary tables, which hide those of the ledger.
        let ledger = try Database<LedgerError>(path: ledgerPath, schema: .ledger, .existing)
        return try ledger.read { access throws(LedgerError) in
            let segments = try access.segments()
            var verifier = AuditVerifier(logPublicKey: nil)
            let problem = verifier.begin(with: segments, besides: ledgerPath, prefersState: true)
            if let problem { throw .corrupt(problem.text) }
            let tables = try ReplayedTables(beside: access, verifier.ends)
            return try verifier.state(after: last, into: tables, segments, in: access)?
                .write(tables, output)
        }
    }

    /// Gives the files their final names, durably; replaces files left by a killed process.
    ///
    /// The state after the segment before stays until this one is surely on record.
    func putInPlace() throws(LedgerError) {
        do throws(ArchiveError) {
            try Self.checkPlace(path, name, plan)
        } catch {
            throw .unavailable(
                "\(name) exists, but does not belong to this record: move the file away")
        }
        do throws(HomeError) {
            if segment?.stateDigest != nil {
                try Home.move(
                    Home.statePartPath(of: ledgerPath),
                    to: Home.statePath(plan.number, of: ledgerPath))
            }
            for number in 1..<max(1, plan.number - 1) {
                unsafe unlink(Home.statePath(number, of: ledgerPath))
            }
            try Home.move(part, to: path)
            isInPlace = true
            try Home.sync(folder)
        } catch {
            throw LedgerError(error)
        }
    }

    private func read() throws(ArchiveError) -> ArchivedSegment {
        do throws(SegmentError) {
            let reader = try SegmentReader(part)
            _ = try reader.nextLine()
            var head = plan.previous
            while let line = try reader.nextLine() {
                let sequence = head.sequence + 1
                head.hash = AuditChain.hash(after: head.hash, sequence: sequence, body: line)
                head.sequence = sequence
            }
            guard head.sequence == plan.last.sequence, head.hash == plan.last.hash else {
                throw .altered
            }
            return ArchivedSegment(
                number: plan.number, first: plan.previous.sequence + 1, last: head.sequence,
                headHash: head.hash, foldedSequence: plan.foldedSequence,
                byteCount: reader.byteCount, digest: try reader.digest())
        } catch {
            throw .notWritten("\(name) \(error.text)")
        }
    }

    private func next(
        _ entries: Entries, after place: Int64
    ) throws(ArchiveError) -> [AuditEntry] {
        let countMax = Int(min(plan.last.sequence - place, Int64(AuditEntry.batchCount)))
        do throws(LedgerError) { return try entries(place, countMax) } catch {
            throw .ledger(error)
        }
    }

    /// Accepts a partial file left by a killed archiver; refuses any other file at this path.
    private static func checkPlace(
        _ path: String, _ name: String, _ plan: ArchivePlan
    ) throws(ArchiveError) {
        do throws(SegmentError) {
            guard try SegmentReader(path).begins(like: plan.beginning) else { throw .altered }
        } catch .missing {
            return
        } catch {
            throw .nameTaken(file: name)
        }
    }

    /// Opens the file empty and with an exclusive lock.
    private static func open(_ path: String) throws(ArchiveError) -> Int32 {
        let name = Home.segmentPartName
        let opened = unsafe Glibc.open(
            path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW, 0o600)
        guard opened >= 0 else {
            guard ![ELOOP, ENXIO, EISDIR].contains(errno) else { throw .nameTaken(file: name) }
            throw failed(name, errno)
        }
        do throws(ArchiveError) {
            var found = stat()
            guard unsafe fstat(opened, &found) == 0 else { throw failed(name, errno) }
            guard found.st_mode & S_IFMT == S_IFREG, found.st_uid == geteuid() else {
                throw .nameTaken(file: name)
            }
            var named = stat()
            // The process that held the lock may have moved the file into place meanwhile.
            guard flock(opened, LOCK_EX | LOCK_NB) == 0, unsafe stat(path, &named) == 0,
                named.st_ino == found.st_ino, named.st_dev == found.st_dev
            else { throw .notWritten("another process writes \(name): try again") }
            guard ftruncate(opened, 0) == 0 else { throw failed(name, errno) }
            return opened
        } catch {
            close(opened)
            throw error
        }
    }

    private static func failed(_ name: String, _ code: Int32) -> ArchiveError {
        .notWritten("\(name): \(unsafe String(cString: strerror(code)))")
    }
}
