// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningDigests

extension NEARAction {
    /// Returns the effect in lines; text of the client is kept apart from that of the hub.
    ///
    /// `receiver` is the account that the action applies to; `isOwn` says that the signer acts.
    func lines(_ label: String, to receiver: String, isOwn: Bool = true) -> [Summary.Line] {
        switch self {
        case .createAccount: return [.init(label, "creates the account")]
        case .deployContract(let code):
            return [.init(label, "deploys \(code.words), which then act for it")]
                + [.init("code SHA-256", Hex.encode(Digest.sha256(code.span).span))]
        case .functionCall(let call): return call.lines(label, to: receiver, isOwn: isOwn)
        case .transfer(let deposit): return [.init(label, "transfers \(deposit.near)")]
        case .stake(let amount, let key):
            return [.init(label, "stakes \(amount.near) with the validator key \(key.text)")]
        case .addKey(let key, let access):
            return [.init(label, "adds the key \(key.text)")] + access.lines
        case .deleteKey(let key): return [.init(label, "deletes the key \(key.text)")]
        case .deleteAccount(let beneficiary):
            return [
                .init(
                    label,
                    "deletes the account; its NEAR goes to \(beneficiary), and is burned if "
                        + "that is the deleted account itself or does not exist"
                )
            ]
        case .delegate(let signed), .delegateV2(let signed):
            return [.init(label, "carries out a delegate action, and pays what is in it")]
                + signed.action.lines("inside", isOwn: false)
        case .deployGlobalContract(let code, let mode):
            let name = mode == .codeHash ? "its hash" : "the account"
            return [
                .init(label, "deploys \(code.words) for everyone, under \(name)"),
                .init("code SHA-256", Hex.encode(Digest.sha256(code.span).span)),
            ]
        case .useGlobalContract(let code):
            return [.init(label, "runs from now on \(code.words)")]
        case .deterministicStateInit(let state, let deposit):
            return [
                .init(
                    label,
                    "creates an account with \(deposit.near), \(state.data.count) entries of "
                        + "state, and \(state.code.words)"
                ),
                .init("state SHA-256", Hex.encode(Digest.sha256(state.bytes.span).span)),
            ]
        case .transferToGasKey(let key, let deposit):
            return [.init(label, "moves \(deposit.near) to the gas key \(key.text)")]
        case .withdrawFromGasKey(let key, let amount):
            return [.init(label, "takes \(amount.near) from the gas key \(key.text)")]
        }
    }
}

extension [NEARAction] {
    /// Returns lines for a transfer that creates the receiver; no node is asked.
    fileprivate func words(ofReceiver receiver: String) -> [Summary.Line] {
        guard contains(where: { if case .transfer = $0 { true } else { false } }) else { return [] }
        let owner: String
        switch NEARAccountKind(receiver) {
        case .implicit:
            guard let key = try? Hex.decode(receiver) else { return [] }
            owner = "the holder of the key \(KeyText.ed25519(key))"
        case .ethImplicit: owner = "the holder of this Ethereum address"
        case .deterministic: owner = "the contract with this name"
        case .universal, .named: return []
        }
        return [.init("receiver is", "\(owner); this creates the account if it does not exist")]
    }

    /// Returns the lines of all actions, numbered.
    fileprivate func lines(to receiver: String, isOwn: Bool) -> [Summary.Line] {
        enumerated().flatMap { index, action in
            action.lines("action \(index + 1)", to: receiver, isOwn: isOwn)
        }
    }
}

extension FunctionCall {
    fileprivate func lines(
        _ label: String, to contract: String, isOwn: Bool
    ) -> [Summary.Line] {
        let meaning = CallMeaning(of: self, by: contract)
        let phrase = meaning?.phrase(isOwn: isOwn)
        var lines = [
            Summary.Line(label, phrase.map { "asks \(contract) to \($0)" } ?? "calls a method")
        ]
        lines += contentLines
        if let meaning { lines += meaning.lines }
        if meaning == nil, TokenCall(self) != nil {
            lines.append(.init("tokens", "move, but how cannot be read here"))
        }
        lines.append(.init("deposit", deposit.near))
        lines.append(.init("gas", AmountUnit.gas.text(of: Int128(gas))))
        return lines
    }

