// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// What a client says it connects for: the contract that it works with, and the methods.
///
/// It is a hint for people. A client that wants a key says so in another member.
package struct ConnectionPurpose: Hashable, Sendable {
    let contract: String
    let methods: [String]

    package init(contract: String, methods: [String]) {
        self.contract = contract
        self.methods = methods
    }

    /// The lines for people; `getsKey` where the request adds a key for the client.
    func lines(getsKey: Bool) -> [Summary.Line] {
        [.init("wants to work with", contract, by: .client)]
            + methods.map { .init("wants to call", $0, by: .client) }
            + (getsKey ? [] : [.init("gets", "no key")])
    }
}
