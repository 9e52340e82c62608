// SPDX-License-Identifier: Apache-2.0

import NEAR
import NEP413
import SigningCodecs
import SigningCore
import SigningFiles

extension CommandLineTool {
    private static let wording = [
        Option(name: "--recipient", value: "R"), Option(name: "--nonce", value: "BASE64"),
        Option(name: "--callback-url", value: "URL"), Option(name: "--state", value: "TEXT"),
    ]

    static let nearSignMessage = Command(
        name: "near sign-message",
        options: NEARCall.options + wording + [
            Option(name: "--callback", value: nil), Option(name: "--open", value: nil),
        ], operands: 1...1,
        summary: "sign a message (NEP-413)",
        usage: """
            usage: countersign near sign-message --recipient R [OPTION...] MESSAGE

            options: --account ID, --network NET, --client NAME, --rpc URL, --nonce BASE64,
                     --callback-url URL, --state TEXT, --callback, --open

            Signs a message (NEP-413) and prints it with its signature, in the form that "near
            verify-message" reads. Without --nonce a nonce is made. If a node of the network is
            known, the key has to be a full access key on the chain. --callback prints the callback
            URL with the answer in its fragment; --open opens it once with xdg-open.

            example: countersign near sign-message --recipient myapp.near "Sign in"
            """
    ) { invocation in
        let words = try words(try invocation.operand(0), invocation)
        let callback = invocation.arguments.value("--callback-url") ?? ""
        let delivers = ["--callback", "--open"].contains { invocation.arguments.has($0) }
        guard !delivers || NEP413Callback.isUsable(callback) else {
            throw CLIError.usage(
                "the message has no callback URL that may get the answer",
                hint: "--callback-url takes https, http on this machine, or the scheme of an app")
        }
        let call = NEARCall("signMessage", invocation.arguments, words)
        let answering = try await call.answer(invocation)
        guard let reply = answering.message else { return answering.finish() }
        guard delivers, let url = NEP413Callback.url(callback, carrying: reply) else {
            invocation.console.put(signed(reply, words))
            return answering.finish()
        }
        if invocation.console.isJSON {
            invocation.console.put((["callback": .string(url)] as JSON).write())
        } else {
            invocation.console.put(url)
        }
        let status = answering.finish()
        if invocation.arguments.has("--open") { try await answering.open(url) }
        return status
    }

    static let nearConnect = Command(
        name: "near connect",
        options: NEARCall.options + wording + [
            Option(name: "--contract", value: "ID"), Option(name: "--public-key", value: "KEY"),
            Option(name: "--methods", value: "NAMES"), Option(name: "--allowance", value: "NEAR"),
        ], operands: 0...1,
        summary: "connect a client to an account",
        usage: """
            usage: countersign near connect [OPTION...] [MESSAGE]

            options: --account ID, --network NET, --client NAME, --rpc URL
            for a MESSAGE: --recipient R, --nonce BASE64, --callback-url URL, --state TEXT
            for a key: --contract ID, --public-key KEY, --methods NAMES, --allowance NEAR

            Connects a client to an account until "near disconnect". A MESSAGE is signed too
            (NEP-413). With --contract the client's KEY is added to the account as a function call
            key for that contract. NAMES are the methods it may call, separated by commas; by
            default it may call any. --allowance limits the gas that it may spend: 0.25 NEAR by
            default, or "unlimited". The command prints the answer. Its member signedMessage is the
            signed message, in the form that "near verify-message" reads.

            example: countersign near connect --client https://app.example --account alice.near
            """
    ) { invocation in
        if invocation.arguments.operands.isEmpty {
            for option in wording where invocation.arguments.has(option.name) {
                throw CLIError.usage("\(option.name) needs a MESSAGE", hint: "leave it out")
            }
        }
        let key = try functionCallKey(invocation.arguments)
        guard let message = invocation.arguments.operands.first else {
            return try await NEARCall("signIn", invocation.arguments, key).run(invocation)
        }
        let words = try words(message, invocation)
        let params = key + [.init(name: "messageParams", value: .object(JSONObject(words)))]
        let call = NEARCall("signInAndSignMessage", invocation.arguments, params)
        let answering = try await call.answer(invocation)
        if let reply = answering.message { invocation.console.put(connected(reply, words)) }
        return answering.finish()
    }

