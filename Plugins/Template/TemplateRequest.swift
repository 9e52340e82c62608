// SPDX-License-Identifier: Apache-2.0

public import SigningCore

/// A note that somebody wants signed.
public struct TemplateRequest: SignRequest {
    /// One signature.
    public let operations: [RequestedOperation]
    /// What rules may ask about the note.
    public let facts: [Fact]
    /// What a rule has to name before it covers the note.
    public let dangers: [Danger]

    private let account: Account
    private let note: Note

    /// The protocol whose keys sign notes.
    public var protocolID: ProtocolID { TemplateAdapter.protocolID }
    /// The one method of the wire.
    public var method: String { TemplateAdapter.method }
    /// Nobody: the wire does not say who asks.
    public var client: Client? { nil }
    /// What happens in the world: anybody may be shown a signed note.
    public var effects: [Effect] { [.publishes] }
    /// Every byte that is signed is understood.
    public var decoding: Decoding { .full }
    /// None: signing a note twice does no harm.
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

    /// What a person is shown.
    public var summary: Summary {
        Summary(
            title: "Sign a note",
            lines: [
                .init("account", account.address),
                .init("text", note.text, by: .client),
            ],
            warnings: dangers.isEmpty ? [] : ["the note holds hidden characters"])
    }
}
