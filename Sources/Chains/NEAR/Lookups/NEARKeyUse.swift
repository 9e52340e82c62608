// SPDX-License-Identifier: Apache-2.0

/// What a call would use an access key for, as the chain bounds keys.
package enum NEARKeyUse: Hashable, Sendable {
    /// A message, which speaks for the whole account (NEP-413).
    case message
    /// A transaction or delegate action that is one call without a deposit.
    case call(receiver: String, method: String)
    /// Any other transaction or delegate action.
    case anything

    /// The use of one transaction or delegate action.
    package init(_ actions: [NEARAction], of receiver: String) {
        if actions.count == 1, case .functionCall(let call) = actions[0], call.deposit == 0 {
            self = .call(receiver: receiver, method: call.method)
        } else {
            self = .anything
        }
    }
}
