// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// The report on one transaction that a command had signed and sent.
struct SentReport {
    /// The act in the past tense, such as `1.5 NEAR sent to bob.near`.
    let deed: String

    /// Prints the reply unchanged with --json, the hash alone with --quiet, and words otherwise.
    ///
    /// `isDone` says whether the node reported that the transaction was carried out. Errors are
    /// printed elsewhere, so without an outcome there is nothing to add.
    func put(_ reply: [UInt8], isDone: Bool, on console: Console) {
        let json = try? JSON.parse(reply.span, limits: Self.limits)
        guard !console.isJSON, let json else { return console.put(reply) }
        guard let outcome = isDone ? json["result"] : json["error"]?["outcomes"]?.list?.first
        else { return }
        let hash = VisibleText.escaped(outcome["transaction"]?["hash"]?.text ?? "")
        // A program that reads a hash takes it for that of a transaction that was carried out.
        guard !console.isQuiet else { return isDone ? console.put(hash) : () }
        if isDone { console.put(deed) }
        console.put("  transaction    \(hash)")
        console.put("  the node says  \(isDone ? Self.success(outcome) : Self.failure(outcome))")
        if let value = Self.returned(outcome) { console.put("  returned       \(value)") }
    }

    private static func success(_ outcome: JSON) -> String {
        outcome["final_execution_status"]?.text == "EXECUTED_OPTIMISTIC"
            ? "carried out, in a block that is not final yet" : "carried out"
    }

    /// The reason of a failure in the words of the chain.
    private static func failure(_ outcome: JSON) -> String {
        let error = outcome["status"]?["Failure"]
        let kind = error?["ActionError"]?["kind"]
        let text = kind?["FunctionCallError"]?["ExecutionError"]?.text
        let raw = (kind ?? error).map { String(decoding: $0.writeASCII(), as: UTF8.self) }
        return "failed: " + VisibleText.escaped(text ?? raw ?? "no reason", countMax: textMax)
    }

    /// The text that a call returned; nil if there is none.
    private static func returned(_ outcome: JSON) -> String? {
        guard let text = outcome["status"]?["SuccessValue"]?.text, !text.isEmpty,
            let bytes = try? Base64.decode(text)
        else { return nil }
        guard let value = String(validating: bytes, as: UTF8.self) else {
            return "\(bytes.count) bytes that are not text"
        }
        return VisibleText.escaped(value, countMax: textMax)
    }

    /// The longest text of a contract that is printed, in scalars.
    private static let textMax = 1_000
    private static let limits = JSONLimits(bytesMax: 8 << 20, depthMax: 64, valuesMax: 600_000)
}

extension NEARCall {
    /// The call that signs and sends one transaction.
    init(sending actions: [JSON], to receiver: String, _ arguments: Arguments) {
        self.init(
            "signAndSendTransaction", arguments,
            [.text("receiverId", receiver), .init(name: "actions", value: .array(actions))])
    }

    /// Sends the call through the hub and reports what became of the transaction.
    func send(_ invocation: Invocation, _ deed: String) async throws -> ExitStatus {
        let answering = try await answer(invocation)
        if let reply = answering.message {
            SentReport(deed: VisibleText.escaped(deed)).put(
                reply, isDone: answering.status == .done, on: invocation.console)
        }
        return answering.finish()
    }

    /// A call of a method; the arguments go as bytes, so that a JSON object with numbers as member
    /// names is not read as bytes.
    static func action(
        _ method: String, _ arguments: [UInt8], gas: String, deposit: UInt128
    ) -> JSON {
        [
            "type": "FunctionCall",
            "params": [
                "methodName": .string(method), "args": .string(Base64.encode(arguments.span)),
                "gas": .string(gas), "deposit": .string(String(deposit)),
            ],
        ]
    }
}
