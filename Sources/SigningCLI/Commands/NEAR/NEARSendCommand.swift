// SPDX-License-Identifier: Apache-2.0

import NEAR
import NEARCourier
import SigningCodecs
import SigningCore

extension CommandLineTool {
    static let nearSend = Command(
        name: "near send",
        options: NEARCall.options + [
            Option(name: "--token", value: "CONTRACT"), DecimalAmount.option,
            Option(name: "--deposit", value: "AMOUNT"), Option(name: "--memo", value: "TEXT"),
        ], operands: 2...2,
        summary: "send NEAR or tokens",
        usage: """
            usage: countersign near send [OPTION...] RECEIVER AMOUNT

            options: --account ID, --network NET, --client NAME, --rpc URL, --token CONTRACT,
                     --decimals N, --deposit AMOUNT, --memo TEXT

            Sends NEAR: looks up the nonce and the block, signs, waits for the outcome and prints
            it; with --quiet the hash of the transaction alone, with --json the node's answer.
            AMOUNT is 1.5, "1.5 NEAR" or "3 yoctoNEAR".

            With --token it sends tokens of CONTRACT (NEP-141). AMOUNT is then a whole number of
            the smallest unit, or with --decimals N a number such as 12.5. A receiver that the
            contract does not know yet is registered in the same transaction, which costs the
            storage deposit that the node reports, at most 0.1 NEAR. --deposit pays this AMOUNT of
            NEAR instead, without asking the node; 0 pays none.

            example: countersign near send --network testnet --rpc "$URL" bob.testnet 1.5
            """
    ) { invocation in
        let arguments = invocation.arguments
        let receiver = try invocation.operand(0)
        let text = try invocation.operand(1)
        if let token = arguments.value("--token") {
            let actions = try await tokenActions(token, to: receiver, text, invocation)
            return try await NEARCall(sending: actions, to: token, arguments)
                .send(invocation, "\(text) of \(token) sent to \(receiver)")
        }
        for option in ["--decimals", "--deposit", "--memo"] where arguments.has(option) {
            throw CLIError.usage(
                "\(option) is for tokens", hint: "give --token CONTRACT, or leave it out")
        }
        let amount = try NEARText.amount(text)
        let transfer: JSON = [
            "type": "Transfer", "params": ["deposit": .string(String(amount))],
        ]
        return try await NEARCall(sending: [transfer], to: receiver, arguments)
            .send(invocation, "\(NEARAmount.formatNEAR(amount)) NEAR sent to \(receiver)")
    }

    /// The storage deposit, if there is one, and the transfer.
    private static func tokenActions(
        _ token: String, to receiver: String, _ text: String, _ invocation: Invocation
    ) async throws -> [JSON] {
        let arguments = invocation.arguments
        for (id, name) in [(receiver, "the receiver"), (token, "--token")]
        where !NEARAccountID.isValid(id) {
            throw CLIError.usage(
                "\(name) is not a NEAR account id", hint: "write an account id such as alice.near")
        }
        let units = try DecimalAmount.units(ofToken: text, arguments, decimalsMax: decimalsMax)
        var members: [JSONObject.Member] = [
            .text("receiver_id", receiver), .text("amount", String(units)),
        ]
        if let memo = arguments.value("--memo") { members.append(.text("memo", memo)) }
        let transfer = NEARCall.action(
            "ft_transfer", JSON.object(JSONObject(members)).write(), gas: try NEARText.gas("30"),
            deposit: 1)
        let deposit = try await storageDeposit(at: token, for: receiver, invocation)
        guard deposit > 0 else { return [transfer] }
        let registering: JSON = ["account_id": .string(receiver), "registration_only": true]
        return [
            NEARCall.action(
                "storage_deposit", registering.write(), gas: try NEARText.gas("30"),
                deposit: deposit), transfer,
        ]
    }

    /// The deposit in yoctoNEAR that registers the receiver; 0 if none is to be paid.
    private static func storageDeposit(
        at token: String, for receiver: String, _ invocation: Invocation
    ) async throws -> UInt128 {
        if let text = invocation.arguments.value("--deposit") { return try NEARText.amount(text) }
        let network = try await NEARNodes.network(invocation)
        let node = try NEARNodes.node(network, invocation)
        let state: StorageState
        do throws(RPCError) {
            try await node.check(network)
            state = try await node.storage(of: receiver, at: token)
        } catch {
            throw CLIError(error)
        }
        guard case .missing(let least) = state else { return 0 }
        let shown = "\(NEARAmount.formatNEAR(least)) NEAR"
        guard least <= storageDepositMax else {
            throw CLIError(
                "the node says that registering \(receiver) costs \(shown), which is a lot",
                hint: "to pay it: --deposit \"\(shown)\"")
        }
        invocation.console.note(
            "\(token) does not know \(receiver) yet: \(shown) registers it, in the same "
                + "transaction")
        return least
    }

    /// The highest storage deposit that is paid because a node reports it, in yoctoNEAR: 0.1 NEAR,
    /// many times what tokens take.
    private static let storageDepositMax: UInt128 = 100_000_000_000_000_000_000_000

    /// The most decimals of a token whose amounts have 128 bits.
    private static let decimalsMax = 38
}
