// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

extension CommandLineTool {
    static let nearCall = Command(
        name: "near call",
        options: NEARCall.options + [
            Option(name: "--gas", value: "GAS"), Option(name: "--deposit", value: "AMOUNT"),
            Option(name: "--bytes", value: "BASE64"), Option(name: "--hex", value: "HEX"),
            Option(name: "--file", value: "FILE"),
        ], operands: 2...3,
        summary: "call a method of a contract",
        usage: """
            usage: countersign near call [OPTION...] CONTRACT METHOD [ARGUMENTS]

            options: --account ID, --network NET, --client NAME, --rpc URL, --gas GAS,
                     --deposit AMOUNT, --bytes BASE64, --hex HEX, --file FILE

            Calls a method of a contract and prints the outcome; with --quiet the hash of the
            transaction alone, with --json the node's answer. ARGUMENTS is JSON, such as an object
            or an array ({} by default), and is sent exactly as written. Arguments that are not
            JSON, such as Borsh, are given as Base64 or hex. FILE contains them in either form, - is
            standard input. GAS is 30, "30 Tgas" or "30000000000000 gas" (30 Tgas by default),
            AMOUNT is 1.5, "1.5 NEAR" or "3 yoctoNEAR" (0 by default).

            example: countersign near call --rpc "$URL" guest-book.near add_message '{"text":"hi"}'
            """
    ) { invocation in
        let contract = try invocation.operand(0)
        let method = try invocation.operand(1)
        let arguments = invocation.arguments
        let action = NEARCall.action(
            method, try callArguments(arguments),
            gas: try NEARText.gas(arguments.value("--gas") ?? "30"),
            deposit: try NEARText.amount(arguments.value("--deposit") ?? "0"))
        return try await NEARCall(sending: [action], to: contract, arguments)
            .send(invocation, "\(method) of \(contract) called")
    }

    /// The argument bytes of a contract call.
    static func callArguments(_ arguments: Arguments) throws -> [UInt8] {
        let operands = arguments.operands
        let given = ["--bytes", "--hex", "--file"].filter(arguments.has)
        guard given.count + max(0, operands.count - 2) <= 1 else {
            let names = (operands.count > 2 ? ["ARGUMENTS"] : []) + given
            throw CLIError.usage(
                "\(names[0]) and \(names[1]) do not go together", hint: "leave out one of them")
        }
        if let path = arguments.value("--file") { return try Source.read(path) }
        if let text = arguments.value("--bytes") {
            guard let bytes = try? Base64.decode(text, alphabet: .either, padding: .optional) else {
                throw CLIError.usage(
                    "--bytes \"\(VisibleText.quotable(text))\" is not Base64",
                    hint: "write --bytes \"$(base64 -w0 args.bin)\"")
            }
            return bytes
        }
        if let text = arguments.value("--hex") {
            guard let bytes = try? Hex.decode(text, upperCase: .allowed) else {
                throw CLIError.usage(
                    "--hex \"\(VisibleText.quotable(text))\" is not hexadecimal",
                    hint: "write two digits for each byte, such as 00ff")
            }
            return bytes
        }
        let text = Array((operands.count > 2 ? operands[2] : "{}").utf8)
        guard (try? JSON.parse(text.span)) != nil else {
            throw CLIError.usage(
                "ARGUMENTS is not JSON",
                hint: "write '{\"name\":\"value\"}', or give bytes with --bytes BASE64")
        }
        return text
    }
}
