// SPDX-License-Identifier: Apache-2.0

public import SigningCore

/// A request to sign a note.
public struct TemplateRequest: SignRequest {
    /// The only operation, a signature.
    public let operations: [RequestedOperation]
    /// The facts about the note for rules.
    public let facts: [Fact]
    /// The dangers that a rule must acknowledge before it covers the note.
    public let dangers: [Danger]

    private let account: Account
    private let note: Note

    /// The protocol whose keys sign notes.
    public var protocolID: ProtocolID { TemplateAdapter.protocolID }
    /// The one method of the wire.
    public var method: String { TemplateAdapter.method }
    /// Nil: the wire does not name a client.
    public var client: Client? { nil }
    /// The effects: a signed note can be shown to anyone.
    public var effects: [Effect] { [.publishes] }
    /// Always `full`: every signed byte is understood.
    public var decoding: Decoding { .full }
    /// Nil: signing a note twice does no harm.
    public var replayToken: ReplayToken? { nil }

    init(_ note: Note, by account: Account) {
        self.account = account
        self.note = note
        let input = SigningInput(domain: TemplateAdapter.domainID, preimage: note.preimage)
        operations = [
            RequestedOperation(
                account: account, operation: .sign(input), facts: [], effects: [], dangers: [])
        ]
        facts = [Fact("text.bytes", .integer(Int128(note.text.utf8.count)))]
        dangers = VisibleText.hasHidden(note.text) ? [.controlCharacters] : []
    }

    /// The summary for a person.
    public var summary: Summary {
        Summary(
            title: "Sign a note",
            lines: [
                .init("account", account.address),
                .init("text", note.text, by: .client),
            ],
            warnings: dangers.isEmpty ? [] : ["the note has hidden characters"])
    }
}
