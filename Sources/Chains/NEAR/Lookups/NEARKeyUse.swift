// SPDX-License-Identifier: Apache-2.0

/// The use of an access key by a call, in the terms of its permissions on the chain.
package enum NEARKeyUse: Hashable, Sendable {
    /// A message, which represents the whole account (NEP-413).
    case message
    /// A transaction or delegate action with exactly one call and no deposit.
    case call(receiver: String, method: String)
    /// Any other transaction or delegate action.
    case anything

    /// Creates the use for one transaction or delegate action.
    package init(_ actions: [NEARAction], of receiver: String) {
        if actions.count == 1, case .functionCall(let call) = actions[0], call.deposit == 0 {
            self = .call(receiver: receiver, method: call.method)
        } else {
            self = .anything
        }
    }
}
