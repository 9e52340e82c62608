// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCore

extension CommandLineTool {
    static let algorandSend = Command(
        name: "algorand send",
        options: AlgorandSending.options + [
            Option(name: "--asset", value: "ID"), DecimalAmount.option,
            Option(name: "--note", value: "TEXT"),
        ], operands: 1...2,
        summary: "send ALGO or assets",
        usage: """
            usage: countersign algorand send [OPTION...] RECEIVER [AMOUNT]

            options: --account ACCOUNT, --network NET, --client NAME, --algod URL, --fee AMOUNT,
                     --asset ID, --decimals N, --note TEXT, --out FILE

            Sends ALGO, and prints what the node says; with --quiet the id of the transaction alone,
            with --json the whole answer. RECEIVER is an address, or a payment URI (ARC-26), which
            may name the amount, the asset and the note. AMOUNT is 1.5, "1.5 ALGO" or
            "3 microAlgo". With --asset it is a whole number of the asset's smallest unit, or with
            --decimals N a number such as 12.5. ACCOUNT is the address or the name of the key, if
            there are several. The fee is what the node asks, at most 0.01 ALGO, or the given one.
            --out writes the unsigned transaction to a new FILE, for "algorand sign", and sends
            nothing. The access token of the node is read from COUNTERSIGN_ALGOD_TOKEN.

            example: countersign algorand send --algod "$URL" --note "for tea" "$RECEIVER" 1.5
            """
    ) { invocation in
        let payment = try AlgorandPayment(invocation)
        let sending = try await AlgorandSending(invocation)
        let receiver = AlgorandAddress.text(publicKey: payment.receiver.span)
        let deed = "\(payment.text) to \(receiver)"
        let note = payment.note
        guard let asset = payment.asset else {
            return try await sending.send(.pay, deed, note: note) { fields in
                fields.add("amt", payment.amount)
                fields.add("rcv", payment.receiver)
            }
        }
        return try await sending.send(.axfer, deed, note: note) { fields in
            fields.add("aamt", payment.amount)
            fields.add("arcv", payment.receiver)
            fields.add("xaid", asset)
        }
    }
}

/// The payment that the arguments of `algorand send` describe.
struct AlgorandPayment {
    let receiver: [UInt8]
    /// The amount in microAlgo, or in the smallest units of the asset.
    let amount: UInt64
    let asset: UInt64?
    let note: [UInt8]
    /// The amount as the owner or the URI writes it.
    let text: String

    init(_ invocation: Invocation) throws {
        let arguments = invocation.arguments
        let target = try invocation.operand(0)
        let uri = PaymentURI.isLikely(target) ? try PaymentURI(target) : nil
        let ownAmount = arguments.operands.dropFirst().first
        receiver = try uri?.receiver ?? AlgorandText.address(target, "RECEIVER")
        let asset = try Self.only(
            uri?.asset, "--asset",
            try arguments.value("--asset").map { text in
                try AlgorandText.id(text, "--asset")
            })
        note = Array(
            try Self.only(uri?.note, "--note", arguments.value("--note"))?.utf8 ?? "".utf8)
        guard asset != nil || !arguments.has(DecimalAmount.option.name) else {
            throw CLIError.usage(
                "--decimals is for assets", hint: "give --asset ID, or leave it out")
        }
        guard uri?.amount == nil || ownAmount == nil && !arguments.has(DecimalAmount.option.name)
        else {
            throw CLIError.usage(
                "the URI has the amount already", hint: "leave out AMOUNT and --decimals")
        }
        let given = try ownAmount.map { text in
            try asset == nil
                ? AlgorandText.amount(text) : AlgorandText.units(text, arguments)
        }
        guard let amount = uri?.amount ?? given else {
            throw CLIError.usage("AMOUNT is missing", hint: arguments.helpHint)
        }
        self.amount = amount
        self.asset = asset
        let unit = asset.map { "of asset \($0)" } ?? ""
        text =
            asset == nil
            ? AmountUnit.algo.text(of: Int128(amount))
            : "\(VisibleText.escaped(ownAmount ?? String(amount))) \(unit)"
    }

    /// The value of the URI or of the option; both are an error.
    private static func only<Value>(
        _ ofURI: Value?, _ option: String, _ ofOption: Value?
    ) throws -> Value? {
        guard ofURI == nil || ofOption == nil else {
            throw CLIError.usage(
                "the URI has what \(option) would set", hint: "leave out \(option)")
        }
        return ofURI ?? ofOption
    }
}
