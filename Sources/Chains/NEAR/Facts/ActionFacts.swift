// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningDigests

extension ActionsFinding {
    /// Returns the facts about the actions, which rules and grants compare.
    func facts(for signer: String) -> [Fact] {
        var facts = [
            Fact("receiver", .text(receiver)),
            Fact("actions", .list(actions.map { .text($0.name) })),
            Fact("actions.count", .integer(Int128(actions.count))),
            Fact("actions.sha256", .bytes(Digest.sha256(actions.covered.span))),
            Fact("deposit", .integer(Int128(clamping: deposit))),
            Fact("gas", .integer(Int128(gas))),
            Fact(
                "adds_full_access_key", .bool(keys.allowsAll), isCritical: keys.allowsAll),
        ]
        if let stake { facts.append(Fact("stake", .integer(Int128(clamping: stake)))) }
        if let allowance = keys.allowance {
            facts.append(Fact("allowance", .integer(allowance)))
        }
        if !keys.receivers.isEmpty {
            facts.append(Fact("key.receiver", .list(keys.receivers.map { .text($0) })))
            facts.append(Fact("key.methods", .list(keys.methods.map { .text($0) })))
        }
        if !methods.isEmpty { facts.append(Fact("method", .list(methods.map { .text($0) }))) }
        var named = NamedValues()
        for action in actions { named.add(action) }
        return facts + named.facts + arguments.facts + tokenFacts(for: signer)
    }

    /// Returns the facts about the token calls.
    ///
    /// Empty if one of the calls cannot be read: otherwise a rule would see only the others.
    private func tokenFacts(for signer: String) -> [Fact] {
        guard !tokens.isEmpty, tokens.allSatisfy(\.isReadable) else { return [] }
        var facts = [
            Fact("token.receiver", .list(tokens.map { .text($0.receiver ?? signer) }))
        ]
        let amounts = tokens.compactMap(\.amount)
        if amounts.count == tokens.count {
            let sum = amounts.reduce(UInt128(0)) { $0.addingSaturated($1) }
            facts.append(Fact("token.amount", .integer(Int128(clamping: sum))))
        }
        let ids = tokens.flatMap(\.tokens)
        if !ids.isEmpty { facts.append(Fact("token.ids", .list(ids.map { .text($0) }))) }
        return facts
    }
}

/// Collects the keys, accounts and hashes in a transaction's actions as facts.
///
/// Each fact is a list of the values of one kind, in the order of the actions.
private struct NamedValues {
    /// The facts that a policy must know: the account that gets the balance of a deleted account.
    private static let critical: Set = ["beneficiary"]

    private var lists: [(name: String, values: [FactValue])] = []
    private var withdrawn: UInt128?

    var facts: [Fact] {
        var facts = lists.map { list in
            Fact(list.name, .list(list.values), isCritical: Self.critical.contains(list.name))
        }
        if let withdrawn {
            facts.append(Fact("gas_key.withdrawn", .integer(Int128(clamping: withdrawn))))
        }
        return facts
    }

    private mutating func add(_ name: String, _ value: FactValue) {
        if let place = lists.firstIndex(where: { $0.name == name }) {
            lists[place].values.append(value)
        } else {
            lists.append((name, [value]))
        }
    }

    mutating func add(_ action: NEARAction) {
        switch action {
        case .createAccount, .transfer: break
        case .functionCall(let call): add("args.sha256", .bytes(Digest.sha256(call.args.span)))
        case .deployContract(let code), .deployGlobalContract(let code, _):
            add("code.sha256", .bytes(Digest.sha256(code.span)))
        case .useGlobalContract(let code): add(code)
        case .deterministicStateInit(let state, _):
            add(state.code)
            add("state.sha256", .bytes(Digest.sha256(state.bytes.span)))
        case .stake(_, let key): add("validator.key", .text(key.text))
        case .addKey(let key, _): add("key.added", .text(key.text))
        case .deleteKey(let key): add("key.deleted", .text(key.text))
        case .deleteAccount(let account): add("beneficiary", .text(account))
        case .delegate(let signed), .delegateV2(let signed):
            add("delegate.sender", .text(signed.action.sender))
            add("delegate.receiver", .text(signed.action.receiver))
        case .transferToGasKey(let key, _): add("gas_key", .text(key.text))
        case .withdrawFromGasKey(let key, let amount):
            add("gas_key", .text(key.text))
            withdrawn = (withdrawn ?? 0).addingSaturated(amount)
        }
    }

    private mutating func add(_ code: ContractIdentifier) {
        switch code {
        case .codeHash(let hash): add("code.sha256", .bytes(hash))
        case .account(let account): add("code.account", .text(account))
        }
    }
}

extension StateInit {
    /// The state in Borsh, together with the code that it is for.
    var bytes: [UInt8] {
        var writer = BorshWriter()
        writer.stateInit(self)
        return writer.bytes
    }
}
