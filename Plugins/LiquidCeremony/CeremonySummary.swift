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
        if let name = options.userName { lines.append(.init("name for you", name, by: .client)) }
        lines.append(.init("request id", wire.requestID, by: .client))
        if options.host != wire.origin.host.text {
            lines.append(Summary.Line("for", options.host).essential())
        }
        if let passkey {
            lines.append(.init(isNew ? "earlier passkey" : "passkey", passkey.name))
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
                    .init(.authority, "a new passkey of this home can log in as you there"),
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
                "the server learns that the person who opened its code has this account",
                "the code may come from anyone: only the server is proved",
            ])
    }

    private func warnings(_ isNew: Bool) -> [String] {
        var warnings: [String] = []
        if isNew {
            warnings.append(
                "a dishonest server could use the signature elsewhere to register as you: the "
                    + "signature names no server"
            )
        }
        if isNew, passkey != nil {
            warnings.append(
                "this home has a passkey for \(options.host) already, and keeps it beside the "
                    + "new one"
            )
        }
        if let signer {
            let speaker = isNamedByOwner ? "as you said by \"key watch\"" : "says the node"
            warnings.append(
                "the account was rekeyed, \(speaker): the key of \(signer.address) signs for it")
        }
        if options.host != wire.origin.host.text {
            warnings.append(
                "the passkey is for \(options.host) and for every server below it, not for"
                    + " \(wire.origin.host.text) alone")
        }
        if wire.origin.scheme == "http" {
            warnings.append("the server is a program on this machine, and nothing proves which one")
        }
        warnings.append("the code may come from anyone: only the server is proved")
        return warnings
    }
}
