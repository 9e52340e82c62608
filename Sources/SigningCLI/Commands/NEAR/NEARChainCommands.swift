// SPDX-License-Identifier: Apache-2.0

import NEAR
import NEARCourier
import SigningCodecs
import SigningCore

extension CommandLineTool {
    static let nearAccount = Command(
        name: "near account",
        options: [Option(name: "--network", value: "NET", offers: .networks), NEARNodes.option],
        operands: 1...1,
        operandOffers: [.stored(.addresses(.near))],
        summary: "show the state of an account on the chain",
        usage: """
            usage: countersign near account [--network NET] [--rpc URL] ID

            Shows the state of an account on the chain: its balance, its keys, and which of these
            keys are in this home. NET is mainnet by default.

            example: countersign near account --rpc "$URL" alice.near
            """
    ) { invocation in
        let id = try invocation.operand(0)
        guard NEARAccountID.isValid(id) else {
            throw CLIError.usage(
                "this is not a NEAR account id",
                hint: "write an account id such as alice.near")
        }
        let network = invocation.arguments.value("--network") ?? "mainnet"
        let node = try NEARNodes.node(network, invocation)
        let held = try invocation.workspace().accounts().filter {
            $0.protocolID == .near
        }
        do throws(RPCError) {
            try await node.check(network)
            let account = try await node.account(id)
            let keys = try await node.accessKeys(of: id)
            let names = keys.map { key in
                held.first { $0.address == id && text(of: $0) == key.publicKey }?.name
            }
            put(id, account, keys, names, invocation.console)
        } catch {
            throw CLIError(error)
        }
        return .done
    }

    private static func text(of account: Account) -> String {
        KeyText.ed25519(account.publicKey)
    }

    private static func put(
        _ id: String, _ account: AccountView,
        _ keys: [(publicKey: String, permission: AccessKeyPermission)], _ names: [String?],
        _ console: Console
    ) {
        guard !console.isJSON else {
            let rows = zip(keys, names).map { key, name -> JSON in
                [
                    "publicKey": .string(key.publicKey),
                    "permission": .string(key.permission.name),
                    "held": name.map { .string($0) } ?? .null,
                ]
            }
            let json: JSON = [
                "accountId": .string(id), "amount": .string(String(account.amount)),
                "locked": .string(String(account.locked)), "keys": .array(rows),
            ]
            console.put(json.write())
            return
        }
        console.put(id)
        console.put("  owns    \(NEARAmount.formatNEAR(account.amount)) NEAR")
        console.put("  staked  \(NEARAmount.formatNEAR(account.locked)) NEAR")
        for (key, name) in zip(keys, names) {
            let own = name.map { ", here as \($0)" } ?? ""
            console.put(
                "  key     \(VisibleText.escaped(key.publicKey))  \(key.permission.name)\(own)")
        }
    }

    static let nearUnsent = Command(
        name: "near unsent", options: [NEARNodes.option], operands: 0...0,
        summary: "list signed transactions that may not have arrived",
        usage: """
            usage: countersign near unsent [--rpc URL]

            Lists the signed transactions that may not have reached the chain, by account and nonce.
            Send them again in this order, so that none makes another invalid. If a node of the
            network is known, it is asked which nonces have passed: a transaction with such a nonce
            that was not carried out never will be. Needs no passphrase.

            example: countersign near unsent --json
            """
    ) { invocation in
        try await OutboxText.near.list(invocation)
    }

    static let nearResend = Command(
        name: "near resend", options: [NEARNodes.option], operands: 1...1,
        summary: "ask for the state of one, and send it again",
        usage: """
            usage: countersign near resend [--rpc URL] HASH

            Asks a node for the state of a transaction of "near unsent". If the node does not know
            it, the same bytes are sent again; the chain accepts them only once. Nothing is signed.

            example: countersign near resend --rpc "$URL" "$HASH"
            """
    ) { invocation in
        try await OutboxText.near.resend(invocation)
    }

    static let nearForget = Command(
        name: "near forget", options: [], operands: 1...1,
        summary: "remove a transaction from that list",
        usage: """
            usage: countersign near forget HASH

            Removes a transaction from the list of "near unsent". It may still take effect while its
            block hash is valid, about a day.

            example: countersign near forget "$HASH"
            """
    ) { invocation in
        try await OutboxText.near.forget(invocation)
    }

    static let nearCommands = [
        nearSignMessage, nearVerifyMessage, nearConnect, nearDisconnect, nearConnections,
        nearManifest, nearSend, nearCall, nearStake, nearSignTransaction, nearSendTransaction,
        nearSignDelegate, nearAccount, nearKeys, nearUnsent, nearResend, nearForget,
    ]
}

extension OutboxText {
    static let near = OutboxText(
        protocolID: .near, command: "near",
        names: Names(
            id: "transactionHash", sender: "account", bytes: "signedTransaction"),
        taken: "carried out", nodeHint: { NEARNodes.hint($0) }, askHint: NEARNodes.askHint)
}

extension AccessKeyPermission {
    /// The permission of the key, in a few words.
    fileprivate var name: String {
        switch self {
        case .fullAccess: "full access"
        case .functionCall(let receiver, _, _): "calls \(VisibleText.escaped(receiver))"
        case .gasKeyFullAccess: "gas key, full access"
        case .gasKeyFunctionCall(let receiver, _, _, _, _):
            "gas key, calls \(VisibleText.escaped(receiver))"
        }
    }
}
