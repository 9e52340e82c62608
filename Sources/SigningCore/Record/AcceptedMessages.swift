// SPDX-License-Identifier: Apache-2.0

/// Records the signed messages of others that were accepted, so that each counts once.
public protocol AcceptedMessages: Sendable {
    /// Accepts the message with this mark; returns false if the mark was accepted before.
    func accept(_ mark: [UInt8], at time: Timestamp) throws(LedgerError) -> Bool
}
