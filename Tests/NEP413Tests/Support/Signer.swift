// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningCrypto
import SigningTesting
import Testing

@testable import NEAR
@testable import NEP413

let adapter = NEP413Adapter()

/// One Ed25519 test key with its account.
struct Signer {
    /// The key of the vectors named `own-*`; public, never to be funded.
    static let aliceKey =
        "ed25519:4bgz3RJis37r4hbYSciBEg8vq5WW6B5EZgEQkAwiAo5vLSrXki2df5GdDEZaZ1kTM98s8i9QoqbXik2"
        + "HvtydY7hh"

    let account: Account
    private let seed: [UInt8]

    init(
        _ secretKey: String = Self.aliceKey, address: String = "alice.near", network: String? = nil
    ) throws {
        let text = String(secretKey.dropFirst("ed25519:".count))
        let bytes = try Base58.decode(text)
        seed = Array(bytes.prefix(32))
        account = Account(
            id: KeyID("\(address)-\(network ?? "")"), name: "test", protocolID: ProtocolID("near"),
            algorithm: .ed25519, publicKey: Array(bytes.suffix(32)), address: address,
            network: network)
    }

    /// Signs with the steps of a key store: checks the domain, hashes, signs.
    func sign(_ request: NEP413Request) throws -> KeyResult { try sign(request.operations[0]) }

    func sign(_ operation: RequestedOperation) throws -> KeyResult {
        guard case .sign(let input) = operation.operation else {
            throw TestFailure("not a signing operation")
        }
        let message = try DomainRegistry(adapter.domains).message(for: input, by: account)
        let key = try Ed25519Key(seed: SecretBytes(copying: seed.span))
        return .signature(try key.sign(message.span), message: message)
    }

    /// Decodes a frame, signs, and encodes the answer.
    func answer(_ frame: [UInt8]) throws -> JSON {
        let request = try decode(frame, holding: [account])
        return try json(adapter.finalReply(.done([try sign(request)]), to: request))
    }
}

struct TestFailure: Error {
    let text: String
    init(_ text: String) { self.text = text }
}

func decode(
    _ frame: [UInt8], holding accounts: [Account], client: String? = nil,
    wasSeen: @escaping @Sendable (ReplayToken) -> Bool? = { _ in false }
) throws(AdapterError) -> NEP413Request {
    try adapter.decode(
        frame.span,
        in: DecodingContext(
            accounts: accounts,
            peer: Peer(channel: "test", claim: client), client: .claiming(client),
            now: Timestamp(seconds: 1_800_000_000), freshID: [], wasSeen: wasSeen))
}

extension NEP413Adapter {
    /// Decodes with a node's answer; nil if no node is asked.
    func decode(
        _ frame: [UInt8], finding found: NEARLookup.Found?, in context: DecodingContext
    ) throws(AdapterError) -> NEP413Request {
        let reading = try read(frame.span)
        let need = found == nil ? nil : try need(of: reading, in: context)
        return try decode(
            reading, with: need.map { NEARLookup(for: $0, found: found) }, in: context)
    }
}

func json(_ reply: Reply) throws -> JSON {
    guard case .message(let bytes) = reply else { throw TestFailure("no message") }
    return try JSON.parse(bytes.span)
}

/// The refusal of a frame; fails the test if the frame decodes.
func refusal(_ frame: [UInt8], holding accounts: [Account]) throws -> AdapterError {
    do throws(AdapterError) {
        _ = try decode(frame, holding: accounts)
    } catch {
        return error
    }
    throw TestFailure("the frame was accepted")
}

/// A request with some members replaced; nil removes a member.
func frame(_ changes: [String: JSON?] = [:]) -> [UInt8] {
    var members: [String: JSON] = [
        "message": "hi", "recipient": "myapp.com",
        "nonce": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
    ]
    for (name, value) in changes { members[name] = value }
    let sorted = members.sorted { $0.key < $1.key }
    return JSON.object(JSONObject(sorted.map { .init(name: $0.key, value: $0.value) })).write()
}

extension NEP413Request {
    /// The message to sign; only requests about messages have one.
    private var signing: MessageSigning? {
        if case .message(let message, _) = near.body { message } else { nil }
    }

    var account: Account { operations[0].account }
    var payload: NEP413Payload {
        signing?.payload
            ?? NEP413Payload(
                message: "", nonce: [UInt8](repeating: 0, count: 32), recipient: "",
                callbackURL: nil)
    }
    var network: String? { signing?.network }
    var callbackOrigin: String? { signing?.callbackOrigin }
    var intents: IntentsFinding? { signing?.intents }
}
