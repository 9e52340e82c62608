// SPDX-License-Identifier: Apache-2.0

/// Records the signed messages of others that were accepted, so that each counts once.
public protocol AcceptedMessages: Sendable {
    /// Accepts a mark; false if it was accepted before.
    func accept(_ mark: [UInt8], at time: Timestamp) throws(LedgerError) -> Bool
}
