// SPDX-License-Identifier: Apache-2.0

/// Exchanges the changes of a database file with other hubs that have copies of the file.
protocol Journal<Failure>: Sendable {
    associatedtype Failure: StorageError

    /// Applies the changes of other hubs to the file and takes the turn to write to the shared log;
    /// nil if the file is not shared.
    ///
    /// A write transaction is open before and after the call.
    func begin(_ connection: Connection) throws(Failure) -> LogTurn?

    /// Durably sends the changes that were made since `begin` to the other hubs.
    ///
    /// The changes may have been sent even if the method throws.
    func end(_ turn: LogTurn, _ connection: Connection) throws(Failure)

    /// Whether the error says that the changes are too large for one batch of the shared log.
    func isTooMuch(_ failure: Failure) -> Bool

    /// The journal for a second connection to the file.
    func twin() -> Self
}
