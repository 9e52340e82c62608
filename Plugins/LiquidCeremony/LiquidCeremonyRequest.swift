// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
public import SigningCore

/// A request to log an account in at a server, or to tell the server the account.
public struct LiquidCeremonyRequest: SignRequest {
    /// The protocol id, `algorand`.
    public var protocolID: ProtocolID { .algorand }
    /// The method: `liquid_introduce`, `liquid_register` or `liquid_login`.
    public let method: String
    /// The server, identified by its origin.
    public let client: Client?
    /// The challenge that the account signs and the new passkey, or the data that a passkey signs.
    public let operations: [RequestedOperation]
    /// The server, the account and the passkey.
    public let facts: [Fact]
    /// Empty; the operations hold the effects.
    public var effects: [Effect] { [] }
    /// The dangers: hidden characters in the names of server or user, a parent domain, a rekeyed
    /// account.
    public let dangers: [Danger]
    /// Always `full`: the signed content is read completely.
    public var decoding: Decoding { .full }
    /// The challenge, which is answered only once.
    public let replayToken: ReplayToken?

    let wire: LiquidCeremonyWire
    let options: ServerOptions
    let account: Account
    /// The passkey that logs in, or that is replaced.
    let passkey: Passkey?
    /// The account that signs for a rekeyed account; nil for its own key.
    let signer: Account?
    /// True if the owner named the signing account, and no node was asked.
    let isNamedByOwner: Bool

    init(
        _ wire: LiquidCeremonyWire, by signer: Account?, isNamedByOwner: Bool = false,
        in context: DecodingContext
    ) throws(LiquidRefusal) {
        self.wire = wire
        self.isNamedByOwner = isNamedByOwner
        self.signer = signer
        let options = try ServerOptions(wire)
        self.options = options
        let account = try Self.account(wire, in: context)
        self.account = account
        let all = context.passkeys.filter {
            $0.host == options.host && $0.address == account.address
        }
        let isNew = wire.ceremony == .register
        // The latest passkey is replaced; for a login the server, which may not know it, names one.
        let held = isNew ? all.last : all.first { Self.text($0) == wire.credential }
        passkey = held
        method = wire.method
        switch wire.ceremony {
        case .introduce:
            // A server for which a passkey is held already knows the account.
            operations = all.isEmpty ? [Self.introduction(of: account)] : []
        case .register:
            operations = try Self.registration(
                options, wire, for: account, by: signer ?? account, replacing: held, among: all)
        case .login: operations = [try Self.login(options, wire, by: account, with: held)]
        }
        var facts = [
            Fact("host", .text(wire.origin.host.text)),
            Fact("request_id", .text(wire.requestID)),
            Fact("address", .text(account.address)),
        ]
        if wire.ceremony != .introduce { facts.append(Fact("rp_id", .text(options.host))) }
        if let signer { facts.append(Fact("auth_address", .text(signer.address))) }
        if isNew {
            facts.append(Fact("replaces_passkey", .bool(held != nil)))
        } else if let held, wire.ceremony == .login {
            facts.append(Fact("credential", .bytes(held.credential)))
        }
        self.facts = facts
        let words = [options.name, options.userName, wire.requestID].compactMap { $0 }
        dangers =
            (words.contains(where: VisibleText.hasHidden) ? [.controlCharacters] : [])
            + (options.host == wire.origin.host.text ? [] : [.parentRP])
            + (signer == nil ? [] : [.rekeyedAccount])
        client = context.client(
            claimedAs: Client(
                id: wire.origin.text, name: options.name, proof: .claimed,
                party: wire.origin.host.registrableDomain))
        // The challenge counts for all servers, because one server could pass it on to another.
        replayToken =
            wire.ceremony == .introduce
            ? nil
            : ReplayToken(
                Array("liquid challenge ".utf8) + options.challenge, isSingleUse: true)
    }

    /// The maximum rate of requests, as anyone can run servers.
    ///
    /// `repeatsConnection` is true for an introduction to a server that knows the account already.
    public var terms: RequestTerms {
        var terms = RequestTerms()
        terms.pace = Pace()
        terms.repeatsConnection = wire.ceremony == .introduce && operations.isEmpty
        return terms
    }

