// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore

extension NEARRequest {
    /// The summary for a person.
    package var summary: Summary {
        var summary = bodySummary
        let own = operations.reduce(into: dangers) { all, operation in
            for danger in operation.dangers where !all.contains(danger) { all.append(danger) }
        }
        if let purpose { summary.lines += purpose.lines(getsKey: method == Method.signTransaction) }
        summary.lines += unsettled.lines
        let grave = own.filter(Self.gravest.contains)
        let others = own.filter { !Self.gravest.contains($0) }
        summary.warnings = (grave + others).map(text(of:)) + summary.warnings
        let isUnreadable = own.contains(.opaque)
        if let loss = loss ?? (isUnreadable ? "Call a contract with data that cannot be read" : nil)
        {
            let deed = summary.title
            summary.title = "\(loss): \(deed.prefix(1).lowercased())\(deed.dropFirst())"
        }
        return summary
    }

    private static let gravest: [Danger] = [.deletesAccount, .fullAccessKey]

    private var loss: String? {
        let parts: [(actions: [NEARAction], receiver: String)] =
            switch body {
            case .transactions(let list, _, _): list.map { ($0.actions, $0.receiver) }
            case .delegates(let list, _): list.map { ($0.actions, $0.receiver) }
            case .message, .signIn, .signOut, .accounts: []
            }
        return parts.flatMap { part in part.actions.compactMap { $0.loss(of: part.receiver) } }
            .min { $0.rank < $1.rank }?.text
    }

    private var bodySummary: Summary {
        switch body {
        case .message(let message, let signsIn): return message.summary(signsIn: signsIn)
        case .signIn(let account, let network):
            return Summary(
                title: "Connect a client to your account",
                lines: Self.lines(account.address, network), warnings: [])
        case .signOut(let network, let count):
            return Summary(
                title: "End the client's sessions and all that it is allowed",
                lines: [.init("sessions", String(count))]
                    + (network.map { [Summary.Line("network", $0).essential()] } ?? []),
                warnings: [])
        case .accounts(let accounts):
            return Summary(
                title: "Show a connected client its accounts again",
                lines: accounts.map { .init("account", $0.address) }, warnings: [])
        case .transactions(let transactions, let network, let purpose):
            return Summary(
                title: title(transactions.count, purpose),
                lines: [Summary.Line("network", network).essential()]
                    + numbered(zip(transactions, aging).map { $0.lines(aging: $1) }),
                warnings: Self.unknownReceivers(transactions.map(\.receiver), network), raw: raw
            ).withHeadlines(transactions.map { $0.headlines(_:) })
        case .delegates(let delegates, let network):
            return Summary(
                title: delegates.count == 1
                    ? "Let another account send this for you: sign a delegate action"
                    : "Let another account send this for you: sign \(delegates.count) delegate "
                        + "actions",
                lines: [Summary.Line("network", network).essential()]
                    + numbered(
                        zip(delegates, operations).map { $0.lines("delegated", late: late($0, $1)) }
                    ),
                warnings: Self.unknownReceivers(delegates.map(\.receiver), network), raw: raw
            ).withHeadlines(delegates.map { delegate in { delegate.headlines($0) } })
        }
    }

    /// All bytes that are signed, with zeros for values that are filled in later.
    private var raw: [Summary.Raw] {
        operations.enumerated().compactMap { index, operation in
            guard case .sign(let input) = operation.operation else { return nil }
            let number = operations.count > 1 ? " \(index + 1)" : ""
            let zeros =
                input.aging.isEmpty
                ? "" : ", with zeros for the values that are filled in at signing"
            return Summary.Raw(
                "bytes that are signed\(number), in Borsh\(zeros)", input.preimageWithoutAging)
        }
    }

    /// The byte ranges of each operation that are filled in later.
    private var aging: [[Range<Int>]] {
        operations.map { operation in
            guard case .sign(let input) = operation.operation else { return [] }
            return input.aging
        }
    }

    /// Returns the values of a delegate action that are filled in later.
    private func late(
        _ delegate: DelegateAction, _ operation: RequestedOperation
    ) -> (nonce: Bool, blocks: UInt64?) {
        guard case .sign(let input) = operation.operation else { return (false, nil) }
        let places = delegate.places(in: input.preimage.count)
        let blocks = operation.facts.first { $0.name == "validity.blocks" }
        guard input.aging.contains(places.height), case .integer(let count)? = blocks?.value else {
            return (input.aging.contains(places.nonce), nil)
        }
        return (input.aging.contains(places.nonce), UInt64(clamping: count))
    }

    /// Returns warnings about receivers whose names belong to another network.
    private static func unknownReceivers(_ receivers: [String], _ network: String) -> [String] {
        // An added network has its own accounts, such as test.near of a sandbox.
        guard NEARNetwork.isBuiltIn(network) else { return [] }
        let foreign = network == "mainnet" ? ".testnet" : ".near"
        return Set(receivers.filter { $0.hasSuffix(foreign) }).sorted().map {
            "\($0) is a name of another network, not of \(network)"
        }
    }

    private static func lines(_ account: String, _ network: String) -> [Summary.Line] {
        [.init("account", account), Summary.Line("network", network).essential()]
    }

