// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningPolicy
import SigningService
import SigningStorage
import SigningTerminal

extension Workspace {
    /// All limits of a policy, with their use.
    func limitRows(_ policy: TOMLPolicy) throws(CLIError) -> [LimitRow] {
        let ledger = try openLedger()
        return try CLIError.wrapping { () throws(LedgerError) in
            try LimitRow.all(of: policy, in: ledger, at: SystemEnvironment().now())
        }
    }
}

extension LimitRow {
    /// The limit as a bar of the inbox.
    var bar: InboxLimit { InboxLimit(text, used: trace.used, of: trace.maximum) }
}
