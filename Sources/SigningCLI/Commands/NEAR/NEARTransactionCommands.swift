// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

extension CommandLineTool {
    static let nearSignTransaction = Command(
        name: "near sign-transaction",
        options: NEARCall.options + [
            Option(name: "--nonce", value: "N"), Option(name: "--block-hash", value: "BASE58"),
        ], operands: 1...1,
        summary: "sign a transaction without sending it",
        usage: """
            usage: countersign near sign-transaction [OPTION...] SOURCE

            options: --account ID, --network NET, --client NAME, --rpc URL, --nonce N,
                     --block-hash BASE58

            Signs a transaction and prints it, without sending it. SOURCE is a file, or - for
            standard input. It contains {"receiverId":...,"actions":[...]} with actions as
            near-connect writes them, or a Borsh transaction in Base64. With --nonce and
            --block-hash nothing is looked up.

            example: countersign near sign-transaction --nonce 7 --block-hash "$HASH" call.json
            """
    ) { invocation in
        let own = invocation.arguments.members([
            ("--nonce", "nonce"), ("--block-hash", "blockHash"),
        ])
        let params = try members(of: try invocation.operand(0)) { text in
            guard own.isEmpty else {
                throw CLIError.usage(
                    "a whole transaction already has a nonce and a block hash",
                    hint: "leave out --nonce and --block-hash")
            }
            return [.text("transaction", text)]
        }
        return try await NEARCall(
            "signTransaction", invocation.arguments, try joining(params, own)
        ).run(invocation)
    }

    static let nearSendTransaction = Command(
        name: "near send-transaction", options: NEARCall.options, operands: 1...1,
        summary: "sign and send a transaction, or several",
        usage: """
            usage: countersign near send-transaction [OPTION...] SOURCE

            options: --account ID, --network NET, --client NAME, --rpc URL

            Signs and sends the transaction in SOURCE, {"receiverId":...,"actions":[...]}, or a list
            of them in order. After one that fails the rest is not sent.

            example: countersign near send-transaction --rpc "$URL" batch.json
            """
    ) { invocation in
        let json = try json(of: try invocation.operand(0))
        guard json.list != nil || json.object != nil else {
            throw CLIError(
                "this is not a transaction or a list of transactions",
                hint: "write {\"receiverId\":...,\"actions\":[...]}")
        }
        let method = json.list == nil ? "signAndSendTransaction" : "signAndSendTransactions"
        let params =
            json.object?.members ?? [.init(name: "transactions", value: json)]
        return try await NEARCall(method, invocation.arguments, params).run(invocation)
    }

    static let nearSignDelegate = Command(
        name: "near sign-delegate",
        options: NEARCall.options + [
            Option(name: "--nonce", value: "N"), Option(name: "--max-block-height", value: "N"),
        ], operands: 1...1,
        summary: "sign an action that a relayer sends and pays for",
        usage: """
            usage: countersign near sign-delegate [OPTION...] SOURCE

            options: --account ID, --network NET, --client NAME, --rpc URL, --nonce N,
                     --max-block-height N

            Signs a delegate action (NEP-366), which a relayer sends to the chain and pays for.
            SOURCE contains {"receiverId":...,"actions":[...]}. With --nonce and --max-block-height
            nothing is looked up; otherwise the action is valid for 1000 blocks.

            example: countersign near sign-delegate --rpc "$URL" call.json
            """
    ) { invocation in
        let own = invocation.arguments.members([
            ("--nonce", "nonce"), ("--max-block-height", "maxBlockHeight"),
        ])
        guard let object = try json(of: try invocation.operand(0)).object else {
            throw CLIError(
                "this is not a delegate action",
                hint: "write {\"receiverId\":...,\"actions\":[...]}")
        }
        let delegate = JSON.object(JSONObject(try joining(object.members, own)))
        let call = NEARCall(
            "signDelegateActions", invocation.arguments,
            [.init(name: "delegateActions", value: [delegate])])
        return try await call.run(invocation)
    }

    /// Joins the members of a file and of options; refuses a member that is in both.
    private static func joining(
        _ file: [JSONObject.Member], _ options: [JSONObject.Member]
    ) throws -> [JSONObject.Member] {
        for option in options where file.contains(where: { $0.name == option.name }) {
            throw CLIError.usage(
                "\(option.name) is given both in the file and as an option",
                hint: "leave out one of them")
        }
        return file + options
    }

    /// The members of a JSON object; other text goes to `whole`.
    private static func members(
        of source: String, whole: (String) throws -> [JSONObject.Member]
    ) throws -> [JSONObject.Member] {
        let bytes = RequestInput.trimmingLineEnd(try Source.read(source))
        guard bytes.first == UInt8(ascii: "{") else {
            return try whole(String(decoding: bytes, as: UTF8.self))
        }
        return try json(bytes).object?.members ?? []
    }

    private static func json(of source: String) throws -> JSON {
        try json(RequestInput.trimmingLineEnd(try Source.read(source)))
    }

    private static func json(_ bytes: [UInt8]) throws -> JSON {
        do throws(CodecError) {
            return try JSON.parse(bytes.span, limits: sourceLimits)
        } catch {
            throw CLIError(
                "this is not JSON: \(VisibleText.escaped(error.text))",
                hint: "write {\"receiverId\":...,\"actions\":[...]}")
        }
    }

    private static let sourceLimits = JSONLimits(
        bytesMax: 6 << 20, depthMax: 32, valuesMax: 300_000)
}
