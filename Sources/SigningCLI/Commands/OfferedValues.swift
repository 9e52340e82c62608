// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningService
import SigningWires

/// The values that completions offer for an option or an operand.
enum OfferedValues: Equatable {
    /// The kinds of names that a home stores.
    enum Names: Equatable {
        /// The names of the keys of a protocol.
        case keys(ProtocolID)
        /// The addresses of the keys of a protocol.
        case addresses(ProtocolID)
        /// The ids of the things that an act of the owner can name.
        case subjects(ActDescription.Subject)
    }

    /// A free text: nothing is offered.
    case free
    /// Words that do not depend on the home.
    case fixed([String])
    /// Names in the home.
    case stored(Names)
    /// The networks of the supported chains.
    case networks
    /// The names of the supported chains.
    case protocols
    /// The names of the supported wires.
    case adapters
    /// The formats in which a secret key can be exported.
    case exportForms

    /// The names of all keys.
    static let keys = OfferedValues.stored(.subjects(.key))
    /// The ids of all grants.
    static let grants = OfferedValues.stored(.subjects(.grant))

    /// Offers the ids of the things that an act can name.
    ///
    /// Questions wait at an agent, which lists them in a session of the owner only.
    init(_ subject: ActDescription.Subject) {
        self = subject == .question ? .free : .stored(.subjects(subject))
    }

    /// The words that need no home.
    func words(_ protocols: ProtocolSupport) -> [String] {
        switch self {
        case .free, .stored: []
        case .fixed(let words): words
        case .networks: Self.unique(protocols.chains.flatMap(\.networks))
        case .protocols: protocols.names
        case .adapters: protocols.adapters.names
        case .exportForms: Self.unique(protocols.chains.flatMap { SecretForms.of($0).exports })
        }
    }

    /// Removes repeated words and keeps the order.
    private static func unique(_ words: [String]) -> [String] {
        words.enumerated().filter { !words[..<$0].contains($1) }.map(\.element)
    }
}
