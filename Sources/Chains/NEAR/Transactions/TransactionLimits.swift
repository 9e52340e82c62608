// SPDX-License-Identifier: Apache-2.0

/// The limits of a transaction; all lengths are bytes.
package enum TransactionLimits {
    /// The maximum size of a transaction, in Borsh (NEP-645).
    package static let bytesMax = 4 << 20
    package static let actionsMax = 100
    package static let textBytesMax = 2_048
    package static let methodsMax = 256
    package static let stateEntriesMax = 4_096
    /// The maximum number of transactions or delegate actions in one request.
    package static let requestMax = 16
}
