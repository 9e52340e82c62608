// SPDX-License-Identifier: Apache-2.0
package import SigningCore

/// The operations that cannot move a token unseen: their outflows show every token that leaves.
package enum TokenCalls {
    /// The methods of contract calls whose tokens are known, by protocol.
    ///
    /// A protocol without an entry has no calls that move tokens of the account.
    package static let methods = ["near": ["ft_transfer", "ft_transfer_call"]]

    /// The dangers of operations that may move tokens unseen.
    package static func hiding(in protocolName: String) -> [Danger] {
        methods[protocolName] == nil ? [.opaque] : [.opaque, Danger("delegates")]
    }

    /// Whether no token leaves by the operation that its outflows do not show.
    static func areShown(by operation: RequestedOperation, of request: JudgedRequest) -> Bool {
        let hiding = hiding(in: request.protocolID.name)
        guard !(request.dangers + operation.dangers).contains(where: hiding.contains) else {
            return false
        }
        guard let known = methods[request.protocolID.name] else { return true }
        return operation.facts.filter { $0.name == "method" }.allSatisfy { fact in
            guard case .list(let called) = fact.value else { return false }
            return called.allSatisfy { method in
                known.contains { method.isExactly(.text($0)) }
            }
        }
    }
}
