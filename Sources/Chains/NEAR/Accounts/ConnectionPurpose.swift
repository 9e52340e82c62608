// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// The contract and methods that a client says it connects for.
///
/// This is information for people. A client requests a key in another member.
package struct ConnectionPurpose: Hashable, Sendable {
    let contract: String
    let methods: [String]

    package init(contract: String, methods: [String]) {
        self.contract = contract
        self.methods = methods
    }

    /// Returns the lines for people; `getsKey` is true if the request adds a key for the client.
    func lines(getsKey: Bool) -> [Summary.Line] {
        [.init("wants to work with", contract, by: .client)]
            + methods.map { .init("wants to call", $0, by: .client) }
            + (getsKey ? [] : [.init("gets", "no key")])
    }
}
