// SPDX-License-Identifier: Apache-2.0

import Algorand
import AlgorandCourier
import SigningCodecs
import SigningCore
import SigningService

/// A transaction that a command builds, has signed and posts.
struct AlgorandSending {
    /// The options of every command that posts a transaction.
    static let options = [
        Option(name: "--account", value: "ACCOUNT", offers: .stored(.addresses(.algorand))),
        Option(name: "--network", value: "NET", offers: .networks),
        Option(name: "--client", value: "NAME"), AlgorandNodes.option,
        Option(name: "--fee", value: "AMOUNT"), Option(name: "--out", value: "FILE"),
    ]

    /// The public key of the account that sends.
    let sender: [UInt8]
    let network: AlgorandNetwork
    private let invocation: Invocation
    private let home: CommandHome

    var address: String { AlgorandAddress.text(publicKey: sender.span) }

    /// Finds the account and the network of a command.
    init(_ invocation: Invocation) async throws {
        self.invocation = invocation
        home = try await CommandHome(invocation)
        let held = try await home.keys(of: .algorand)
        let arguments = invocation.arguments
        let key: HeldKey?
        if let name = arguments.value("--account") {
            key = held.first { $0.name == name || $0.address == name }
            // Watched accounts have other keys that sign; the wire refuses accounts without any.
            sender = try key?.algorandKey ?? AlgorandText.address(name, "--account")
        } else {
            guard held.count == 1 else {
                throw CLIError.usage(
                    held.isEmpty
                        ? "this home has no Algorand key"
                        : "--account is missing, and this home has several Algorand keys",
                    hint: "see \"countersign key list\"")
            }
            key = held[0]
            sender = try held[0].algorandKey
        }
        let name = arguments.value("--network") ?? key?.network ?? "mainnet"
        network = try AlgorandNodes.network(named: name, invocation)
    }

    /// Builds a transaction of a type, has it signed and posted, and prints what became of it.
    ///
    /// `deed` says what the transaction does once it is in a block, and `write` adds the fields of
    /// the type. With --out the unsigned transaction goes to a file instead.
    func send(
        _ type: TransactionType, _ deed: String, note: [UInt8] = [],
        _ write: (inout FieldWriter) -> Void
    ) async throws -> ExitStatus {
        var fields = FieldWriter()
        write(&fields)
        fields.addUnlessEmpty("note", note)
        let (bytes, fee) = try await transaction(type, fields)
        if let path = invocation.arguments.value("--out") {
            try NewFile.write(bytes, to: path)
            let text = Base64.encode(bytes.span)
            invocation.console.done(
                ["txn": .string(text)],
                "nothing is signed or sent: \(VisibleText.escaped(path)) has the transaction")
            return .done
        }
        let item: JSON = ["txn": .string(Base64.encode(bytes.span))]
        let answering = try await AlgorandCall(
            method: "sign_and_post_transactions",
            params: [.init(name: "txns", value: .array([item]))],
            client: invocation.arguments.value("--client") ?? NEARCall.clientDefault
        )
        .answer(invocation, in: home)
        if let reply = answering.message {
            put(reply, deed, fee: fee, isDone: answering.status == .done)
        }
        return answering.finish()
    }

    /// Completes a transaction with what the node suggests, and checks it as a request is checked.
    private func transaction(
        _ type: TransactionType, _ own: FieldWriter
    ) async throws -> (bytes: [UInt8], fee: UInt64) {
        let stated = try invocation.arguments.value("--fee").map(AlgorandText.amount)
        let suggestion = try await suggestion()
        let round = suggestion.network.lastRound
        let (last, isTooLate) = round.addingReportingOverflow(Transaction.validRoundsMax)
        guard !isTooLate else {
            throw CLIError("the node says an impossible round", hint: AlgorandNodes.askHint)
        }
        var fields = own
        fields.add("fv", round)
        fields.add("gen", network.genesisID)
        fields.add("gh", network.genesisHash)
        fields.add("lv", last)
        fields.add("snd", sender)
        fields.add("type", type.rawValue)
        let fee = try stated ?? Self.fee(suggestion, bytesCount: fields.map.encode().count)
        fields.add("fee", fee)
        let bytes = fields.map.encode()
        do throws(AlgorandRefusal) {
            _ = try Transaction(canonical: bytes.span)
        } catch {
            throw CLIError.usage(
                "this is not a transaction that a network takes: "
                    + VisibleText.escaped(error.message), hint: invocation.arguments.helpHint)
        }
        return (bytes, fee)
    }

