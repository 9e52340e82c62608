// SPDX-License-Identifier: Apache-2.0
package import SigningCore

/// A history in which every counter was used once: one amount, at one time.
package struct PastUse: LimitUsage, Hashable {
    package let amount: Int128
    package let secondsAgo: Int64

    package static let none = PastUse(amount: 0, secondsAgo: 0)

    package init(amount: Int128, secondsAgo: Int64) {
        self.amount = amount
        self.secondsAgo = secondsAgo
    }

    package func used(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128 {
        now.seconds - secondsAgo > claim.window.lastUncounted(before: now) ? amount : 0
    }
}
