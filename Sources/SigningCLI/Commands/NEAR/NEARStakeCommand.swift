// SPDX-License-Identifier: Apache-2.0

import NEAR
import SigningCodecs
import SigningCore

extension CommandLineTool {
    static let nearStake = Command(
        name: "near stake",
        options: NEARCall.options + [
            Option(name: "--unstake", value: nil), Option(name: "--withdraw", value: nil),
        ], operands: 2...2,
        summary: "stake NEAR with a staking pool, or take it back",
        usage: """
            usage: countersign near stake [OPTION...] POOL AMOUNT

            options: --account ID, --network NET, --client NAME, --rpc URL, --unstake, --withdraw

            Stakes NEAR with a staking pool and prints the outcome; with --quiet the hash of the
            transaction alone, with --json the node's answer. AMOUNT is 1.5, "1.5 NEAR" or
            "3 yoctoNEAR". --unstake asks the pool to unstake AMOUNT, which takes it two to three
            days; --withdraw then asks it to pay AMOUNT back. "all" takes back everything.

            example: countersign near stake --rpc "$URL" astro-stakers.poolv1.near 100
            """
    ) { invocation in
        let arguments = invocation.arguments
        let pool = try invocation.operand(0)
        let (call, deed) = try stakingCall(try invocation.operand(1), arguments)
        return try await NEARCall(sending: [call], to: pool, arguments)
            .send(invocation, "\(deed) \(pool)")
    }

    /// The call of the pool's method, and its words.
    private static func stakingCall(
        _ text: String, _ arguments: Arguments
    ) throws -> (call: JSON, deed: String) {
        let isAll = text == "all"
        let gas = try NEARText.gas("50")
        guard let method = ["unstake", "withdraw"].first(where: { arguments.has("--\($0)") }) else {
            let amount = try isAll ? 0 : NEARText.amount(text)
            guard amount > 0 else {
                throw CLIError.usage(
                    "\"\(VisibleText.quotable(text))\" is nothing to stake",
                    hint: "write an amount such as 100")
            }
            let call = NEARCall.action(
                "deposit_and_stake", Array("{}".utf8), gas: gas, deposit: amount)
            return (call, "\(NEARAmount.formatNEAR(amount)) NEAR staked with")
        }
        guard !arguments.has("--unstake") || !arguments.has("--withdraw") else {
            throw CLIError.usage(
                "--unstake and --withdraw do not go together",
                hint: "withdraw two to three days after you unstake")
        }
        let asked = method == "unstake" ? "asked to be unstaked by" : "asked back from"
        guard !isAll else {
            return (
                NEARCall.action("\(method)_all", Array("{}".utf8), gas: gas, deposit: 0),
                "everything \(asked)"
            )
        }
        let amount = try NEARText.amount(text)
        let members: JSON = ["amount": .string(String(amount))]
        return (
            NEARCall.action(method, members.write(), gas: gas, deposit: 0),
            "\(NEARAmount.formatNEAR(amount)) NEAR \(asked)"
        )
    }
}
