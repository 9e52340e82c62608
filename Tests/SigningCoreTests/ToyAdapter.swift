// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// A wire of one line, `METHOD ARGUMENT`, with answers in words.
struct ToyAdapter: ProtocolAdapter {
    struct Request: SignRequest {
        var protocolID: ProtocolID { ProtocolID("toy") }
        var method: String
        var client: Client?
        var operations: [RequestedOperation]
        var facts: [Fact]
        var effects: [Effect] { [.publishes] }
        var dangers: [Danger]
        var decoding: Decoding { .full }
        var replayToken: ReplayToken?
        var summary: Summary { Summary(title: "toy \(method)", lines: [], warnings: []) }
    }

    static let domain = SigningDomain(
        id: SigningDomain.ID("toy/text"), protocolID: ProtocolID("toy"), algorithm: .ed25519,
        prehash: .none, prefix: Array("toy:".utf8), isValid: { bytes, _ in bytes.count <= 64 })

    var id: AdapterID { AdapterID("toy") }
    var schema: FactSchema {
        FactSchema(
            protocolID: ProtocolID("toy"), methods: ["sign", "batch"],
            fields: [
                FactField("text", .text, note: "The text."),
                FactField("word", .text, boundsRefusals: true, note: "What is signed."),
            ], dangers: [Danger("loud")])
    }
    var domains: [SigningDomain] { [Self.domain] }
    var frameBytesMax: Int { 100 }

    func decode(
        _ frame: Span<UInt8>, in context: DecodingContext
    ) throws(AdapterError) -> Request {
        var bytes: [UInt8] = []
        for index in frame.indices { bytes.append(frame[index]) }
        let words = bytes.split(separator: UInt8(ascii: " "), maxSplits: 1)
        guard words.count == 2, let account = context.accounts.first else {
            throw refusal("malformed")
        }
        let method = String(decoding: words[0], as: UTF8.self)
        let texts = words[1].split(separator: UInt8(ascii: ",")).map(Array.init)
        let operations = texts.enumerated().map { index, text in
            RequestedOperation(
                account: context.accounts[min(index, context.accounts.count - 1)],
                operation: .sign(
                    SigningInput(domain: Self.domain.id, preimage: Array("toy:".utf8) + text)),
                facts: [Fact("word", .text(String(decoding: text, as: UTF8.self)))], effects: [],
                dangers: text.last == UInt8(ascii: "!") ? [Danger("loud")] : [])
        }
        let once = method == "once" ? ReplayToken(Array(words[1]), isSingleUse: true) : nil
        return Request(
            method: method, client: nil,
            operations: method == "wrong" ? [Self.foreign(account)] : operations,
            facts: [Fact("text", .text("?"), isCritical: method == "critical")], dangers: [],
            replayToken: once)
    }

    private static func foreign(_ account: Account) -> RequestedOperation {
        let input = SigningInput(domain: domain.id, preimage: Array("not the prefix".utf8))
        return RequestedOperation(
            account: account, operation: .sign(input), facts: [], effects: [], dangers: [])
    }

    func encode(_ outcome: Outcome, to request: Request) -> Reply {
        switch outcome {
        case .done(let results): .message(Array("done \(results.count)".utf8))
        case .denied(let reason): .message(Array("denied \(reason.code.rawValue)".utf8))
        case .failed(let reason): .message(Array("failed \(reason.code.rawValue)".utf8))
        }
    }

    func refuseOversize(frameBytes: Int) -> AdapterError { refusal("too large") }

    private func refusal(_ text: String) -> AdapterError {
        AdapterError(code: "bad", reason: text, reply: .message(Array("bad \(text)".utf8)))
    }
}

extension Account {
    static func toy(_ name: String, protocolID: String = "toy") -> Account {
        Account(
            id: KeyID(name), name: name, protocolID: ProtocolID(protocolID), algorithm: .ed25519,
            publicKey: [UInt8](repeating: 7, count: 32), address: name, network: nil)
    }
}