    static let nearDisconnect = Command(
        name: "near disconnect",
        options: [
            Option(name: "--network", value: "NET", offers: .networks),
            Option(name: "--client", value: "NAME"),
        ],
        operands: 0...0,
        summary: "end a client's connections",
        usage: """
            usage: countersign near disconnect [--network NET] [--client NAME]

            Ends the sessions of a client and revokes the permissions that people gave it.

            example: countersign near disconnect --client https://app.example
            """
    ) { invocation in
        try await NEARCall("signOut", invocation.arguments).run(invocation)
    }

    static let nearConnections = Command(
        name: "near connections", options: [], operands: 0...0,
        summary: "list the connected clients",
        usage: """
            usage: countersign near connections

            Lists which clients are connected to which accounts. Needs no passphrase.

            example: countersign near connections --json
            """
    ) { invocation in
        try ConnectionList.put(.near, invocation)
    }

    /// The signed members of a message, with a random nonce if none is given.
    private static func words(
        _ message: String, _ invocation: Invocation
    ) throws -> [JSONObject.Member] {
        let nonce = SystemEnvironment().randomBytes(32)
        return [
            .text("message", message),
            .text("recipient", try invocation.arguments.required("--recipient")),
            .text(
                "nonce", invocation.arguments.value("--nonce") ?? Base64.encode(nonce.span)),
        ] + invocation.arguments.members([("--callback-url", "callbackUrl"), ("--state", "state")])
    }

    /// The reply with the signed members added, as a verifier needs both.
    private static func signed(_ reply: [UInt8], _ words: [JSONObject.Member]) -> [UInt8] {
        guard let answer = (try? JSON.parse(reply.span))?["result"]?.object else { return reply }
        let own = words.filter { answer[$0.name] == nil }
        return JSON.object(JSONObject(answer.members + own)).write()
    }

    /// The reply to a client that connects, with the signed members added to its message.
    private static func connected(_ reply: [UInt8], _ words: [JSONObject.Member]) -> [UInt8] {
        guard let account = (try? JSON.parse(reply.span))?["result"]?.list?.first?.object,
            let message = account["signedMessage"]?.object
        else { return reply }
        let whole = message.members + words.filter { message[$0.name] == nil }
        let members =
            account.members.filter { $0.name != "signedMessage" } + [
                JSONObject.Member(name: "signedMessage", value: .object(JSONObject(whole)))
            ]
        return (["result": [.object(JSONObject(members))]] as JSON).write()
    }

    private static func functionCallKey(_ arguments: Arguments) throws -> [JSONObject.Member] {
        guard let contract = arguments.value("--contract") else {
            for option in ["--public-key", "--methods", "--allowance"]
            where arguments.has(option) {
                throw CLIError.usage("\(option) needs --contract", hint: "leave it out")
            }
            return []
        }
        var members: [JSONObject.Member] = [
            .text("contractId", contract),
            .text("publicKey", try arguments.required("--public-key")),
        ]
        let names = arguments.value("--methods")?.split(separator: ",") ?? []
        let methods = JSON.array(names.map { .string(String($0)) })
        members.append(
            .init(
                name: "allowMethods",
                value: names.isEmpty
                    ? ["anyMethod": true] : ["anyMethod": false, "methodNames": methods]))
        if let allowance = arguments.value("--allowance") {
            let bound: JSON =
                allowance == "unlimited"
                ? ["kind": "unlimited"]
                : ["kind": "limited", "amount": .string(String(try NEARText.amount(allowance)))]
            members.append(.init(name: "gasAllowance", value: bound))
        }
        return [.init(name: "addFunctionCallKey", value: .object(JSONObject(members)))]
    }
}
