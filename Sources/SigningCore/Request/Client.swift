// SPDX-License-Identifier: Apache-2.0

/// Who asks, as rules and people see it.
public struct Client: Hashable, Sendable {
    /// What backs the identity.
    public enum Proof: String, Hashable, Sendable, CaseIterable {
        /// The answer can only reach this identity (the callback of a URL request).
        case callback
        /// The caller said so and nothing proves it.
        case claimed
    }

    /// The identity a rule names in `client`.
    public let id: String
    /// The client's own name for itself, if it sent one.
    public let name: String?
    /// What backs `id`.
    public let proof: Proof
    /// What budgets and pace count it by: the registrable domain of a web origin, else `id`.
    public let party: String

    /// Makes a client identity; without a `party` it counts by itself.
    public init(id: String, name: String?, proof: Proof, party: String? = nil) {
        self.id = id
        self.name = name
        self.proof = proof
        self.party = party ?? id
    }
}