    private static func account(
        _ wire: LiquidCeremonyWire, in context: DecodingContext
    ) throws(LiquidRefusal) -> Account {
        // This transport names the account that the owner chose; a page on a channel uses another
        // wire.
        let isOwners = context.peer.channel == LiquidCeremonyWire.channel
        let nameable = isOwners ? nil : context.nameable(context.client)
        let named = (nameable ?? context.accounts).filter {
            $0.address == wire.address && (wire.key == nil || $0.name == wire.key)
        }
        if let own = named.first(where: { $0.algorithm == .ed25519 }) { return own }
        guard let watched = named.first else {
            throw LiquidRefusal(.unknownAccount, "this home has no key of the account")
        }
        let kind = watched.signedBy == nil ? "multisignature" : "rekeyed"
        throw LiquidRefusal(
            .noKey, "\"\(watched.name)\" is a \(kind) account: it has no key to log in with")
    }

    private static func registration(
        _ options: ServerOptions, _ wire: LiquidCeremonyWire, for account: Account,
        by signer: Account, replacing held: Passkey?, among all: [Passkey]
    ) throws(LiquidRefusal) -> [RequestedOperation] {
        let challenge = options.challenge
        guard challenge.count == LiquidChallenge.count else {
            throw LiquidRefusal(
                .challenge,
                "the challenge has \(challenge.count) bytes instead of \(LiquidChallenge.count)")
        }
        if let prefix = LiquidChallenge.reservedPrefix(of: challenge) {
            throw LiquidRefusal(
                .challenge,
                "the challenge begins with \"\(prefix)\", as other data that accounts sign does")
        }
        let known = wire.options["excludeCredentials"]
        if all.contains(where: { ServerOptions.lists($0.credential, in: known) == true }) {
            throw LiquidRefusal(
                .isRegistered, "the server knows a passkey of this home: log in with it")
        }
        let input = SigningInput(domain: SigningDomain.liquidChallengeID, preimage: challenge)
        return [
            RequestedOperation(
                account: signer, operation: .sign(input), facts: [], effects: [.provesIdentity],
                dangers: [.liquidChallenge]),
            RequestedOperation(
                account: account,
                operation: .makePasskey(host: options.host, replacing: held?.credential),
                facts: [], effects: [.provesIdentity, .grantsAuthority],
                dangers: [.liquidChallenge]),
        ]
    }

    private static func introduction(of account: Account) -> RequestedOperation {
        RequestedOperation(
            account: account, operation: .publicKey, facts: [], effects: [.revealsKey],
            dangers: [])
    }

    private static func text(_ passkey: Passkey) -> String {
        Base64.encode(passkey.credential.span, alphabet: .url, padding: false)
    }

    private static func login(
        _ options: ServerOptions, _ wire: LiquidCeremonyWire, by account: Account,
        with held: Passkey?
    ) throws(LiquidRefusal) -> RequestedOperation {
        guard let held else {
            throw LiquidRefusal(
                .unknownPasskey, "this home does not have this passkey of the account")
        }
        guard ServerOptions.lists(held.credential, in: wire.options["allowCredentials"]) ?? true
        else {
            throw LiquidRefusal(.options, "the server does not accept this passkey")
        }
        guard PasskeyData.challengeBytes.contains(options.challenge.count) else {
            throw LiquidRefusal(
                .challenge, "the challenge has \(options.challenge.count) bytes instead of 16 to 64"
            )
        }
        let preimage = SigningDomain.joined(
            PasskeyData.assertion(host: options.host),
            PasskeyData.clientData(
                .get, challenge: options.challengeText, origin: wire.origin.text))
        let input = SigningInput(domain: SigningDomain.liquidAssertionID, preimage: preimage)
        return RequestedOperation(
            account: account,
            operation: .signByPasskey(credential: held.credential, input), facts: [],
            effects: [.provesIdentity], dangers: [.liquidChallenge])
    }
}
