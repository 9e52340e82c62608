// SPDX-License-Identifier: Apache-2.0

public import Nostr
public import SigningCore

/// One decoded NIP-155 request: always one operation of one key.
public final class NIP155Request: NostrUseRequest {
    /// The value of `type`.
    public let method: String
    /// Who is proved to ask, else the place that the answer is written for.
    public let client: Client?
    /// What its key is to do.
    public var operation: RequestedOperation { use.operation }

    /// What is asked, for the answer and for the summary.
    let use: NostrUse
    /// The `permissions` of `get_public_key`.
    let permissions: [NostrPermission]
    /// Whether an event goes back whole.
    let returnsEvent: Bool
    let callbacks: Callbacks
    let compression: Compression
    let dropBox: DropBox?
    let hints: ClientHints
    /// How fast a client may go.
    let pace: Pace
    /// Which accounts clients get, as the owner set it.
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
    /// What concerns the client and not the operation.
    public var dangers: [Danger] {
        hints.isHomepageElsewhere ? [.clientMismatch] : []
    }

    /// Its `id`, its `permissions`, and what is kept of it.
    ///
    /// A client that names a homepage elsewhere is answered once and no longer (decision 0013).
    public var terms: RequestTerms {
        // The entries of a list that was signed; the account a client was told of.
        var terms = use.terms(of: client, pace: pace, by: clients)
        terms.correlator = callbacks.id
        terms.isOneTime = hints.isHomepageElsewhere
        terms.wishes += permissions.map(\.wish)
        return terms
    }

    /// What a person is shown before deciding.
    public var summary: Summary {
        let wishes = permissions.map { Summary.Line("would like later", $0.wish.title) }
        return use.summary(about: clientLines + wishes, dangers: dangers)
    }

    /// What the client says about itself, and the exact place the answer goes to.
    private var clientLines: [Summary.Line] {
        var lines: [Summary.Line] = []
        if let callback = callbacks.success {
            lines.append(Summary.Line("answers to", String(callback.place), by: .client))
        }
        if dropBox?.payload != nil {
            lines.append(
                Summary.Line(
                    "payload", "from a drop box: a file that any program of yours may have left"))
        }
        if let name = hints.name { lines.append(Summary.Line("calls itself", name, by: .client)) }
        if let homepage = hints.homepage {
            lines.append(Summary.Line("homepage", homepage, by: .client))
        }
        return lines
    }
}