    /// The method and the arguments as they are.
    var contentLines: [Summary.Line] {
        let content: Summary.Line
        if args.isEmpty {
            content = .init("arguments", "none")
        } else if let text = String(validating: args, as: UTF8.self) {
            content = .init("arguments", text, by: .client)
        } else {
            content = .init("arguments", "\(args.count) bytes, hex \(Hex.encode(args.span))")
        }
        return [.init("method", method, by: .client), content]
    }
}

extension AccessKey {
    fileprivate var lines: [Summary.Line] {
        var lines: [Summary.Line] = []
        if isFullAccess { lines.append(.init("key may", "do everything the account may")) }
        if let gasKey {
            lines.append(
                .init(
                    "gas key",
                    "\(gasKey.nonceCount) lanes of nonces, and a balance of \(gasKey.balance.near)"
                ))
        }
        guard let bounds else { return lines }
        lines.append(.init("key may call", bounds.receiver, by: .client))
        if bounds.methods.isEmpty { lines.append(.init("methods", "any")) }
        // One method on each line: in a list, one name could look like two.
        lines += bounds.methods.map { .init("method", $0, by: .client) }
        lines.append(
            .init("allowance", bounds.allowance.map(\.near) ?? "unlimited, for gas"))
        return lines
    }
}

extension ContractIdentifier {
    /// The code in words.
    var words: String {
        switch self {
        case .codeHash(let hash): "the code of SHA-256 \(Hex.encode(hash.span))"
        case .account(let account): "the code of \(account), with later changes"
        }
    }
}

extension [UInt8] {
    /// The size of the code in words.
    fileprivate var words: String { "\(count) bytes of code" }
}

extension NEARTransaction {
    /// Returns the transaction in lines; `aging` are the bytes that are filled in later.
    func lines(aging: [Range<Int>] = []) -> [Summary.Line] {
        var lines = [Summary.Line("account", signer), Summary.Line("receiver", receiver)]
        lines += actions.words(ofReceiver: receiver)
        if case .v1(let index, let isStrict) = version {
            let lane = index.map { ", lane \($0) of a gas key" } ?? ""
            lines.append(.init("version", "1\(lane)\(isStrict ? ", in strict order" : "")"))
        }
        lines += actions.lines(to: receiver, isOwn: true)
        let (isNonceLate, isBlockLate) = (
            aging.contains(places.nonce), aging.contains(places.blockHash)
        )
        lines.append(.init("nonce", isNonceLate ? Self.nextNonce : String(nonce)))
        lines.append(
            .init("block", isBlockLate ? Self.latestBlock : Base58.encode(blockHash.span)))
        return lines
    }
}

extension DelegateAction {
    /// Returns the delegate action in lines.
    ///
    /// `late` says which values are filled in when it is signed, and its validity in blocks from
    /// then on; `isOwn` says that its sender is the signer of the request.
    func lines(
        _ label: String, late: (nonce: Bool, blocks: UInt64?) = (false, nil), isOwn: Bool = true
    ) -> [Summary.Line] {
        var lines = [Summary.Line("sender", sender), Summary.Line("receiver", receiver)]
        lines += actions.words(ofReceiver: receiver)
        lines += actions.lines(to: receiver, isOwn: isOwn)
        let lane = nonceIndex.map { ", lane \($0) of a gas key" } ?? ""
        lines.append(
            .init("nonce", late.nonce ? NEARTransaction.nextNonce : "\(nonce)\(lane)"))
        lines.append(
            .init(
                "until block",
                late.blocks.map { "the \($0)th after the one it is signed at" }
                    ?? String(maxBlockHeight)))
        return lines.map { Summary.Line("\(label) \($0.label)", $0.text, by: $0.author) }
    }
}

extension NEARTransaction {
    static let nextNonce = "the next one of the key, when it is signed"
    private static let latestBlock = "the latest final one, when it is signed"
}

extension UInt128 {
    /// The amount for people; an amount above the total supply is in yoctoNEAR.
    var near: String {
        guard let amount = Int128(exactly: self) else { return "\(self) yoctoNEAR" }
        return AmountUnit.near.text(of: amount)
    }
}
