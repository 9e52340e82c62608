// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
public import SigningCore

extension LiquidCeremonyRequest {
    /// The summary for a person; created only on demand.
    public var summary: Summary {
        guard wire.ceremony != .introduce else { return introduction }
        let isNew = wire.ceremony == .register
        var lines: [Summary.Line] = [
            Summary.Line("server", wire.origin.text).essential(),
            Summary.Line("account", "\(account.name) \(account.address)").essential(),
        ]
        if let signer {
            let label = isNew ? "signed by" : "its signer"
            lines.append(Summary.Line(label, "\(signer.name) \(signer.address)").essential())
        }
        if let name = options.name { lines.append(.init("server's name", name, by: .client)) }
        if let name = options.userName { lines.append(.init("calls you", name, by: .client)) }
        lines.append(.init("request id", wire.requestID, by: .client))
        if options.host != wire.origin.host.text {
            lines.append(Summary.Line("for", options.host).essential())
        }
        if let passkey {
            lines.append(.init(isNew ? "replaces passkey" : "passkey", passkey.name))
        }
        lines.append(.init("challenge", Hex.encode(options.challenge.span)))
        return Summary(
            title: isNew
                ? "Log in at \(wire.origin.place) with a new passkey"
                : "Log in at \(wire.origin.place) with your passkey",
            headlines: isNew
                ? [
                    .init(
                        .flagged,
                        signer.map { "your key \($0.name) signs the server's challenge" }
                            ?? "your account signs the server's challenge"),
                    .init(.authority, "a passkey is made that logs in as your account"),
                ] : [],
            lines: lines, warnings: warnings(isNew),
            raw: [.init("the server's options", wire.options.write())])
    }

    private var introduction: Summary {
        Summary(
            title: "Tell \(wire.origin.place) which account is yours",
            lines: [
                Summary.Line("server", wire.origin.text).essential(),
                Summary.Line("account", "\(account.name) \(account.address)").essential(),
                .init("request id", wire.requestID, by: .client),
            ],
            warnings: [
                "the server learns that whoever opened its code holds this account",
                "who shows the code that led here is not proved, only the server is",
            ])
    }

    private func warnings(_ isNew: Bool) -> [String] {
        var warnings: [String] = []
        if isNew {
            warnings.append(
                "the signature names no server: a dishonest one could register itself elsewhere"
                    + " as you with it")
        }
        if isNew, passkey != nil {
            warnings.append(
                "a passkey is held for \(options.host) already, and stays: the new one stands"
                    + " beside it")
        }
        if let signer {
            let speaker = isOwnersWord ? "as you said by \"key watch\"" : "says the node"
            warnings.append(
                "the account was rekeyed, \(speaker): the key of \(signer.address) signs for it")
        }
        if options.host != wire.origin.host.text {
            warnings.append(
                "the passkey is for \(options.host) and for every server below it, not for"
                    + " \(wire.origin.host.text) alone")
        }
        if wire.origin.scheme == "http" {
            warnings.append("the server is on this machine, and nothing proves which it is")
        }
        warnings.append("who shows the code that led here is not proved, only the server is")
        return warnings
    }
}
