// SPDX-License-Identifier: Apache-2.0

/// Exchanges the changes of a database file with other hubs that have copies of the file.
package protocol Journal<Failure>: Sendable {
    associatedtype Failure: StorageError

    /// Runs the body of a write transaction, and durably sends its changes to the other hubs.
    ///
    /// The changes of other hubs are applied to the file first. The body's changes may have been
    /// sent even if the method throws. A write transaction is open before and after the call.
    func share<R: Sendable>(
        _ connection: SQLiteConnection, _ body: () throws(Failure) -> R
    ) throws(Failure) -> R

    /// Returns true if the error says that the changes are too large for one batch of the shared
    /// log.
    func isTooMuch(_ failure: Failure) -> Bool

    /// Returns the journal for a second connection to the file.
    func twin() -> Self
}
