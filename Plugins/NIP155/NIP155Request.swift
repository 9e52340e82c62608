// SPDX-License-Identifier: Apache-2.0

import NIP155Messages
public import Nostr
public import SigningCore

/// One decoded NIP-155 request, with exactly one operation of one key.
public final class NIP155Request: NostrUseRequest {
    /// The value of `type`.
    public let method: String
    /// The client that the transport proves, otherwise the callback that gets the answer.
    public let client: Client?
    /// The operation that the request asks for, with the account whose key performs it.
    public var operation: RequestedOperation { use.operation }

    /// The use of the key, for the answer and for the summary.
    let use: NostrUse
    /// The `permissions` of `get_public_key`.
    let permissions: [NostrPermission]
    /// True if the whole event is returned.
    let returnsEvent: Bool
    let callbacks: Callbacks
    let compression: Compression
    let dropBox: DropBox?
    let hints: ClientHints
    /// The maximum rate of requests of a client.
    let pace: Pace
    /// The accounts that clients may use, as the owner set them.
    let clients: ClientAccounts

    init(
        method: String, client: Client?, use: NostrUse, permissions: [NostrPermission],
        returnsEvent: Bool, callbacks: Callbacks, compression: Compression, dropBox: DropBox?,
        hints: ClientHints, pace: Pace, clients: ClientAccounts
    ) {
        self.method = method
        self.client = client
        self.use = use
        self.permissions = permissions
        self.returnsEvent = returnsEvent
        self.callbacks = callbacks
        self.compression = compression
        self.dropBox = dropBox
        self.hints = hints
        self.pace = pace
        self.clients = clients
    }
}

extension NIP155Request {
    /// The dangers that concern the client, not the operation.
    public var dangers: [Danger] {
        hints.isHomepageElsewhere ? [.clientMismatch] : []
    }

    /// The `id`, the `permissions` and the notes.
    ///
    /// If the client names a homepage on another site, an approval covers only this request
    /// (Docs/Design/Grants.md).
    public var terms: RequestTerms {
        // The notes hold the entries of a signed list, and the account that a client got.
        var terms = use.terms(of: client, pace: pace, by: clients)
        terms.correlator = callbacks.id
        terms.isOneTime = hints.isHomepageElsewhere
        terms.wishes += permissions.map(\.wish)
        return terms
    }

    /// The summary for a person before the decision.
    public var summary: Summary {
        let wishes = permissions.map { Summary.Line("would like later", $0.wish.title) }
        return use.summary(about: clientLines + wishes, dangers: dangers)
    }

    /// The client's description of itself, and the exact destination of the answer.
    private var clientLines: [Summary.Line] {
        var lines: [Summary.Line] = []
        if let callback = callbacks.success {
            lines.append(Summary.Line("answers to", String(callback.place), by: .client))
        }
        if dropBox?.payload != nil {
            lines.append(
                Summary.Line(
                    "payload", "from a drop box, a file that any program of yours may have written")
            )
        }
        if let name = hints.name { lines.append(Summary.Line("calls itself", name, by: .client)) }
        if let homepage = hints.homepage {
            lines.append(Summary.Line("homepage", homepage, by: .client))
        }
        return lines
    }
}
