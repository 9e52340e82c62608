// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCore

extension CommandLineTool {
    static let algorandOptIn = Command(
        name: "algorand opt-in", options: AlgorandSending.options, operands: 1...1,
        summary: "let an account hold an asset",
        usage: """
            usage: countersign algorand opt-in [OPTION...] ASSET

            options: --account ACCOUNT, --network NET, --client NAME, --algod URL, --fee AMOUNT,
                     --out FILE

            Lets an account hold an asset, which locks 0.1 ALGO of it, and prints what the node
            says. ASSET is the id of the asset. The options are those of "algorand send".

            example: countersign algorand opt-in --algod "$URL" 31566704
            """
    ) { invocation in
        let asset = try AlgorandText.id(try invocation.operand(0), "ASSET")
        let sending = try await AlgorandSending(invocation)
        return try await sending.send(.axfer, "\(sending.address) accepts asset \(asset)") {
            fields in
            fields.add("arcv", sending.sender)
            fields.add("xaid", asset)
        }
    }

    static let algorandOptOut = Command(
        name: "algorand opt-out", options: AlgorandSending.options + [Confirmation.option],
        operands: 2...2,
        summary: "give all of an asset away, and no longer hold it",
        usage: """
            usage: countersign algorand opt-out [OPTION...] ASSET RECEIVER

            options: --account ACCOUNT, --network NET, --client NAME, --algod URL, --fee AMOUNT,
                     --out FILE, --confirm NAME

            Sends all that an account has of an asset to RECEIVER, whose address is asked for once
            more, and unlocks the 0.1 ALGO. The receiver has to hold the asset, or must have made
            it. ASSET is the id of the asset. --confirm gives the address of the receiver where
            there is no terminal. The other options are those of "algorand send".

            example: countersign algorand opt-out --algod "$URL" 31566704 "$RECEIVER"
            """
    ) { invocation in
        let asset = try AlgorandText.id(try invocation.operand(0), "ASSET")
        let text = try invocation.operand(1)
        let receiver = try AlgorandText.address(text, "RECEIVER")
        let sending = try await AlgorandSending(invocation)
        guard receiver != sending.sender else {
            throw CLIError.usage(
                "RECEIVER is the account itself", hint: "give the address of another account")
        }
        try Confirmation(of: text, before: "the asset stays").read(invocation) {
            """
            You give away all you have of asset \(asset).
              from  \(sending.address)
              to    \(text)

            """
        }
        let deed = "all of asset \(asset) to \(text), and the account no longer holds it"
        return try await sending.send(.axfer, deed) { fields in
            fields.add("aclose", receiver)
            fields.add("arcv", receiver)
            fields.add("xaid", asset)
        }
    }
}
