// SPDX-License-Identifier: Apache-2.0

import Nostr
import SigningCodecs
public import SigningCore

/// The Nostr signer protocol over relays (NIP-46), without its envelopes.
///
/// A frame is the decrypted call of a client whose key the transport has verified. The enclosure is
/// the id of the event that contained it. The answer is the text to encrypt for the client.
public struct NIP46Adapter: ProtocolAdapter, TakesEnclosures, AnswersFailures {
    /// The name of the adapter, `nip46`.
    public let id = AdapterID.nip46
    /// The facts and dangers of Nostr requests.
    public let schema = NostrChain.schema
    /// The only domain is `nostr/event`.
    public let domains = NostrChain.domains
    /// The maximum length of a text that NIP-44 encrypts here, in bytes.
    public let frameBytesMax = NIP46Call.bytesMax
    /// The length of an event id, in bytes.
    public let enclosureBytesMax = 32

    private static let limits = NostrLimits(
        eventBytesMax: 512 << 10, tagsMax: 10_000, textBytesMax: 512 << 10)

    /// Creates the adapter; it has no settings.
    public init() {}

    /// Returns nil: the transport supplies the enclosure without a name.
    public func enclosureName(in frame: Span<UInt8>) -> String? { nil }

    /// Reads one call of a client that is connected or connects.
    public func decode(
        _ frame: Span<UInt8>, in context: DecodingContext
    ) throws(AdapterError) -> NIP46Request {
        guard let call = NIP46Call(frame) else { throw Self.ignored("not a call of NIP-46") }
        do throws(NIP46Refusal) {
            return try request(call, in: context)
        } catch {
            throw error.adapterError(to: call)
        }
    }

    private func request(
        _ call: NIP46Call, in context: DecodingContext
    ) throws(NIP46Refusal) -> NIP46Request {
        guard let key = context.peer.provedKey, let client = context.client else {
            throw .notConnected
        }
        guard let method = NIP46Method(call.method) else { throw .unsupportedMethod }
        if let refusal = call.refusal { throw refusal }
        let held = context.accounts.first { account in
            account.id == key.account && account.algorithm == NostrChain.algorithm
        }
        guard let account = held else { throw .permissionDenied }
        let connection = NIP46Connection(
            key: key, client: client, account: account,
            sessions: context.connections(client).filter {
                $0.key == account.id && $0.network == key.connection
            })
        let body: NIP46Request.Body
        switch method {
        case .session(.connect): body = .connect(ConnectRequest(call, connection, in: context))
        case _ where connection.sessions.isEmpty: throw .notConnected
        case .session(.ping): body = .session(.ping)
        case .session(.logout): body = .session(.logout)
        case .session(.switchRelays): body = .session(.switchRelays)
        case .account(.getPublicKey): body = .publicKey
        case .account(let method):
            let task = try Self.task(method, call, at: context.now)
            // The client knows its account, so another author is an error.
            guard task.author ?? account.publicKey == account.publicKey else {
                throw .invalid("pubkey")
            }
            body = .use(NostrUse(task, by: account, in: context))
        }
        return NIP46Request(call, body, of: connection, eventID: context.enclosure)
    }

    private static func task(
        _ method: NostrMethod, _ call: NIP46Call, at now: Timestamp
    ) throws(NIP46Refusal) -> NostrTask {
        let isConversation = method != .signEvent
        guard call.params.count >= (isConversation ? 2 : 1) else {
            throw .invalid(
                isConversation
                    ? "the call needs a public key and a text" : "the call needs an event")
        }
        let payload = call.params[isConversation ? 1 : 0]
        guard payload.utf8.count <= NostrTask.payloadBytesMax(of: method, limits) else {
            throw .invalid("the text is too long")
        }
        return try NIP46Refusal.converting(
            NostrTask(
                method, payload: payload, peer: isConversation ? call.params[0] : nil, now: now,
                limits: limits, verify: nil))
    }

    /// Writes the answer.
    public func encode(_ outcome: Outcome, to request: NIP46Request) -> Reply {
        switch outcome {
        // A repeated event has already been answered, or will be.
        case .denied(let reason) where reason.code == .replayed:
            return .silence("the event was answered before")
        case .denied(let reason), .failed(let reason):
            return .message(request.call.reply(NIP46Refusal(reason)))
        case .done(let results):
            let result: JSON?
            do throws(NostrRefusal) {
                result = try request.result(results)
            } catch {
                return .undeliverable(Reason(.undecryptable, error.reason))
            }
            guard let result else {
                return .undeliverable(Reason(.keyFailed, "the results do not fit the request"))
            }
            let reply = request.call.reply(result: result)
            guard reply.count <= NIP46Call.bytesMax else {
                return .undeliverable(
                    Reason(.undeliverable, "the result is too large for an envelope"))
            }
            return .message(reply)
        }
    }

    /// Returns the error without a reply: the call is not parsed, so its id is unknown.
    public func refuseOversize(frameBytes: Int) -> AdapterError {
        Self.ignored("the call has \(frameBytes) bytes; the limit is \(frameBytesMax)")
    }

    /// Returns the reply for a call that could not be judged.
    public func failure(of frame: Span<UInt8>) -> [UInt8]? {
        NIP46Call(frame)?.reply(.internalError)
    }

    private static func ignored(_ reason: String) -> AdapterError {
        AdapterError(code: "ignored", reason: reason, reply: .silence(reason))
    }
}

/// The client, its account, and its connection.
struct NIP46Connection: Hashable, Sendable {
    let key: ProvedKey
    let client: Client
    let account: Account
    /// The connections of the client to the account in the ledger; empty if it is not connected.
    let sessions: [ClientConnection]
}

extension AdapterID {
    /// The wire of NIP-46 calls.
    public static let nip46 = AdapterID("nip46")
}
