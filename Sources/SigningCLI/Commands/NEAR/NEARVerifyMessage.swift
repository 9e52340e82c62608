// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import NEARCourier
import NEARVerifier
import NEP413
import SigningCodecs
import SigningCore
import SigningFiles

extension CommandLineTool {
    static let nearVerifyMessage = Command(
        name: "near verify-message",
        options: [
            Option(name: "--recipient", value: "R"), Option(name: "--page", value: "URL"),
            Option(name: "--any-callback", value: nil),
            Option(name: "--max-age", value: "SECONDS"), Option(name: "--once", value: nil),
            Option(name: "--network", value: "NET", offers: .networks), NEARNodes.option,
        ], operands: 1...1,
        summary: "check a signed message",
        usage: """
            usage: countersign near verify-message [OPTION...] SOURCE

            options: --recipient R, --page URL, --any-callback, --max-age SECONDS, --once,
                     --network NET, --rpc URL

            Checks a signed message (NEP-413), as "near sign-message" prints it. The signature has
            to cover its callbackUrl, or the URL of --page. --any-callback also accepts a signature
            over no callbackUrl or an empty one, and says which. The recipient has to be R. With
            --max-age the nonce has to contain a time that is not older. With --once this home
            accepts the message only once. The signature does not cover the account: with --rpc (or
            --network, mainnet by default, and a node from the environment) the key has to belong to
            the account on the chain. Exit status 1 if anything is wrong. Exit status 4 if
            everything is right but no node was asked for the account, and the account is not the
            implicit account of the key.

            example: countersign near verify-message --recipient myapp.near --once signed.json
            """
    ) { invocation in
        let bytes = RequestInput.trimmingLineEnd(try Source.read(try invocation.operand(0)))
        let demands = try demands(invocation.arguments)
        let verifier = MessageVerifier(
            accepted: invocation.arguments.has("--once")
                ? try invocation.workspace(toWrite: true).openLedger() : nil,
            node: try node(invocation), environment: SystemEnvironment(),
            reading: { statement in
                let findings = StatementVerifier.check(statement)
                return findings.count == 1 ? findings[0].reading?.name : nil
            })
        let verified: MessageVerifier.Verified
        do throws(MessageVerifier.VerificationError) {
            verified = try await verifier.verify(bytes, demands)
        } catch {
            throw CLIError(error)
        }
        let isProved = verified.ownership != .claimed || verified.accountID == nil
        report(verified, isProved: isProved, invocation.console)
        return isProved ? .done : .inconclusive
    }

    private static func node(_ invocation: Invocation) throws -> (rpc: NEARRPC, network: String)? {
        let network = invocation.arguments.value("--network")
        guard network != nil || invocation.arguments.has(NEARNodes.option.name) else {
            return nil
        }
        let name = network ?? "mainnet"
        return (try NEARNodes.node(name, invocation), name)
    }

    private static func demands(_ arguments: Arguments) throws -> MessageVerifier.Demands {
        var demands = MessageVerifier.Demands()
        demands.recipient = arguments.value("--recipient")
        demands.page = arguments.value("--page")
        demands.isAnyCallback = arguments.has("--any-callback")
        demands.isOnce = arguments.has("--once")
        if let text = arguments.value("--max-age") {
            guard let seconds = Int64(text), seconds > 0 else {
                throw CLIError.usage(
                    "--max-age takes a number of seconds", hint: "write --max-age 300")
            }
            demands.ageSecondsMax = seconds
        }
        return demands
    }

    private static func report(
        _ verified: MessageVerifier.Verified, isProved: Bool, _ console: Console
    ) {
        if console.isJSON {
            let json: JSON = [
                "verified": .bool(isProved),
                "accountId": verified.accountID.map { .string($0) } ?? .null,
                "publicKey": .string(verified.publicKey), "variant": .string(verified.variant),
                "ownership": .string(verified.ownership.rawValue),
            ]
            console.put(json.write())
            return
        }
        console.put("\(isProved ? "verified" : "holds"): \(verified.publicKey)")
        let account = verified.accountID ?? "none"
        switch verified.ownership {
        case .claimed:
            console.put("  account   \(account), as the message claims: no node was asked")
        case .ownName:
            console.put(
                "  account   \(account), the implicit account of the key: no node was asked")
        case .onChain: console.put("  account   \(account), which has this key on the chain")
        case .implicit:
            console.put(
                "  account   \(account), the implicit account of the key, not yet on the chain")
        }
        console.put("  callback  \(verified.variant)")
    }
}

extension CLIError {
    init(_ failure: MessageVerifier.VerificationError) {
        switch failure {
        case .malformed(let text):
            self.init(
                "not a signed message: \(VisibleText.escaped(text))",
                hint: "it has message, recipient, nonce, publicKey and signature")
        case .wrongSignature:
            self.init(
                "not verified: the signature does not match the key and the message",
                hint: "if the wallet signed the address of a page, give it as --page; if it signed "
                    + "without the callbackUrl, add --any-callback")
        case .wrongRecipient:
            self.init(
                "not verified: the message names another recipient than --recipient", hint: nil)
        case .notFresh:
            self.init(
                "not verified: the nonce does not contain a time within --max-age",
                hint: "its first eight bytes have to be the time in milliseconds")
        case .replayed:
            self.init(
                "not verified: the message was accepted before", hint: "ask for a new message")
        case .keyNotOnChain(let text): self.init("not verified: \(text)", hint: nil)
        case .unavailable(let text):
            self.init("not verified: \(VisibleText.escaped(text))", hint: "try again later")
        }
    }
}