    private func title(_ count: Int, _ purpose: Purpose) -> String {
        let what = count == 1 ? "a transaction" : "\(count) transactions"
        switch purpose {
        case .handOver: return "Sign \(what) for the client, which can send it"
        case .send: return "Sign and send \(what)"
        case .signIn: return "Connect a client, and give it a key to your account"
        }
    }

    /// Returns the lines of several items, each with its number.
    private func numbered(_ parts: [[Summary.Line]]) -> [Summary.Line] {
        guard parts.count > 1 else { return parts.first ?? [] }
        return parts.enumerated().flatMap { index, lines in
            [Summary.Line("number", "\(index + 1) of \(parts.count)")] + lines
        }
    }

    private var message: MessageSigning? {
        if case .message(let message, _) = body { message } else { nil }
    }

    private func text(of danger: Danger) -> String {
        switch danger {
        case .intents: message?.intents.danger ?? danger.name
        case .unknownNetwork:
            method == Method.signMessage
                ? "the key is for a network that this hub does not know"
                : "the network is not known: the bytes and the key name none, and no node was asked"
        case .oversize: "the message is unusually long; you may see only its beginning"
        case .controlCharacters: "the text has hidden characters, shown as \\u{...}"
        case .fullAccessKey:
            "the account can be lost: anyone with the new key controls it, and can shut you out"
        case .addsKey: "anyone with the new key can act for the account, as far as the key allows"
        case .deletesKey:
            "a key of the account stops working: you lose the account if it was the last one"
        case .changesControl:
            "who may act for the account, a contract, an agent or a DAO may change by a call"
        case .deletesAccount:
            "the account is lost for good; only its NEAR goes to the beneficiary: its tokens "
                + "in contracts stay behind, and can never be moved again"
        case .deploysCode: "code controls the account and all its assets from then on"
        case .stakes: "the amount is locked until it is unstaked"
        case .tokenTransfer: "tokens may leave the account, even if the deposit is small"
        case .burnsTokens: "the account's tokens there are destroyed, and cannot be restored"
        case .delegates:
            method == Method.signDelegate
                ? "another account sends this to the chain for you, when it chooses"
                : "your account carries out and pays for actions that another account signed"
        case .offlineNonce: "the nonce comes from the client; no node was asked"
        case .nonceJump:
            "the node names a nonce far above the last one used here: unsent transactions would "
                + "become invalid"
        case .unsettled:
            "the same was signed before, and its outcome is not known: both may be carried out"
        case .opaque: "it is not known what a call does: its arguments cannot be read here"
        default: danger.name
        }
    }
}

extension Summary {
    /// Returns a copy with the effect of every action, for lists.
    ///
    /// The question shows these headlines if there are several, or if the control of the account
    /// changes.
    fileprivate func withHeadlines(_ parts: [(_ words: String) -> [Headline]]) -> Summary {
        var copy = self
        copy.listed = parts.enumerated().flatMap { index, phrases in
            phrases(parts.count > 1 ? "in \(index + 1): " : "")
        }
        let areShown = copy.listed.count > 1 || copy.listed.contains { $0.gravity >= .authority }
        if areShown { copy.headlines = copy.listed }
        return copy
    }
}

extension NEARAction {
    fileprivate func loss(of account: String) -> (rank: Int, text: String)? {
        switch self {
        case .deleteAccount: (0, "Delete \(account) for good")
        case .addKey(_, let access) where access.isFullAccess:
            (1, "Give another key full power over \(account)")
        case .deployContract, .useGlobalContract: (2, "Let code control \(account)")
        default: nil
        }
    }
}

extension MessageSigning {
    fileprivate func summary(signsIn: Bool) -> Summary {
        var lines = [Summary.Line("account", account.address)]
        if let network { lines.append(Summary.Line("network", network).essential()) }
        lines += payload.summaryLines(isOwn: true)
        if let callbackOrigin { lines.append(.init("callback origin", callbackOrigin)) }
        var summary = Summary(title: title(signsIn: signsIn), lines: lines, warnings: warnings)
        let recipient = VisibleText.quotable(payload.recipient, countMax: Self.recipientMax)
        summary.headlines = intents.headlines
        let gravity = intents == .none ? Summary.Headline.Gravity.plain : .value
        if summary.headlines.isEmpty {
            summary.listed = [.init(gravity, "a message to \"\(recipient)\"")]
        }
        return summary
    }

    /// The maximum number of characters of a recipient in lists.
    private static let recipientMax = 64

    private func title(signsIn: Bool) -> String {
        intents.title
            ?? (signsIn
                ? "Connect a client, and prove that this account is yours: sign a message"
                : "Prove that this account is yours: sign a message")
    }

    private var warnings: [String] {
        var warnings: [String] = []
        if isNonceReused == true {
            warnings.append("this nonce was signed before: the message may be a repetition")
        }
        if let signer = IntentsClaim.signer(of: payload.message), signer != account.address {
            warnings.append("the message is in the name of another account, \(signer)")
        }
        if case .consent(let consent) = intents { warnings += consent.warnings }
        if let recipient = OffchainRecipient(payload.recipient) {
            if let network, network != recipient.network {
                warnings.append("the message names another network than the key or the request")
            }
        }
        return warnings
    }
}
