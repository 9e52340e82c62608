// SPDX-License-Identifier: Apache-2.0

extension NEARCourier {
    /// A failed reading of an account.
    public struct ReadingError: Error, Hashable, Sendable {
        /// The problem in plain words; the node's message is quoted unchanged.
        public let text: String
    }

    /// Returns an account in the last final block of a network.
    public func account(
        _ account: String, on network: String
    ) async throws(ReadingError) -> AccountView {
        guard let node = nodes[network] else {
            throw ReadingError(text: "no RPC URL is configured for \(network)")
        }
        do throws(RPCError) {
            return try await node.account(account)
        } catch {
            throw ReadingError(text: error.text)
        }
    }
}
