// SPDX-License-Identifier: Apache-2.0

import AdapterFuzzing
import SigningCore
import SigningCrypto

@testable import NIP46
@testable import Nostr
@testable import Relays
@testable import SigningCodecs
@testable import SigningService
@testable import SigningVault

/// Messages of a relay, and bytes that clients write inside and around envelopes; the first byte
/// chooses the parser.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    let body = Array(input.dropFirst())
    switch (input.first ?? 0) % 5 {
    case 0: message(body)
    case 1: content(body)
    case 2: sealed(body)
    case 3: call(body)
    default: address(body)
    }
    return 0
}

private let now = Timestamp(seconds: 1_790_000_000)
private let signer = key(0x11)
private let client = key(0x22)
private let account = AdapterFuzzing.account(
    "nostr", .bip340, key: "17162c921dc4d2518f9a101db33695df1afb56ab82f5ff3e5da6eec3ca5cd917",
    address: "17162c921dc4d2518f9a101db33695df1afb56ab82f5ff3e5da6eec3ca5cd917")

private func key(_ byte: UInt8) -> TransportKey {
    let secret = SecretBytes(count: 32) { bytes in
        for index in bytes.indices { bytes[index] = byte }
    }
    guard let key = try? TransportKey(secret, signing: RelayEnvelope.domain) else {
        preconditionFailure("no key")
    }
    return key
}

/// A bunker with one connected client, which gets no answers.
private struct OneConnection: Bunker {
    private let served = ServedConnection(
        signer: Hex.encode(signer.publicKey.span), client: Hex.encode(client.publicKey.span),
        isInvited: false, meetings: MeetingRelays([]), key: signer)

    var unansweredCount: Int { 0 }
    var revision: Int { 1 }

    func wait(after _: Int, until time: ContinuousClock.Instant?) async {
        try? await Task.sleep(until: time ?? .now + .seconds(1), clock: .continuous)
    }

    func refresh() throws(TransportError) -> [ServedConnection] { [served] }
    var proxy: RelayProxy? { nil }
    func connection(of signer: String) -> ServedConnection? {
        served.signer == signer ? served : nil
    }
    func admitsUnknownClient(of _: ServedConnection, from _: RelayAddress) -> Bool { true }
    func admit(_: OpenedEnvelope, from _: RelayAddress) -> BunkerAdmission { .ignored }
    func serve(_: OpenedEnvelope, by _: Ask) async -> BunkerReply? { nil }
    func connect(_: OpenedEnvelope, by _: Ask) async -> BunkerReply? { nil }
    func invite(_: ServedConnection, by _: Ask) async -> BunkerReply? { nil }
    func end(_: ServedConnection) {}
}

private let bunker = OneConnection()

/// A whole message of a relay; an envelope opens only if the client signed it.
private func message(_ bytes: [UInt8]) {
    guard case .event(_, let event)? = RelayMessage(bytes) else { return }
    open(event)
}

/// An envelope that the client signed, around any text.
private func content(_ bytes: [UInt8]) {
    envelope(String(decoding: bytes, as: UTF8.self))
}

/// An envelope with arbitrary content that the client sealed; opening gives the same bytes.
private func sealed(_ bytes: [UInt8]) {
    guard !bytes.isEmpty,
        case .ciphertext(let sealed)? = try? client.perform(
            .encrypt(.nip44, peer: signer.publicKey, plaintext: bytes))
    else { return }
    guard let envelope = envelope(Base64.encode(sealed.span)) else {
        precondition(NIP46Call(bytes.span) == nil, "a call is not read")
        return
    }
    precondition(envelope.bytes == bytes && envelope.isByClient, "another call than was sealed")
}

/// The content of an envelope; its operations stay within the domain, and its answers have its id.
private func call(_ bytes: [UInt8]) {
    let proved = ProvedKey(
        publicKey: Hex.encode(client.publicKey.span), account: account.id,
        connection: Hex.encode(signer.publicKey.span), name: "laptop")
    let peer = Peer(channel: .relay, provedKey: proved)
    let session = ClientConnection(
        id: [UInt8](repeating: 9, count: 16), protocolID: ProtocolID("nostr"),
        client: Client(id: proved.publicKey, name: nil, proof: .key),
        network: proved.connection, key: account.id, address: account.address, started: now)
    let context = DecodingContext(
        accounts: [account], peer: peer, client: session.client, now: now,
        freshID: [UInt8](repeating: 7, count: 16), wasSeen: { _ in false },
        connections: { _ in [session] })
    let adapter = NIP46Adapter()
    let request = AdapterFuzzing.check(adapter, bytes, context)
    guard let read = NIP46Call(bytes.span) else {
        precondition(request == nil, "asked for without a call")
        return
    }
    var reply = read.reply(.internalError)
    if let request,
        case .message(let response) = adapter.encode(
            .denied(Reason(.policyDenied, "no")), to: request)
    {
        reply = response
    }
    guard let answer = try? JSON.parse(reply.span) else {
        preconditionFailure("an answer that is no JSON")
    }
    precondition(answer["id"]?.text == read.id && answer["result"] == nil)
}

/// A pasted address; writing an accepted one and reading it gives an equal address.
private func address(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    if let relay = try? RelayAddress(text) {
        precondition((try? RelayAddress(relay.text)) == relay, "another relay")
    }
    if let uri = try? BunkerURI(text) {
        precondition((try? BunkerURI(uri.text)) == uri, "another URI")
    }
    if let uri = try? NostrConnectURI(text) { precondition(!uri.secret.isEmpty) }
}

@discardableResult
private func envelope(_ content: String) -> OpenedEnvelope? {
    let event = RelayEnvelope.envelope(
        content, to: Hex.encode(signer.publicKey.span), at: now)
    let preimage = event.preimage(publicKey: Hex.encode(client.publicKey.span))
    let input = SigningInput(domain: RelayEnvelope.domain.id, preimage: preimage)
    guard case .signature(let signature, let id)? = try? client.perform(.sign(input)) else {
        return nil
    }
    let text = event.json(id: id, publicKey: client.publicKey, signature: signature)
    guard case .event(_, let members)? = RelayMessage(Array("[\"EVENT\",\"a\",\(text)]".utf8))
    else {
        preconditionFailure("our own event is not read")
    }
    return open(members)
}

@discardableResult
private func open(_ event: JSONObject) -> OpenedEnvelope? {
    // A reader skips known events, so each input has a new reader.
    let box = EnvelopeReader()
    guard let relay = try? RelayAddress("wss://relay.example") else { return nil }
    return try? box.open(event, from: relay, for: bunker, at: now).get()
}
