// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore

/// A task for one account, with all that policies judge and people are shown.
package struct NostrUse: Hashable, Sendable {
    package let task: NostrTask
    package let account: Account
    /// The one use of the account's key.
    package let operation: RequestedOperation
    /// What an event does to a list; nil for all else.
    let change: ListChange?
    /// The last moment at which a signature is of use; nil where there is none.
    let expires: Timestamp?
    /// How the account was chosen; nil where the connection of the client is for it.
    let choice: AccountChoice?

    /// Holds the task against what is on record of the account that was chosen.
    package init(_ task: NostrTask, by choice: AccountChoice, in context: DecodingContext) {
        self.init(task, by: choice.account, choice, in: context)
    }

    /// Holds the task against what is on record of the account of a connection.
    package init(_ task: NostrTask, by account: Account, in context: DecodingContext) {
        self.init(task, by: account, nil, in: context)
    }

    private init(
        _ task: NostrTask, by account: Account, _ choice: AccountChoice?,
        in context: DecodingContext
    ) {
        self.task = task
        self.account = account
        self.choice = choice
        expires = task.event?.lastSecond(at: context.now)
        change = task.event?.listChange(of: account, in: context)
        operation = task.operation(by: account, change, in: context)
    }

    /// What is kept of it, for later requests of any wire: the entries of a list; the account
    /// whose key a client was told, or that it got without having been told of any.
    package func notes(about client: Client?) -> [Note] {
        let entries = change?.notes(of: account) ?? []
        guard task == .publicKey || choice?.ground == .order || choice?.ground == .chosen else {
            return entries
        }
        return entries + (client.map { [AccountChoice.note(of: account, toldTo: $0)] } ?? [])
    }

    /// What ties it to other requests of a client that was given its account.
    package func terms(
        of client: Client?, pace: Pace, by clients: ClientAccounts = ClientAccounts()
    ) -> RequestTerms {
        var terms = RequestTerms()
        terms.notes = notes(about: client)
        // How often a person chooses is not how often a client asks.
        terms.pace = choice?.ground == .chosen ? nil : pace
        terms.isCurrent = clients.isCurrent(for: client)
        terms.isAccountOpen = choice?.ground == .order
        // A client that was told of an account keeps it for all but the question about the account.
        if task == .publicKey || choice?.ground != .known {
            terms.otherAccounts = choice?.others ?? []
        }
        bound(&terms)
        return terms
    }

    /// Has a question end with the time of its event, and the texts that a client asks to decrypt
    /// at once be one question, which offers to allow those of any contact.
    package func bound(_ terms: inout RequestTerms) {
        terms.expires = expires
        guard case .decrypt = task else { return }
        terms.burst = "decrypt \(account.id)"
        terms.wishes = [NostrMethod.nip44Decrypt, .nip04Decrypt].map { method in
            NostrPermission(method).wish(title: "\(method.rawValue): texts of any contact")
        }
    }

    /// The signed event as JSON, for what is no signature nil.
    package func signedEvent(_ result: KeyResult) -> String? {
        guard let event = task.event, case .signature(let signature, let id) = result else {
            return nil
        }
        return event.json(id: id, publicKey: account.publicKey, signature: signature)
    }

    /// The text that encrypting or decrypting gave; nil for other results.
    ///
    /// What is no text is `undecryptable`, and so is a zap whose inside is not what it should be.
    package func text(
        _ result: KeyResult, verify: ((SignatureClaim) -> Bool)?
    ) throws(NostrRefusal) -> String? {
        switch (task, result) {
        case (.encrypt(.nip04, _, _), .ciphertext(let payload)):
            return NIP04Text.text(of: payload)
        case (.encrypt, .ciphertext(let payload)): return Base64.encode(payload.span)
        case (.decrypt, .plaintext(let bytes)):
            guard let text = try? UTF8Text.decode(bytes.span) else { throw .undecryptable }
            return text
        case (.openZap(let zap), .plaintext(let bytes)):
            guard let verify, let inner = zap.inner(bytes, verify: verify) else {
                throw .undecryptable
            }
            return inner
        default: return nil
        }
    }
}
