// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore

/// A task for one account, with everything that policies judge and people see.
package struct NostrUse: Hashable, Sendable {
    package let task: NostrTask
    package let account: Account
    /// The only operation of the account's key.
    package let operation: RequestedOperation
    /// The change of a list by an event; nil for other tasks.
    let change: ListChange?
    /// The end of the validity of a signature; nil if it has no end.
    let expires: Timestamp?
    /// The choice of the account; nil if the connection of the client determines the account.
    let choice: AccountChoice?

    /// Creates the use from the account that is chosen for a client, and its notes.
    ///
    /// `wanted` is the public key that the client names; nil if it names none.
    package init(
        _ task: NostrTask, named wanted: [UInt8]?, for client: Client?,
        in context: DecodingContext, by clients: ClientAccounts
    ) throws(NostrRefusal) {
        let choice = try AccountChoice(
            named: wanted, author: task.author, client: client, in: context, by: clients)
        self.init(task, by: choice.account, choice, in: context)
    }

    /// Creates the use from the account of a connection and its notes.
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

    /// Returns the notes for later requests on any wire.
    ///
    /// These are the entries of a list, and the account that a client got.
    package func notes(about client: Client?) -> [Note] {
        let entries = change?.notes(of: account) ?? []
        guard task == .publicKey || choice?.ground == .order || choice?.ground == .chosen else {
            return entries
        }
        return entries + (client.map { [AccountChoice.note(of: account, givenTo: $0)] } ?? [])
    }

    /// Returns the terms that relate the request to other requests of the client.
    package func terms(
        of client: Client?, pace: Pace, by clients: ClientAccounts = ClientAccounts()
    ) -> RequestTerms {
        var terms = RequestTerms()
        terms.notes = notes(about: client)
        // The number of choices by a person does not count as requests of the client.
        terms.pace = choice?.ground == .chosen ? nil : pace
        terms.isCurrent = clients.isCurrent(for: client)
        terms.isAccountOpen = choice?.ground == .order
        // A client that has used an account keeps it, except when it asks for the public key.
        if task == .publicKey || choice?.ground != .known {
            terms.otherAccounts = choice?.others ?? []
        }
        bound(&terms)
        return terms
    }

    /// Sets the end of a question and groups concurrent texts to decrypt.
    ///
    /// A question ends with the validity of its event. Texts that a client asks to decrypt at once
    /// are one question, which offers to allow the texts of anyone.
    package func bound(_ terms: inout RequestTerms) {
        terms.expires = expires
        guard case .decrypt = task else { return }
        terms.burst = "decrypt \(account.id)"
        terms.wishes = [NostrMethod.nip44Decrypt, .nip04Decrypt].map { method in
            NostrPermission(method).wish(title: "\(method.rawValue): texts of anyone")
        }
    }

    /// Returns the signed event as JSON; nil for results that are not a signature.
    package func signedEvent(_ result: KeyResult) -> String? {
        guard let event = task.event, case .signature(let signature, let id) = result else {
            return nil
        }
        return event.json(id: id, publicKey: account.publicKey, signature: signature)
    }

    /// Returns the text that encrypting or decrypting produced; nil for other results.
    ///
    /// Bytes that are not text are `undecryptable`, and so is a zap with invalid content.
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
