// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// The request that a call makes of its contract, by the standard that has a method of this name.
///
/// The contract may do anything else under the name, so the words always say "asks". The raw
/// arguments stay on the screen.
struct CallMeaning: Hashable {
    /// A phrase that follows "asks CONTRACT to"; texts of the client are quoted and may be cut.
    let phrase: String
    let gravity: Summary.Headline.Gravity
    /// The texts of the client as a whole, and parts that need lines of their own.
    var lines: [Summary.Line] = []
    /// The change that the call asks a DAO for; nil for every other call.
    var proposed: ProposedChange?

    init(
        _ phrase: String, _ gravity: Summary.Headline.Gravity, lines: [Summary.Line] = [],
        proposed: ProposedChange? = nil
    ) {
        self.phrase = phrase
        self.gravity = gravity
        self.lines = lines
        self.proposed = proposed
    }

    /// Finds the meaning; nil if the method or its arguments are not those of a standard.
    ///
    /// A call is inner if a DAO would make it.
    init?(of call: FunctionCall, by contract: String, isInner: Bool = false) {
        if let token = TokenCall(call) {
            guard token.isReadable else { return nil }
            self = token.meaning(of: call.method)
            return
        }
        guard !isInner || !call.asksDAO, let args = call.exactArguments,
            let meaning = try? Self.read(call, MemberReader(args), contract)
        else { return nil }
        self = meaning
    }

    /// Returns the phrase for a call of the signer, or of another account; nil if it speaks to
    /// the signer, and another account would make the call.
    func phrase(isOwn: Bool) -> String? { isOwn || !phrase.addressesSigner ? phrase : nil }

    private static func read(
        _ call: FunctionCall, _ args: MemberReader, _ contract: String
    ) throws(ShapeError) -> CallMeaning? {
        switch call.method {
        case "storage_deposit", "storage_withdraw", "storage_unregister":
            return try storage(call, args)
        case "nft_revoke", "nft_revoke_all", "mt_revoke", "mt_revoke_all":
            return try revocation(call.method, args)
        case "near_deposit":
            try args.finish()
            return CallMeaning("turn \(call.deposit.near) into wrapped NEAR for you", .value)
        case "add_proposal": return try proposal(args)
        case "act_proposal": return try vote(args)
        default:
            if StakingPools.has(contract) { return try staking(call, args) }
            return IntentsFinding.contract == contract ? try intents(call.method, args) : nil
        }
    }
}

extension String {
    /// True if the text says "you" or "your", which would mean the signer.
    var addressesSigner: Bool {
        split { !$0.isLetter }.contains { $0.lowercased().hasPrefix("you") }
    }
}

extension TokenCall {
    fileprivate func meaning(of method: String) -> CallMeaning {
        let what = moves.map { move in
            move.token.map {
                "\(move.amount) of the token \($0.shown(countMax: Self.idMax))"
            } ?? "\(move.amount) of its smallest unit"
        }.listed("tokens")
        let goal = receiver ?? ""
        var phrase =
            if Self.approvals.contains(method) {
                "let \(goal) take \(what)"
            } else if Self.withdrawals.contains(method) {
                "send \(what) out of your balance there to \(goal)"
            } else if method == Self.unwrapping {
                "give you \(what) back as NEAR"
            } else {
                "transfer \(what) to \(goal)"
            }
        if !owners.isEmpty {
            phrase += ", by an approval of \(owners.listed("accounts"))"
        }
        if hasOrder { phrase += ", with an order to it" }
        if let memo { phrase += ", memo \(memo.shown)" }
        return CallMeaning(phrase, .value, lines: lines)
    }

    /// The parts of the call that the phrase may cut.
    private var lines: [Summary.Line] {
        var lines: [Summary.Line] = []
        if let receiver { lines.append(.init("tokens go to", receiver, by: .client)) }
        for owner in owners { lines.append(.init("tokens are of", owner, by: .client)) }
        if let contract { lines.append(.init("token contract", contract, by: .client)) }
        for move in moves {
            // A unique token has no amount.
            if amount != nil {
                lines.append(.init("token amount", "\(move.amount) of its smallest unit"))
            }
            if let token = move.token { lines.append(.init("token", token, by: .client)) }
        }
        if let memo { lines.append(.init("memo", memo, by: .client)) }
        if hasOrder {
            lines.append(.init("tokens carry", "an order to the receiver, in msg above"))
        }
        return lines
    }
}

extension CallMeaning {
    private static func revocation(
        _ method: String, _ args: MemberReader
    ) throws(ShapeError) -> CallMeaning {
        var args = args
        let isMany = method.hasPrefix("mt_")
        let tokens = isMany ? try args.texts("token_ids") : [try args.text("token_id")]
        let account = method.hasSuffix("_all") ? "anyone" : try args.account("account_id")
        try args.finish()
        let what = tokens.map { "the token \($0.shown)" }.listed("tokens")
        return CallMeaning(
            "no longer let \(account) take \(what)", .plain,
            lines: tokens.map { .init("token", $0, by: .client) })
    }

    /// NEP-145.
    private static func storage(
        _ call: FunctionCall, _ args: MemberReader
    ) throws(ShapeError) -> CallMeaning {
        var args = args
        switch call.method {
        case "storage_deposit":
            let account = try args.accountIfAny("account_id")
            let isLeast = try args.flagIfAny("registration_only") ?? false
            try args.finish()
            let rest = isLeast ? ", and to pay back what registering does not need" : ""
            return CallMeaning(
                "keep \(call.deposit.near) as the storage deposit of "
                    + "\(account ?? "your account")\(rest)", call.deposit > 0 ? .value : .plain)
        case "storage_withdraw":
            let amount = try args.amountIfAny("amount")
            try args.finish()
            return CallMeaning(
                "pay you back \(amount?.near ?? "all free NEAR") of your storage deposit", .plain)
        default:
            let isForced = try args.flagIfAny("force") ?? false
            try args.finish()
            return CallMeaning(
                "forget your account and pay back its storage deposit"
                    + (isForced ? ", and to destroy the tokens you have there" : ""),
                isForced ? .value : .plain)
        }
    }
}
