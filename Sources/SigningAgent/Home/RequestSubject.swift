// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
internal import SigningCore
package import SigningService
package import SigningStorage

/// A recorded request in a few words: kind, recipient, amount.
package struct RequestSubject: Sendable {
    /// The facts that fit into a list: kind, recipient, amount.
    package static let listed = [
        "kind", "type", "actions", "recipient", "receiver", "amount", "asset", "asset.amount",
        "method", "deposit", "token.amount", "peer", "network",
    ]

    private let words: GrantText

    /// Creates a subject that shows values with the vocabularies of `words`.
    package init(_ words: GrantText) { self.words = words }

    /// The listed facts of the first operation, each a name and its value in words.
    package func facts(_ request: RecordedRequest) -> [(name: String, value: String)] {
        let first = request.facts.first ?? []
        return Self.listed.compactMap { name in
            first.first { $0.name == name }.map { (name, shown($0, of: request)) }
        }
    }

    /// Every fact of every operation in words, for programs.
    package func json(_ request: RecordedRequest) -> JSON {
        .array(
            request.facts.map { facts in
                .array(
                    facts.map { fact in
                        [
                            "name": .string(fact.name),
                            "value": .string(shown(fact, of: request)),
                        ]
                    })
            })
    }

    private func shown(_ fact: Fact, of request: RecordedRequest) -> String {
        words.shown(fact, in: request.protocolID)
    }
}