    private func suggestion() async throws -> AlgodSuggestion {
        let node = try AlgorandNodes.node(of: network, invocation)
        let suggestion: AlgodSuggestion
        do throws(AlgodError) {
            suggestion = try await node.algod.suggestion()
        } catch {
            throw CLIError(error.text, hint: AlgorandNodes.askHint)
        }
        guard suggestion.network.genesisHash == network.genesisHash else {
            guard network.name == nil else {
                throw CLIError(
                    node.otherNetwork, hint: NetworkText.resetHint(network.policyName))
            }
            throw CLIError(
                "the node is on another network, and \(network.policyName) is meant",
                hint: "give a node of \(network.policyName) with --algod, or another --network")
        }
        return suggestion
    }

    /// The fee that the node suggests; a high one is paid only if the owner states it.
    private static func fee(
        _ suggestion: AlgodSuggestion, bytesCount: Int
    ) throws -> UInt64 {
        let signedCount = UInt64(bytesCount + signatureBytesCount)
        let (busy, isTooHigh) = suggestion.feePerByte.multipliedReportingOverflow(by: signedCount)
        let fee = max(suggestion.feeMin, isTooHigh ? .max : busy)
        guard fee <= feeMax else {
            let text = AmountUnit.algo.text(of: Int128(fee))
            throw CLIError(
                "the node says that the fee is \(text), which is a lot",
                hint: "to pay it: --fee \"\(text)\"")
        }
        return fee
    }

    /// The bytes that one signature adds to a transaction, with the names of its fields.
    private static let signatureBytesCount = 75
    /// The highest fee that is paid because a node reports it: ten times the usual one.
    private static let feeMax: UInt64 = 10_000

    /// Errors are printed elsewhere, so without an id there is nothing to add in words.
    private func put(_ reply: [UInt8], _ deed: String, fee: UInt64, isDone: Bool) {
        let console = invocation.console
        let id = (try? JSON.parse(reply.span))?["result"]?["txnIDs"]?.list?.first?.text
        guard !console.isJSON else { return console.put(reply) }
        guard isDone, let id else { return }
        guard !console.isQuiet else { return console.put(id) }
        console.put("posted: \(deed)")
        console.put("  transaction    \(VisibleText.escaped(id))")
        console.put("  fee            \(AmountUnit.algo.text(of: Int128(fee)))")
        console.put("  the node says  accepted; it counts once the network has it in a block")
    }
}

extension HeldKey {
    /// The public key that identifies the account.
    fileprivate var algorandKey: [UInt8] {
        get throws { try AlgorandText.address(address, "the address of \(name)") }
    }
}

/// The values that people write in commands about Algorand.
enum AlgorandText {
    /// Reads an address; `name` is that of the argument.
    static func address(_ text: String, _ name: String) throws -> [UInt8] {
        do throws(CodecError) {
            return try AlgorandAddress.parse(text)
        } catch {
            throw CLIError.usage(
                "\(name) is not an Algorand address: \(error.text)",
                hint: "compare it with the address that you were given")
        }
    }

    /// Converts `1.5`, `1.5 ALGO` or `3 microAlgo` to microAlgo.
    static func amount(_ text: String) throws -> UInt64 {
        let words = text.split(separator: " ")
        let unit = words.count == 2 ? words[1].lowercased() : "algo"
        guard (1...2).contains(words.count), ["algo", "microalgo"].contains(unit),
            let units = DecimalAmount.units(String(words[0]), decimals: unit == "algo" ? 6 : 0),
            let amount = UInt64(exactly: units)
        else {
            throw CLIError.usage(
                "\"\(VisibleText.quotable(text))\" is not an amount",
                hint: "write 1.5, \"1.5 ALGO\" or \"3 microAlgo\"")
        }
        return amount
    }

    /// Reads the id of an asset or an application; `name` is that of the argument.
    static func id(_ text: String, _ name: String) throws -> UInt64 {
        guard let id = DecimalAmount.units(text, decimals: 0).flatMap({ UInt64(exactly: $0) }),
            id > 0
        else {
            throw CLIError.usage(
                "\(name) \"\(VisibleText.quotable(text))\" is not an id",
                hint: "write its number, such as 31566704")
        }
        return id
    }

    /// Reads the amount of an asset in its smallest units.
    static func units(_ text: String, _ arguments: Arguments) throws -> UInt64 {
        UInt64(
            try DecimalAmount.units(
                ofToken: text, arguments, decimalsMax: decimalsMax, unitsMax: UInt128(UInt64.max)))
    }

    /// The most decimals of an asset.
    private static let decimalsMax = 19
}
