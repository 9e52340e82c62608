// SPDX-License-Identifier: Apache-2.0

import Nostr
import SigningCodecs
import SigningCore
import SigningPolicy

/// An event that a command has signed; it passes the same checks as any other request (NIP-07).
struct NostrCall {
    /// The options of every command that signs an event.
    static let options = [
        Option(name: "--account", value: "NAME", offers: .stored(.keys(NostrChain.protocolID))),
        Option(name: "--client", value: "NAME"),
    ]

    let event: [JSONObject.Member]

    /// Sends the event through the hub, and prints what `shown` returns for the signed one.
    func run(
        _ invocation: Invocation, _ shown: (SignedEventReport) -> String
    ) async throws -> ExitStatus {
        let home = try await CommandHome(invocation)
        let author = try await author(in: home, invocation)
        let frame: JSON = [
            "nip07": "signEvent", "params": [.object(JSONObject(event + author))],
        ]
        let bytes = frame.write()
        let answering = try await Answering(
            invocation, bytes,
            for: try RequestInput.adapter(for: bytes, invocation, among: home.adapters),
            in: home, from: invocation.arguments.value("--client") ?? NEARCall.clientDefault,
            spokenAs: .nostr(invocation.arguments.command))
        if let reply = answering.message {
            let signed = (try? JSON.parse(reply.span))?["result"].flatMap { SignedEventReport($0) }
            invocation.console.put(signed.map(shown) ?? String(decoding: reply, as: UTF8.self))
        }
        return answering.finish()
    }

    /// The member that names the key of `--account`; none without that option.
    private func author(
        in home: CommandHome, _ invocation: Invocation
    ) async throws -> [JSONObject.Member] {
        let keys = try await home.keys(of: NostrChain.protocolID)
        guard let name = invocation.arguments.value("--account") else {
            guard keys.count <= 1 else {
                throw CLIError.usage(
                    "--account is missing, and this home has several Nostr keys",
                    hint: "see \"countersign key list\"")
            }
            return []
        }
        let hex = PublicKeyText.key(name).map { Hex.encode($0.span) }
        guard let key = keys.first(where: { $0.name == name || $0.publicKey == hex }) else {
            let near = Suggestion.closest(to: name, among: keys.map(\.name))
            throw CLIError(
                "this home has no Nostr key \"\(VisibleText.quotable(name))\"",
                hint: near.map { "did you mean \"\($0)\"?" } ?? "see \"countersign key list\"")
        }
        return [.text("pubkey", key.publicKey)]
    }
}

/// A signed event as the reply contains it.
struct SignedEventReport {
    let json: JSON
    let id: String

    init?(_ json: JSON) {
        guard let id = json["id"]?.text else { return nil }
        self.json = json
        self.id = id
    }

    /// The event's JSON on one line.
    var text: String { String(decoding: json.write(), as: UTF8.self) }
}

extension JSONObject.Member {
    /// The member `tags` of an event.
    static func tags(_ tags: [[String]]) -> Self {
        .init(name: "tags", value: .array(tags.map { .array($0.map { .string($0) }) }))
    }
}
