// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCore

extension CommandLineTool {
    static let algorandRekey = Command(
        name: "algorand rekey",
        options: AlgorandSending.options + [Confirmation.option], operands: 1...1,
        summary: "let another key control an account",
        usage: """
            usage: countersign algorand rekey [OPTION...] ADDRESS

            options: --account ACCOUNT, --network NET, --client NAME, --algod URL, --fee AMOUNT,
                     --out FILE, --confirm NAME

            Hands the control of an account to the key of ADDRESS. The key that signs for it now,
            and its backup words, no longer do. You are asked twice: by this command for the
            address, which --confirm gives where there is no terminal, and as for every request.
            With ADDRESS of the account itself its own key signs again. The other options are those
            of "algorand send".

            example: countersign algorand rekey --algod "$URL" --account savings "$ADDRESS"
            """
    ) { invocation in
        let text = try invocation.operand(0)
        let key = try AlgorandText.address(text, "ADDRESS")
        let sending = try await AlgorandSending(invocation)
        try Confirmation(of: text, before: "the account stays as it is").read(invocation) {
            key == sending.sender
                ? """
                The account's own key signs for it again, and no other key does.
                  account  \(sending.address)

                """
                : """
                You lose this account unless you have the key of the other address.
                  account       \(sending.address)
                  handed to     \(text)
                  what is lost  the power of the key that signs for the account now, of its
                                backup words and of every copy: they move nothing any more

                """
        }
        return try await sending.send(
            .pay, "the key of \(text) controls \(sending.address)"
        ) { fields in
            fields.add("rcv", sending.sender)
            fields.add("rekey", key)
        }
    }

    static let algorandKeyreg = Command(
        name: "algorand keyreg",
        options: AlgorandSending.options + [Option(name: "--offline", value: nil)]
            + keyregOptions.map { Option(name: $0.name, value: $0.value) },
        operands: 0...0,
        summary: "take part in consensus, or stop it",
        usage: """
            usage: countersign algorand keyreg [OPTION...] --offline | KEYS

            options: --account ACCOUNT, --network NET, --client NAME, --algod URL, --fee AMOUNT,
                     --out FILE, --offline, --vote-key BASE64, --selection-key BASE64,
                     --state-proof-key BASE64, --first ROUND, --last ROUND, --dilution N

            Registers the participation keys of your node for an account, so that it takes part in
            consensus, or takes it offline. KEYS are --vote-key, --selection-key,
            --state-proof-key, --first, --last and --dilution, as "goal account partkeyinfo" prints
            them. These keys spend nothing. A --fee of 2 ALGO asks for rewards. The other options
            are those of "algorand send".

            example: countersign algorand keyreg --algod "$URL" --offline
            """
    ) { invocation in
        let arguments = invocation.arguments
        let given = keyregOptions.filter { arguments.has($0.name) }
        let isOffline = arguments.has("--offline")
        guard isOffline ? given.isEmpty : given.count == keyregOptions.count else {
            let missing = keyregOptions.first { !arguments.has($0.name) }
            throw isOffline
                ? CLIError.usage(
                    "--offline and \(given[0].name) do not go together",
                    hint: "leave out one of them")
                : CLIError.usage(
                    "\(missing?.name ?? "a key") is missing",
                    hint: "give all values of the keys, or --offline")
        }
        var fields = FieldWriter()
        for option in given {
            let text = try arguments.required(option.name)
            if let count = option.bytesCount {
                fields.add(option.field, try bytes(text, option.name, count: count))
            } else {
                fields.add(option.field, try AlgorandText.number(text, option.name))
            }
        }
        let sending = try await AlgorandSending(invocation)
        let deed = "\(sending.address) goes \(isOffline ? "offline" : "online")"
        let keys = fields
        return try await sending.send(.keyreg, deed) { $0 = keys }
    }

    /// The options for going online, with the fields of the transaction; keys have a length.
    private static let keyregOptions:
        [(name: String, value: String, field: String, bytesCount: Int?)] = [
            ("--vote-key", "BASE64", "votekey", 32), ("--selection-key", "BASE64", "selkey", 32),
            ("--state-proof-key", "BASE64", "sprfkey", 64), ("--first", "ROUND", "votefst", nil),
            ("--last", "ROUND", "votelst", nil), ("--dilution", "N", "votekd", nil),
        ]

    private static func bytes(_ text: String, _ name: String, count: Int) throws -> [UInt8] {
        let bytes = try? Base64.decode(text, alphabet: .either, padding: .optional)
        guard let bytes, bytes.count == count else {
            throw CLIError.usage(
                "\(name) is not \(count) bytes in Base64",
                hint: "copy it from \"goal account partkeyinfo\"")
        }
        return bytes
    }
}

extension AlgorandText {
    /// Reads a whole number above zero; `name` is that of the argument.
    static func number(_ text: String, _ name: String) throws -> UInt64 {
        guard let units = DecimalAmount.units(text, decimals: 0),
            let number = UInt64(exactly: units),
            number > 0
        else {
            throw CLIError.usage(
                "\(name) \"\(VisibleText.quotable(text))\" is not a whole number above zero",
                hint: "write digits alone")
        }
        return number
    }
}
