// SPDX-License-Identifier: Apache-2.0

import NEAR
import NEP413
import SigningCodecs
import SigningCore
import SigningCrypto

/// A wallet call that a command builds; it passes the same checks as any other request.
struct NEARCall {
    /// The options of a call that needs no node.
    static let clientOptions = [
        Option(name: "--account", value: "ID", offers: .stored(.addresses(.near))),
        Option(name: "--network", value: "NET", offers: .networks),
        Option(name: "--client", value: "NAME"),
    ]
    static let options = clientOptions + [NEARNodes.option]

    /// The client name of a command without `--client`.
    static let clientDefault = "countersign"

    let method: String
    private(set) var params: [JSONObject.Member]

    init(
        _ method: String, _ arguments: Arguments, _ params: [JSONObject.Member] = []
    ) {
        self.method = method
        self.params = Self.clientMembers(arguments) + params
    }

    private static func clientMembers(_ arguments: Arguments) -> [JSONObject.Member] {
        [("--account", "signerId"), ("--network", "network")].compactMap { option, member in
            arguments.value(option).map { .init(name: member, value: .string($0)) }
        }
    }

    private var frame: [UInt8] {
        (["method": .string(method), "params": .object(JSONObject(params))] as JSON).write()
    }

    /// Sends the call through the hub.
    func answer(_ invocation: Invocation) async throws -> Answering {
        return try await Answering(
            invocation, frame, for: NEP413Adapter(), in: try await CommandHome(invocation),
            from: invocation.arguments.value("--client") ?? Self.clientDefault,
            spokenAs: .near(invocation.arguments.command))
    }

    /// Sends the call through the hub and prints the reply unchanged.
    func run(_ invocation: Invocation) async throws -> ExitStatus {
        let answering = try await answer(invocation)
        if let message = answering.message { invocation.console.put(message) }
        return answering.finish()
    }
}

extension JSONObject.Member {
    static func text(_ name: String, _ value: String) -> Self {
        .init(name: name, value: .string(value))
    }
}

extension Arguments {
    /// The call members for the given options.
    func members(_ pairs: [(option: String, member: String)]) -> [JSONObject.Member] {
        pairs.compactMap { option, member in
            value(option).map { .text(member, $0) }
        }
    }
}

/// Amounts in the notation of people.
enum NEARText {
    /// Converts `1.5`, `1.5 NEAR` or `3 yoctoNEAR` to yoctoNEAR.
    static func amount(_ text: String) throws -> UInt128 {
        let words = text.split(separator: " ")
        let unit = words.count == 2 ? words[1].lowercased() : "near"
        guard (1...2).contains(words.count), ["near", "yoctonear"].contains(unit),
            let amount = DecimalAmount.units(String(words[0]), decimals: unit == "near" ? 24 : 0)
        else {
            throw CLIError.usage(
                "\"\(VisibleText.quotable(text))\" is not an amount",
                hint: "write 1.5, \"1.5 NEAR\" or \"3 yoctoNEAR\"")
        }
        return amount
    }

    /// Converts `30`, `30 Tgas` or `30000000000000 gas` to gas.
    static func gas(_ text: String) throws -> String {
        let words = text.split(separator: " ")
        let unit = words.count == 2 ? words[1].lowercased() : "tgas"
        guard (1...2).contains(words.count), ["tgas", "gas"].contains(unit),
            let gas = DecimalAmount.units(String(words[0]), decimals: unit == "tgas" ? 12 : 0),
            gas <= gasMax
        else {
            throw CLIError.usage(
                "\"\(VisibleText.quotable(text))\" is not an amount of gas",
                hint: "write Tgas, such as 30 or \"30 Tgas\", at most 1000")
        }
        return String(gas)
    }

    /// The most gas of a call, as in the NEAR protocol: 1000 Tgas.
    private static let gasMax: UInt128 = 1_000_000_000_000_000
}
