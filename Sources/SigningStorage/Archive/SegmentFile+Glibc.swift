// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningCore

/// The file of a segment in the making.
struct SegmentFile {
    private let plan: ArchivePlan
    private let folder: String
    private let path: String
    private let name: String

    init(_ plan: ArchivePlan, besides ledgerPath: String) {
        self.plan = plan
        path = Home.segmentPath(plan.number, of: ledgerPath)
        name = Home.segmentName(plan.number)
        folder = String(ledgerPath[..<(ledgerPath.lastIndex(of: "/") ?? ledgerPath.startIndex)])
    }

    /// Removes what somebody left who was killed; whatever else stands there is refused.
    func removeUnfinished() throws(ArchiveError) {
        do throws(SegmentFault) {
            guard try SegmentReader(path).begins(like: plan.beginning) else {
                throw .altered
            }
        } catch .missing {
            return
        } catch {
            throw .inTheWay(file: name)
        }
        guard unsafe unlink(path) == 0 else { throw failed(errno) }
    }

    /// Writes the entries, durably.
    func write(from database: Database<LedgerError>) throws(ArchiveError) {
        do throws(BackupError) {
            let output = try NewFileWriter(path)
            let line = plan.beginning.prefix { $0 != UInt8(ascii: "\n") }
            try output.write(line + [UInt8(ascii: "\n")])
            var place = plan.previous.sequence
            while place < plan.last.sequence {
                let batch = try entries(after: place, in: database)
                guard let last = batch.last else { throw .damaged }
                try output.write(batch.flatMap { Array($0.body.utf8) + [UInt8(ascii: "\n")] })
                place = last.sequence
            }
            try output.finish()
            do throws(HomeError) { try Home.sync(folder) } catch { throw BackupError.home(error) }
        } catch .home(.failed(_, let code)) {
            throw failed(code)
        } catch .ledger(let error) {
            throw .checkpoint(.ledger(error))
        } catch {
            throw .notWritten("\(name) cannot be written")
        }
    }

    /// Reads the file back: what it holds has to lead from the entry in front of it to the last.
    func read() throws(ArchiveError) -> ArchivedSegment {
        do throws(SegmentFault) {
            let reader = try SegmentReader(path)
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

    private func entries(
        after place: Int64, in database: Database<LedgerError>
    ) throws(BackupError) -> [AuditEntry] {
        let countMax = Int(min(plan.last.sequence - place, Int64(AuditEntry.batchCount)))
        do throws(LedgerError) {
            return try database.query { access throws(LedgerError) in
                try access.entries(after: place, countMax: countMax)
            }
        } catch {
            throw .ledger(error)
        }
    }

    private func failed(_ code: Int32) -> ArchiveError {
        .notWritten("\(name): \(unsafe String(cString: strerror(code)))")
    }
}
