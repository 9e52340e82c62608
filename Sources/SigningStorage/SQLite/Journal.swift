// SPDX-License-Identifier: Apache-2.0

/// Shares the changes of a file with other hubs that keep copies of it.
protocol Journal<Failure>: Sendable {
    associatedtype Failure: StorageError

    /// Applies the changes of other hubs to the file and takes the turn to write; nil if there are
    /// no other hubs.
    ///
    /// The file has an open write transaction before and after the call.
    func begin(_ connection: Connection) throws(Failure) -> LogTurn?

    /// Sends the changes made since to the other hubs, durably.
    ///
    /// They may have been sent even if it throws.
    func end(_ turn: LogTurn, _ connection: Connection) throws(Failure)

    /// Whether a change failed because it was too large for one batch.
    func isTooMuch(_ failure: Failure) -> Bool

    /// The journal for a second connection to the file.
    func twin() -> Self
}
