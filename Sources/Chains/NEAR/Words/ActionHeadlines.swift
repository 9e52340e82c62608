// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningDigests

extension NEARAction {
    /// Returns the effect in one phrase; several phrases for a delegate action.
    ///
    /// `receiver` is the account that the actions apply to; `isOwn` says that the signer acts.
    func headlines(to receiver: String, isOwn: Bool = true) -> [Summary.Headline] {
        switch self {
        case .functionCall(let call): [call.headline(to: receiver, isOwn: isOwn)]
        case .transfer(let amount):
            [Self.paying(amount, "transfers \(amount.near) to \(receiver)")]
        case .transferToGasKey(let key, let amount):
            [
                Self.paying(
                    amount, "moves \(amount.near) to the gas key \(key.text) of \(receiver)")
            ]
        case .withdrawFromGasKey(let key, let amount):
            [.init(.flagged, "takes \(amount.near) from the gas key \(key.text) of \(receiver)")]
        case .stake(let amount, let key):
            [.init(.value, "stakes \(amount.near) with the validator key \(key.text)")]
        case .createAccount: [.init(.plain, "creates the account \(receiver)")]
        case .delegate(let signed), .delegateV2(let signed):
            signed.action.headlines("carries out, for \(signed.action.sender): ", isOwn: false)
        case .deleteAccount, .deployContract, .useGlobalContract:
            [.init(.loss, authority(over: receiver))]
        case .addKey(_, let access):
            [.init(access.isFullAccess ? .loss : .authority, authority(over: receiver))]
        case .deleteKey, .deployGlobalContract, .deterministicStateInit:
            [.init(.authority, authority(over: receiver))]
        }
    }

    /// Returns the words for a change of the owner or the control of an account.
    private func authority(over account: String) -> String {
        func named(_ code: [UInt8]) -> String {
            "\(code.count) bytes of code, SHA-256 \(Hex.encode(Digest.sha256(code.span).span))"
        }
        switch self {
        case .addKey(let key, let access):
            guard access.isFullAccess else {
                return "gives the key \(key.text) \(access.power(over: account))"
            }
            return
                "\(account) can be lost: anyone with the key \(key.text) controls it from "
                + "then on, with full power\(access.balanceText)"
        case .deleteKey(let key): return "takes the key \(key.text) from \(account)"
        case .deleteAccount(let beneficiary):
            return "\(account) is lost for good: the account is deleted, and "
                + (beneficiary == account
                    ? "all its NEAR is burned, because it is its own beneficiary"
                    : "all its NEAR goes to \(beneficiary)")
        case .deployContract(let code):
            return "code controls \(account) and all its assets from then on: \(named(code))"
        case .deployGlobalContract(let code, let mode):
            return "publishes \(named(code)), which everyone can run under "
                + (mode == .codeHash ? "its hash" : "the name \(account)")
        case .useGlobalContract(let code):
            return "code controls \(account) and all its assets from then on: \(code.words)"
        case .deterministicStateInit(let state, let deposit):
            return "creates the account \(account) with \(deposit.near) and \(state.code.words)"
        default: return name
        }
    }

    static func paying(_ amount: UInt128, _ text: String) -> Summary.Headline {
        .init(amount > 0 ? .value : .plain, text)
    }
}

extension FunctionCall {
    /// Returns the call in words; nil as meaning says that no standard describes it.
    ///
    /// `isOwn` says that the signer makes the call.
    func words(to contract: String, _ meaning: CallMeaning?, isOwn: Bool) -> String {
        var text =
            meaning?.phrase(isOwn: isOwn).map { "asks \(contract) to \($0) (\(method))" }
            ?? "calls \(method.shown) of \(contract)"
        if deposit > 0 { text += ", and pays \(deposit == 1 ? Self.least : deposit.near) for it" }
        return text
    }

    /// The deposit that many methods demand, so that only keys with full access can call them.
    private static let least = "1 yoctoNEAR"

    fileprivate func headline(to contract: String, isOwn: Bool) -> Summary.Headline {
        let meaning = CallMeaning(of: self, by: contract)
        let text = words(to: contract, meaning, isOwn: isOwn)
        if addsContractKey {
            let whom = isOwn ? "you" : "the caller"
            return .init(.authority, "another key may act for \(whom): \(text)")
        }
        if changesControl, meaning == nil {
            return .init(
                .authority, "who may act for an account or a contract may change: \(text)")
        }
        if burnsTokens {
            let whose = isOwn ? "your" : "the caller's"
            return .init(.value, "\(whose) tokens there may be destroyed: \(text)")
        }
        if let meaning {
            return .init(max(meaning.gravity, deposit > 1 ? .value : .plain), text)
        }
        if TokenCall(self) != nil {
            return .init(.value, "tokens move, but how cannot be read here: \(text)")
        }
        if asksDAO {
            return .init(.flagged, "it is not known what this asks the DAO for: \(text)")
        }
        let isReadable = args.isEmpty || json != nil
        return .init(
            deposit > 0 ? .value : isReadable ? .plain : .flagged,
            isReadable
                ? text
                : "it is not known what this does: \(text), with arguments that cannot be read here"
        )
    }
}

extension AccessKey {
    fileprivate func power(over account: String) -> String {
        guard let bounds else { return "full power over \(account)\(balanceText)" }
        let methods =
            bounds.methods.isEmpty
            ? "every method" : bounds.methods.map(\.shown).listed("methods")
        let allowance = bounds.allowance.map { "at most \($0.near)" } ?? "any sum"
        return
            "permission to call \(methods) of \(bounds.receiver.shown) for \(account), and to "
            + "spend \(allowance) on gas\(balanceText)"
    }

    fileprivate var balanceText: String {
        gasKey.map { ", with a balance of \($0.balance.near)" } ?? ""
    }
}

extension NEARTransaction {
    /// Returns the effects of its actions, each phrase with the same prefix.
    func headlines(_ words: String) -> [Summary.Headline] {
        actions.flatMap { $0.headlines(to: receiver) }
            .map { .init($0.gravity, words + $0.text) }
    }
}

extension DelegateAction {
    /// Returns the content, each phrase with the same prefix.
    func headlines(_ words: String, isOwn: Bool = true) -> [Summary.Headline] {
        let inner = actions.flatMap { $0.headlines(to: receiver, isOwn: isOwn) }
        guard !inner.isEmpty else { return [.init(.flagged, "\(words)nothing")] }
        return inner.map { .init($0.gravity, words + $0.text) }
    }
}

extension [String] {
    private static let listedMax = 8

    /// Returns a few items by name, more by their number; each item also has its own line.
    func listed(_ kind: String) -> String {
        count > Self.listedMax ? "\(count) \(kind)" : joined(separator: ", ")
    }
}

extension String {
    private static let shownMax = 64

    /// The text of another party, quoted for use in a phrase of the hub.
    var shown: String { shown(countMax: Self.shownMax) }

    func shown(countMax: Int) -> String { "\"\(VisibleText.quotable(self, countMax: countMax))\"" }
}
