// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
public import SigningCore

extension NEP413Request {
    /// What a person is shown.
    public var summary: Summary {
        var summary = bodySummary
        let own = operations.reduce(into: dangers) { all, operation in
            for danger in operation.dangers where !all.contains(danger) { all.append(danger) }
        }
        summary.warnings = own.map(text(of:)) + summary.warnings
        return summary
    }

    private var bodySummary: Summary {
        switch body {
        case .message(let message, let signsIn): return message.summary(state, signsIn: signsIn)
        case .signIn(let account, let network):
            return Summary(
                title: "Connect a client to your account",
                lines: Self.lines(account.address, network), warnings: [])
        case .signOut(let network, let count):
            return Summary(
                title: "End the client's sessions, and take back what it was allowed",
                lines: [.init("sessions", String(count))]
                    + (network.map { [.init("network", $0)] } ?? []), warnings: [])
        case .accounts(let accounts):
            return Summary(
                title: "Tell a connected client its accounts again",
                lines: accounts.map { .init("account", $0.address) }, warnings: [])
        case .transactions(let transactions, let network, let purpose):
            return Summary(
                title: title(transactions.count, purpose),
                lines: [.init("network", network)] + numbered(transactions.map(\.lines)),
                warnings: [])
        case .delegates(let delegates, let network):
            return Summary(
                title: "Sign what somebody else takes to the chain for you",
                lines: [.init("network", network)]
                    + numbered(delegates.map { $0.lines("delegated") }), warnings: [])
        }
    }

    private static func lines(_ account: String, _ network: String) -> [Summary.Line] {
        [.init("account", account), .init("network", network)]
    }

    private func title(_ count: Int, _ purpose: Purpose) -> String {
        let what = count == 1 ? "a transaction" : "\(count) transactions"
        switch purpose {
        case .handOver: return "Sign \(what) for the client, which can send it"
        case .send: return "Sign and send \(what)"
        case .signIn: return "Connect a client, and add a key for it to your account"
        }
    }

    /// Lines of several things, each under a heading of its own.
    private func numbered(_ parts: [[Summary.Line]]) -> [Summary.Line] {
        guard parts.count > 1 else { return parts.first ?? [] }
        return parts.enumerated().flatMap { index, lines in
            [Summary.Line("number", "\(index + 1) of \(parts.count)")] + lines
        }
    }

    private func text(of danger: Danger) -> String {
        switch danger {
        case .intents:
            decoding == .partial
                ? "the message may order payments and cannot be read in full"
                : "whoever holds the signature can carry out the intents in the message"
        case .unknownNetwork:
            method == Method.signMessage
                ? "the key is for a network this hub does not know"
                : "the bytes name no network, the key is bound to none, and nobody looked"
        case .oversize: "the message is unusually long; you may see only its beginning"
        case .controlCharacters: "the text holds hidden characters, shown as \\u{...}"
        case .fullAccessKey: "the new key can do everything, also take the account away from you"
        case .addsKey: "whoever holds the new key acts for the account within its bounds"
        case .deletesKey: "a key of the account stops working"
        case .deletesAccount: "the account ends, and all that is left in it goes to somebody"
        case .deploysCode: "code will act for the account, or replaces what does"
        case .stakes: "the amount is locked until it is unstaked"
        case .tokenTransfer: "tokens may leave the account, whatever the deposit says"
        case .delegates: "somebody else sends it, at a time of their choosing"
        case .offlineNonce: "the nonce is the client's word; nothing was looked up"
        case .opaque: "the arguments of a call cannot be read here"
        default: danger.name
        }
    }
}

extension MessageSigning {
    fileprivate func summary(_ state: String?, signsIn: Bool) -> Summary {
        var lines = [Summary.Line("account", account.address)]
        if let network { lines.append(.init("network", network)) }
        lines += payload.summaryLines
        if let callbackOrigin { lines.append(.init("callback origin", callbackOrigin)) }
        if let state {
            lines.append(.init("state", "\(state.utf8.count) bytes, sent back, not signed"))
        }
        return Summary(title: title(signsIn: signsIn), lines: lines, warnings: warnings)
    }

    private func title(signsIn: Bool) -> String {
        guard intents == .none else {
            return "Sign an order that may move value through NEAR Intents"
        }
        return signsIn
            ? "Connect a client, and sign a message that shows who you are"
            : "Sign a message that shows who you are"
    }

    private var warnings: [String] {
        var warnings: [String] = []
        if isNonceReused == true {
            warnings.append("this nonce was signed before: the message may be a repetition")
        }
        if let recipient = OffchainRecipient(payload.recipient) {
            warnings.append("contracts act on this message with the account's authority")
            if let network, network != recipient.network {
                warnings.append("the message names another network than the key or the request")
            }
        }
        return warnings
    }
}
