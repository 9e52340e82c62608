// SPDX-License-Identifier: Apache-2.0

public import Nostr
import SigningCodecs
public import SigningCore

/// One decoded request of the NIP-55 web form, with exactly one operation of one key.
public final class NIP55Request: NostrUseRequest {
    /// The value of `type`.
    public let method: String
    /// The origin of the callback; without a callback, the client that the transport names.
    public let client: Client?
    /// The operation that the request asks for, with the account whose key performs it.
    public var operation: RequestedOperation { use.operation }

    let callback: Callback?
    private let use: NostrUse
    private let clients: ClientAccounts
    private let returnsEvent: Bool
    private let isPacked: Bool

    init(
        _ uri: NIP55URI, in context: DecodingContext, callbackBytesMax: Int,
        verify: (@Sendable (SignatureClaim) -> Bool)?, _ clients: ClientAccounts
    ) throws(NIP55Refusal) {
        self.clients = clients
        guard let type = uri.values[.type] else { throw .invalid("type is missing") }
        guard let method = NostrMethod(rawValue: type), method != .decryptZapEvent || verify != nil
        else { throw NIP55Refusal(.unsupported) }
        let returning = uri.values[.returnType] ?? Self.signature
        guard [Self.signature, Self.event].contains(returning) else {
            throw .invalid("returnType must be signature or event")
        }
        let packing = uri.values[.compressionType] ?? Self.plain
        guard [Self.plain, Self.gzip].contains(packing) else {
            throw .invalid("compressionType must be none or gzip")
        }
        let payload = try uri.text(of: method)
        guard method != .getPublicKey || payload.isEmpty else {
            throw .invalid("get_public_key takes no payload")
        }
        returnsEvent = method == .signEvent && returning == Self.event
        isPacked = returnsEvent && packing == Self.gzip
        callback = try Callback(of: uri)
        client = callback.map { context.client(claimedAs: $0.client) } ?? context.client
        self.method = type
        let limits = NostrLimits()
        guard payload.utf8.count <= NostrTask.payloadBytesMax(of: method, limits) else {
            throw NIP55Refusal("payload_too_large", "the payload is too long")
        }
        do throws(NostrRefusal) {
            let task = try NostrTask(
                method, payload: payload, peer: uri.values[.pubKey], now: context.now,
                limits: limits, verify: verify)
            let wanted = try uri.values[.currentUser].map { (text) throws(NostrRefusal) in
                guard let key = PublicKeyText.key(text) else {
                    throw .invalid("current_user must be a public key in hex, or npub")
                }
                return key
            }
            use = try NostrUse(task, named: wanted, for: client, in: context, by: clients)
            if !returnsEvent {
                try Self.check(
                    bare: task, by: use.account,
                    isKnown: AccountChoice.isKnown(use.account, to: client, in: context))
            }
            if let callback {
                let room = callbackBytesMax - callback.text.utf8.count
                try Self.check(task, returnsEvent, isPacked, fits: room)
            }
        } catch {
            var refusal = NIP55Refusal(error)
            if error == .notConnected {
                refusal.unconnected = UnconnectedRequest(method: type, client: client)
            }
            throw refusal
        }
    }

    /// Throws for a bare signature that the page could not use, or must not ask for.
    private static func check(
        bare task: NostrTask, by account: Account, isKnown: Bool
    ) throws(NostrRefusal) {
        guard case .sign(let template) = task else { return }
        // The errors below must not reveal if the author that the page names is held.
        guard template.claimedKey == nil || isKnown else { throw .notConnected }
        guard template.isComplete, !template.isKeyReplaced(by: account) else {
            // The page could not know which event was signed.
            throw .invalid("a bare signature needs a whole event of the account")
        }
    }

    /// The notes, and the maximum rate of requests of the client.
    ///
    /// Without a callback the client is unknown, so an approval covers only this request.
    public var terms: RequestTerms {
        var terms = use.terms(of: client, pace: Pace(), by: clients)
        terms.isOneTime = callback == nil
        return terms
    }

    /// The summary for a person before the decision.
    public var summary: Summary {
        let place =
            callback.map { Summary.Line("answers to", $0.place, by: .client) }
            ?? Summary.Line("answers to", "the clipboard, when you say so")
        return use.summary(about: [place], dangers: [])
    }

    /// Returns the result for the page; nil if the key result does not match the request.
    func text(
        _ result: KeyResult, verify: (@Sendable (SignatureClaim) -> Bool)?
    ) throws(NostrRefusal) -> String? {
        switch (use.task, result) {
        case (.publicKey, .publicKey(let key)): return Hex.encode(key.span)
        case (.sign, .signature(let signature, _)):
            guard returnsEvent else { return Hex.encode(signature.span) }
            guard let event = use.signedEvent(result) else { return nil }
            guard isPacked else { return event }
            return (try? Gzip.compress(event.utf8.span)).map {
                Self.packedPrefix + Base64.encode($0.span)
            }
        default: return try use.text(result, verify: verify)
        }
    }

    private static let signature = "signature"
    private static let event = "event"
    private static let plain = "none"
    private static let gzip = "gzip"
    /// The prefix of Base64 of gzip (NIP-55).
    private static let packedPrefix = "Signer1"

    /// Throws before a key is used, if the result would not fit the callback.
    private static func check(
        _ task: NostrTask, _ returnsEvent: Bool, _ isPacked: Bool, fits room: Int
    ) throws(NostrRefusal) {
        let count: Int
        switch task {
        case .sign(let template) where returnsEvent:
            let zeros = [UInt8](repeating: 0, count: 32)
            let signed = template.event.json(
                id: zeros, publicKey: zeros, signature: zeros + zeros)
            guard isPacked else {
                count = PercentEncoding.encode(signed).utf8.count
                break
            }
            // The zeros replace 256 digits that cannot be compressed so well.
            let packed = (try? Gzip.compress(signed.utf8.span))?.count ?? signed.utf8.count
            count = encoded(base64Characters: packed * 4 / 3 + 512)
        case .encrypt(let scheme, let plaintext, _):
            let bytes = plaintext.utf8.count
            count = encoded(
                base64Characters: scheme == .nip04
                    ? NIP04Text.characters(plaintextBytes: bytes)
                    : NIP44Text.characters(plaintextBytes: bytes))
        case .publicKey, .sign, .decrypt, .openZap: return
        }
        guard count <= room else {
            throw .tooLarge("the result would be too large for a callback")
        }
    }

    /// Returns the length in a URL.
    ///
    /// One in 32 digits takes three characters; the margin makes a longer result extremely
    /// unlikely.
    private static func encoded(base64Characters count: Int) -> Int {
        count + count / 16 + 1_024
    }
}
