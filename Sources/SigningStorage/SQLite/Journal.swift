// SPDX-License-Identifier: Apache-2.0

/// What stands around each change of a file of which others keep copies.
protocol Journal<Failure>: Sendable {
    associatedtype Failure: StorageError

    /// Brings the file to what others have made of it, and takes the turn to go on; nil where
    /// there are no others.
    ///
    /// The file is open for changes, and still is when it returns.
    func begin(_ connection: Connection) throws(Failure) -> LogTurn?

    /// Tells the others what was changed since, durably; whatever it throws, it may be.
    func end(_ turn: LogTurn, _ connection: Connection) throws(Failure)

    /// Whether a change failed because it was too much to be told at once.
    func isTooMuch(_ failure: Failure) -> Bool

    /// The same for another connection to the file.
    func twin() -> Self
}
