// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCore
import SigningService

extension CommandLineTool {
    static let algorandSign = Command(
        name: "algorand sign",
        options: [Option(name: "--client", value: "NAME"), Option(name: "--out", value: "FILE")],
        operands: 1...1,
        summary: "sign the transactions in a file",
        usage: """
            usage: countersign algorand sign [--client NAME] [--out FILE] SOURCE

            Signs the transactions in SOURCE, a file that goal, algokey or an SDK wrote (.txn,
            .stxn), or - for standard input. The file may contain several transactions; groups have
            to be complete. Transactions that no key of this home can sign stay unchanged, and so do
            the signatures of other members of a multisignature account. With --out the signed
            transactions are written to a new FILE of the same kind; without it each is printed in
            Base64 on a line. Nothing is sent.

            example: countersign algorand sign --out pay.stxn pay.txn
            """
    ) { invocation in
        let items = try transactions(try Source.read(try invocation.operand(0)))
        let workspace = try invocation.workspace(toWrite: true)
        let accounts = try workspace.accounts().filter { $0.protocolID == .algorand }
        let held = Set(accounts.filter { !$0.isWatchOnly }.map(\.publicKey))
        let requests = items.map { item in
            item.request(
                isHeld: held.contains,
                kept: { address in
                    accounts.first { $0.publicKey == address && $0.multisig != nil }?
                        .multisig.map(Multisig.init)
                },
                isRekeyed: { address in
                    accounts.contains { $0.publicKey == address && $0.signedBy != nil }
                })
        }
        guard requests.contains(where: { $0 != nil }) else { throw nothingToSign(items) }
        let list = zip(items, requests).map { item, request in request ?? item.passed }
        let answering = try await AlgorandCall(
            method: "sign_transactions", params: [.init(name: "txns", value: .array(list))],
            client: invocation.arguments.value("--client") ?? NEARCall.clientDefault
        )
        .answer(invocation)
        if answering.status == .done, let reply = answering.message {
            let answers = (try? JSON.parse(reply.span))?["result"]?["stxns"]?.list ?? []
            try put(try joined(items, requests, answers), invocation)
        }
        return answering.finish()
    }

    /// The transactions of a file.
    static func transactions(_ bytes: [UInt8]) throws -> [TransactionFile.Item] {
        do throws(AlgorandRefusal) {
            guard TransactionFile.isLikely(bytes.span) else {
                throw .invalid("it does not begin like MessagePack")
            }
            return try TransactionFile(bytes.span).items
        } catch {
            throw CLIError(
                "this is not a file of transactions: \(VisibleText.escaped(error.message))",
                hint: "give a file that goal or an SDK wrote; for a request use \"countersign "
                    + "handle\"")
        }
    }

    private static func nothingToSign(_ items: [TransactionFile.Item]) -> CLIError {
        guard let open = items.first(where: { !$0.isSigned }) else {
            return CLIError(
                "every transaction in it is signed already", hint: "see \"countersign verify\"")
        }
        let address = AlgorandAddress.text(publicKey: open.authority.span)
        return CLIError(
            "no key of this home can sign any of these transactions; the first needs \(address)",
            hint: "countersign key import; if the account was rekeyed: countersign key watch")
    }

    /// The content of the new file, one entry for each transaction.
    private static func joined(
        _ items: [TransactionFile.Item], _ requests: [JSON?], _ answers: [JSON]
    ) throws -> [[UInt8]] {
        guard answers.count == items.count else {
            throw unreadable(
                "a different number of transactions")
        }
        var written: [[UInt8]] = []
        for (place, item) in items.enumerated() {
            guard requests[place] != nil else {
                written.append(item.bytes)
                continue
            }
            guard let text = answers[place].text, let bytes = try? Base64.decode(text) else {
                throw unreadable("something other than a signed transaction")
            }
            do throws(AlgorandRefusal) {
                written.append(try item.joined(with: bytes))
            } catch {
                throw unreadable(error.message)
            }
        }
        return written
    }

    /// The error for a reply without transactions, as a client setting may ask for bare signatures.
    private static func unreadable(_ text: String) -> CLIError {
        CLIError(
            "the answer contains \(VisibleText.escaped(text))",
            hint: "see \"countersign algorand client\", or give another --client")
    }

    private static func put(_ written: [[UInt8]], _ invocation: Invocation) throws {
        let texts = written.map { Base64.encode($0.span) }
        if let path = invocation.arguments.value("--out") {
            try NewFile.write(Array(written.joined()), to: path)
            if !invocation.console.isJSON {
                invocation.console.note("written to \(VisibleText.escaped(path))")
                return
            }
        }
        if invocation.console.isJSON {
            invocation.console.put((["stxns": .array(texts.map { .string($0) })] as JSON).write())
        } else {
            for text in texts { invocation.console.put(text) }
        }
    }
}
