// SPDX-License-Identifier: Apache-2.0

public import Nostr
import SigningCodecs
public import SigningCore

/// One call of a page: always one operation of one key.
public final class NIP07Request: NostrUseRequest {
    /// What rules call it, the same as on every wire of Nostr.
    public let method: String
    /// Who asks, as the transport tells: the wire names nobody.
    public let client: Client?
    /// What its key is to do.
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
            let choice = try AccountChoice(
                named: nil, author: task.author, client: client, in: context, by: clients)
            use = NostrUse(task, by: choice, in: context)
        } catch {
            throw NIP07Refusal(error)
        }
    }

    /// What is kept of it, and how fast its client may go.
    public var terms: RequestTerms { use.terms(of: client, pace: Pace(), by: clients) }

    /// What a person is shown before deciding.
    public var summary: Summary { use.summary(about: [], dangers: []) }

    /// A result as the page gets it; nil where it is none of this request.
    func value(_ result: KeyResult) throws(NostrRefusal) -> JSON? {
        if case .publicKey = use.task, case .publicKey(let key) = result {
            return .string(Hex.encode(key.span))
        }
        if let event = use.signedEvent(result) {
            // Our own writing, read back: pages get the event and no text of it.
            return try? JSON.parse(event.utf8.span)
        }
        return try use.text(result, verify: nil).map { .string($0) }
    }
}
