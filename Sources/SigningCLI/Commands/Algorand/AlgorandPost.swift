// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCore

extension CommandLineTool {
    static let algorandPost = Command(
        name: "algorand post",
        options: [Option(name: "--client", value: "NAME"), AlgorandNodes.option], operands: 1...1,
        summary: "post the signed transactions in a file",
        usage: """
            usage: countersign algorand post [--client NAME] [--algod URL] SOURCE

            Posts the signed transactions in SOURCE, a file of "algorand sign", goal or an SDK
            (.stxn), or - for standard input, and prints their ids. Groups have to be complete.
            Nothing is signed. The access token of the node is read from COUNTERSIGN_ALGOD_TOKEN.

            example: countersign algorand post --algod "$URL" pay.stxn
            """
    ) { invocation in
        let items = try transactions(try Source.read(try invocation.operand(0)))
        if let place = items.firstIndex(where: { !$0.isSigned }) {
            throw CLIError(
                "transaction \(place + 1) does not have all its signatures",
                hint: "countersign algorand sign --out NEW FILE")
        }
        let list = items.map { JSON.string(Base64.encode($0.bytes.span)) }
        let answering = try await AlgorandCall(
            method: "post_transactions", params: [.init(name: "stxns", value: .array(list))],
            client: invocation.arguments.value("--client") ?? NEARCall.clientDefault
        )
        .answer(invocation)
        if let reply = answering.message {
            let json = try? JSON.parse(reply.span)
            let ids = json?["result"]?["txnIDs"]?.list?.compactMap(\.text) ?? []
            let console = invocation.console
            if console.isJSON {
                console.put(reply)
            } else if answering.status == .done {
                for id in ids {
                    console.put((console.isQuiet ? "" : "posted: ") + VisibleText.escaped(id))
                }
            }
        }
        return answering.finish()
    }
}
