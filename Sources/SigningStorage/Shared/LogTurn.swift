// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

/// This hub's turn at the end of a shared log, with what is changed in it.
final class LogTurn {
    let identity: LogIdentity
    /// Where its batch will stand behind.
    let place: LogPlace
    /// The last entry on record when it began.
    let headSequence: Int64
    /// The SHA-256 of texts with rows that no entry states, which this turn puts on record.
    let carried: [[UInt8]]
    let recorder: ChangeRecorder
    let log: any SharedLog
    private var isOver = false

    init(
        _ log: any SharedLog, _ identity: LogIdentity, at place: LogPlace, headSequence: Int64,
        carrying carried: [[UInt8]], _ recorder: ChangeRecorder
    ) {
        self.log = log
        self.identity = identity
        self.place = place
        self.headSequence = headSequence
        self.carried = carried
        self.recorder = recorder
    }

    /// Puts changes at the end of the log; the place behind them.
    func append(_ changes: [UInt8]) throws(LedgerError) -> LogPlace {
        let batch = try identity.batch(changes, after: place)
        try log.append(batch)
        isOver = true
        return batch.place
    }

    /// Lets others go on, and has what others wrote made durable.
    func settle() throws(LedgerError) {
        try log.settle()
        isOver = true
    }

    /// Lets others go on, where that did not happen with a batch.
    func giveBack() {
        guard !isOver else { return }
        isOver = true
        log.giveBack()
    }
}
