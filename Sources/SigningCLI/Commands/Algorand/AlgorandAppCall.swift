// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCore

extension CommandLineTool {
    static let algorandAppCall = Command(
        name: "algorand app call",
        options: AlgorandSending.options + [
            Option(name: "--arg", value: "FORM:VALUE", isRepeatable: true),
            Option(
                name: "--on-complete", value: "ACTION", offers: .fixed(actions.map(\.name))),
            Option(name: "--with-account", value: "ADDRESS", isRepeatable: true),
            Option(name: "--with-asset", value: "ID", isRepeatable: true),
            Option(name: "--with-app", value: "ID", isRepeatable: true),
            Option(name: "--with-box", value: "FORM:VALUE", isRepeatable: true),
            Option(name: "--note", value: "TEXT"),
        ], operands: 1...1,
        summary: "call an application",
        usage: """
            usage: countersign algorand app call [OPTION...] APP

            options: --account ACCOUNT, --network NET, --client NAME, --algod URL, --fee AMOUNT,
                     --out FILE, --arg FORM:VALUE, --on-complete ACTION, --with-account ADDRESS,
                     --with-asset ID, --with-app ID, --with-box FORM:VALUE, --note TEXT

            Calls an application and prints what the node says. APP is the id of the application.
            FORM is text, int (8 bytes), base64, hex or address; the first argument of an ARC-4
            method is its selector, such as hex:fe6bdf69. ACTION is noop (the default), optin,
            closeout, clear or delete. The accounts, assets, applications and boxes are those that
            the call may use; --arg and these can be given several times, in order. The other
            options are those of "algorand send".

            example: countersign algorand app call --algod "$URL" --arg text:vote --arg int:2 1234
            """
    ) { invocation in
        let arguments = invocation.arguments
        let app = try AlgorandText.id(try invocation.operand(0), "APP")
        var fields = FieldWriter()
        fields.add("apid", app)
        fields.add("apan", try action(arguments).rawValue)
        fields.add(
            "apaa",
            try arguments.values("--arg").map { .binary(try AppArgument.bytes($0, "--arg")) })
        fields.add(
            "apat",
            try arguments.values("--with-account").map {
                .binary(try AlgorandText.address($0, "--with-account"))
            })
        fields.add("apas", try ids("--with-asset", arguments))
        fields.add("apfa", try ids("--with-app", arguments))
        fields.add(
            "apbx",
            try arguments.values("--with-box").map { text in
                var box = FieldWriter()
                box.addUnlessEmpty("n", try AppArgument.bytes(text, "--with-box"))
                return box.map
            })
        let call = fields
        return try await AlgorandSending(invocation).send(
            .appl, "a call of application \(app)",
            note: Array((arguments.value("--note") ?? "").utf8)
        ) { $0 = call }
    }

    /// The actions that need no program.
    private static let actions: [ApplicationCall.OnCompletion] = [
        .noOp, .optIn, .closeOut, .clearState, .delete,
    ]

    private static func action(
        _ arguments: Arguments
    ) throws -> ApplicationCall.OnCompletion {
        guard let name = arguments.value("--on-complete") else { return .noOp }
        guard let action = actions.first(where: { $0.name == name }) else {
            throw CLIError.usage(
                "--on-complete \"\(VisibleText.quotable(name))\" is unknown",
                hint: "use one of \(actions.map(\.name).joined(separator: ", "))")
        }
        return action
    }

    private static func ids(_ option: String, _ arguments: Arguments) throws -> [MessagePack] {
        try arguments.values(option).map { .unsigned(try AlgorandText.id($0, option)) }
    }
}

/// An argument of an application call, written with its form as `int:5`.
enum AppArgument {
    /// The forms, with the short names that goal has for them.
    private static let forms = [
        "text": "text", "str": "text", "int": "int", "base64": "base64", "b64": "base64",
        "hex": "hex", "address": "address", "addr": "address",
    ]

    static func bytes(_ text: String, _ option: String) throws -> [UInt8] {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let form = forms[String(parts[0])] else {
            throw CLIError.usage(
                "\(option) \"\(VisibleText.quotable(text))\" has no known form",
                hint: "write text:hello, int:5, base64:AAE=, hex:0001 or address:ADDRESS")
        }
        let value = String(parts[1])
        let bytes: [UInt8]? =
            switch form {
            case "text": Array(value.utf8)
            case "int":
                DecimalAmount.units(value, decimals: 0).flatMap { UInt64(exactly: $0) }
                    .map { number in
                        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
                    }
            case "base64": try? Base64.decode(value, alphabet: .either, padding: .optional)
            case "hex": try? Hex.decode(value, upperCase: .allowed)
            default: try? AlgorandAddress.parse(value)
            }
        guard let bytes else {
            throw CLIError.usage(
                "\(option) \"\(VisibleText.quotable(text))\" is not of the form \(form)",
                hint: "write text:hello, int:5, base64:AAE=, hex:0001 or address:ADDRESS")
        }
        return bytes
    }
}
