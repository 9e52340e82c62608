// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

extension NEARAction {
    /// What it does, in lines; the client's own words apart from the hub's.
    func lines(_ label: String) -> [Summary.Line] {
        switch self {
        case .createAccount: return [.init(label, "creates the account")]
        case .deployContract(let code):
            return [.init(label, "deploys \(code.count) bytes of code, which then act for it")]
        case .functionCall(let call): return call.lines(label)
        case .transfer(let deposit): return [.init(label, "transfers \(deposit.near)")]
        case .stake(let amount, let key):
            return [.init(label, "stakes \(amount.near) for the validator key \(key.text)")]
        case .addKey(let key, let access):
            return [.init(label, "adds the key \(key.text)")] + access.lines
        case .deleteKey(let key): return [.init(label, "deletes the key \(key.text)")]
        case .deleteAccount(let beneficiary):
            return [.init(label, "deletes the account; what is left goes to \(beneficiary)")]
        case .delegate(let signed), .delegateV2(let signed):
            return [.init(label, "carries out a delegate action, and pays what is in it")]
                + signed.action.lines("inside")
        case .deployGlobalContract(let code, let mode):
            let name = mode == .codeHash ? "its hash" : "the account"
            return [
                .init(label, "deploys \(code.count) bytes of code for everyone, under \(name)")
            ]
        case .useGlobalContract(let identifier):
            return [.init(label, "runs the code of \(identifier.text) from now on")]
        case .deterministicStateInit(let state, let deposit):
            return [
                .init(
                    label,
                    "creates an account with the code of \(state.code.text), "
                        + "\(state.data.count) entries of state and \(deposit.near)")
            ]
        case .transferToGasKey(let key, let deposit):
            return [.init(label, "moves \(deposit.near) to the gas key \(key.text)")]
        case .withdrawFromGasKey(let key, let amount):
            return [.init(label, "takes \(amount.near) from the gas key \(key.text)")]
        }
    }
}

extension [NEARAction] {
    /// All of them, numbered.
    func lines() -> [Summary.Line] {
        enumerated().flatMap { index, action in action.lines("action \(index + 1)") }
    }
}

extension FunctionCall {
    /// The longest arguments that are shown whole, in bytes; longer ones are flagged.
    static let argsShownMax = 4_096

    fileprivate func lines(_ label: String) -> [Summary.Line] {
        var lines = [
            Summary.Line(label, "calls a method"), Summary.Line("method", method, by: .client),
        ]
        if args.count > Self.argsShownMax {
            lines.append(.init("arguments", "\(args.count) bytes, of which you see the first"))
            let head = String(decoding: args.prefix(Self.argsShownMax), as: UTF8.self)
            lines.append(.init("first of them", head, by: .client))
        } else if json != nil {
            lines.append(.init("arguments", String(decoding: args, as: UTF8.self), by: .client))
        } else {
            lines.append(
                .init("arguments", args.isEmpty ? "none" : "bytes \(Hex.encode(args.span))"))
        }
        if let token = TokenCall(self) { lines += token.lines }
        lines.append(.init("deposit", deposit.near))
        lines.append(.init("gas", AmountUnit.gas.text(of: Int128(gas))))
        return lines
    }
}

extension TokenCall {
    fileprivate var lines: [Summary.Line] {
        guard isReadable else { return [.init("tokens", "move, and nobody can read how")] }
        var lines: [Summary.Line] = []
        if let receiver { lines.append(.init("tokens go to", receiver, by: .client)) }
        if let amount { lines.append(.init("token amount", "\(amount) of its smallest unit")) }
        for token in tokens { lines.append(.init("token", token, by: .client)) }
        if hasOrder {
            lines.append(.init("tokens carry", "an order to whoever gets them, in msg above"))
        }
        return lines
    }
}

extension AccessKey {
    fileprivate var lines: [Summary.Line] {
        var lines: [Summary.Line] = []
        switch permission {
        case .fullAccess: lines.append(.init("key may", "do everything the account may"))
        case .functionCall: break
        case .gasKeyFullAccess(let key), .gasKeyFunctionCall(let key, _):
            let what = isFullAccess ? "everything the account may" : "calls"
            lines.append(
                .init("gas key may", "do \(what), with \(key.nonceCount) lanes of nonces"))
        }
        guard let bounds else { return lines }
        lines.append(.init("key may call", bounds.receiver, by: .client))
        let methods = bounds.methods.joined(separator: ", ")
        lines.append(
            bounds.methods.isEmpty
                ? .init("methods", "any") : .init("methods", methods, by: .client))
        lines.append(
            .init("allowance", bounds.allowance.map(\.near) ?? "without a bound, for gas"))
        return lines
    }
}

extension ContractIdentifier {
    fileprivate var text: String {
        switch self {
        case .codeHash(let hash): "the hash \(Base58.encode(hash.span))"
        case .account(let account): "the account \(account)"
        }
    }
}

extension NEARTransaction {
    /// The transaction in lines.
    var lines: [Summary.Line] {
        var lines = [
            Summary.Line("account", signer), Summary.Line("receiver", receiver),
        ]
        if case .v1(let index, let isStrict) = version {
            let lane = index.map { ", lane \($0) of a gas key" } ?? ""
            lines.append(.init("version", "1\(lane)\(isStrict ? ", in strict order" : "")"))
        }
        lines += actions.lines()
        lines.append(.init("nonce", String(nonce)))
        lines.append(.init("block", Base58.encode(blockHash.span)))
        return lines
    }
}

extension DelegateAction {
    /// The delegate action in lines.
    func lines(_ label: String) -> [Summary.Line] {
        var lines = [Summary.Line("sender", sender), Summary.Line("receiver", receiver)]
        lines += actions.lines()
        let lane = nonceIndex.map { ", lane \($0) of a gas key" } ?? ""
        lines.append(.init("nonce", "\(nonce)\(lane)"))
        lines.append(.init("until block", String(maxBlockHeight)))
        return lines.map { Summary.Line("\(label) \($0.label)", $0.text, by: $0.author) }
    }
}

extension UInt128 {
    /// An amount for people; beyond all NEAR there will ever be it stands in yoctoNEAR.
    var near: String {
        guard let amount = Int128(exactly: self) else { return "\(self) yoctoNEAR" }
        return AmountUnit.near.text(of: amount)
    }
}
