// SPDX-License-Identifier: Apache-2.0

public import Nostr
import SigningCodecs
public import SigningCore

/// One call of a page, with exactly one operation of one key.
public final class NIP07Request: NostrUseRequest {
    /// The method name in rules, which all wires of Nostr share.
    public let method: String
    /// The client as the transport names it; the wire names no client.
    public let client: Client?
    /// The operation that the request asks for, with the account whose key performs it.
    public var operation: RequestedOperation { use.operation }

    private let use: NostrUse
    private let clients: ClientAccounts

    init(
        _ wire: NIP07Wire, in context: DecodingContext, _ clients: ClientAccounts
    ) throws(NIP07Refusal) {
        self.clients = clients
        client = context.client
        method = wire.method.task.rawValue
        do throws(NostrRefusal) {
            let task = try NostrTask(
                wire.method.task, payload: wire.payload, peer: wire.peer, now: context.now,
                limits: NostrLimits(), verify: nil)
            use = try NostrUse(task, named: nil, for: client, in: context, by: clients)
        } catch {
            throw NIP07Refusal(error)
        }
    }

    /// The notes, and the pace of the client.
    public var terms: RequestTerms { use.terms(of: client, pace: Pace(), by: clients) }

    /// The summary for a person before the decision.
    public var summary: Summary { use.summary(about: [], dangers: []) }

    /// Returns the result for the page; nil if the key result does not match the request.
    func value(_ result: KeyResult) throws(NostrRefusal) -> JSON? {
        if case .publicKey = use.task, case .publicKey(let key) = result {
            return .string(Hex.encode(key.span))
        }
        if let event = use.signedEvent(result) {
            // The event is parsed again, because pages get an object and not its text.
            return try? JSON.parse(event.utf8.span)
        }
        return try use.text(result, verify: nil).map { .string($0) }
    }
}
