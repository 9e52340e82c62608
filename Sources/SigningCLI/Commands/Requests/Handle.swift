// SPDX-License-Identifier: Apache-2.0

import NIP155
import NIP155Messages
import SigningCore
import SigningCrypto
import SigningStorage
import SigningTerminal
import Web

extension CommandLineTool {
    static let handle = Command(
        name: "handle",
        options: Answering.options + [
            Answering.dropBoxOption, NEARNodes.option, AlgorandNodes.option,
        ], operands: 1...1,
        traits: [.answersWire],
        summary: "answer one request: a URL, a file or - (standard input)",
        usage: """
            usage: countersign handle [OPTION...] SOURCE

            options: --adapter NAME, --client NAME, --rpc URL, --algod URL, --drop-box

            Answers one request: decodes it, judges it by the policy in force, asks on the terminal
            if the policy says so, records it, signs, and writes the reply alone to standard output.
            SOURCE is a URL, a file, or - for standard input. --adapter is {adapters}; without it
            the scheme of a URL or the members of JSON decide. --client is the name that the client
            claims; a NIP-155 request contains its own. --drop-box allows a NIP-155 request to name
            a file (pb=) in $XDG_RUNTIME_DIR/countersign/pb for data that is too large for a URL.
            --rpc is the NEAR node for calls that need one. --algod is the Algorand node that
            transactions are posted to; its token is COUNTERSIGN_ALGOD_TOKEN.

            example: countersign handle --client https://app.example login.json
            """
    ) { invocation in
        let answering = try await Answering(invocation)
        if let message = answering.message { invocation.console.put(message) }
        return answering.finish()
    }

    static let openCallback = Command(
        name: "open",
        options: Answering.options + [
            Answering.dropBoxOption, Option(name: "--wait", value: nil),
            Option(name: "--post", value: nil), Option(name: "--address", value: nil),
            NEARNodes.option, AlgorandNodes.option,
        ], operands: 1...1,
        traits: [.answersWire],
        summary: "like handle, then open the callback URL",
        usage: """
            usage: countersign open [OPTION...] URL

            options: --adapter NAME, --client NAME, --rpc URL, --algod URL, --drop-box, --post,
                     --address, --wait

            Answers a request as "handle" does, then opens the callback URL once, with xdg-open and
            without a shell. --rpc and --algod are as for "handle".

            --post sends the result of a Nostr request to an https callback as a form, from a page
            that this machine serves once: no URL contains the result, and it may have 2 MiB.
            Results over 64 KiB are always sent so. A decrypted text is never an argument of a
            program, because every user of this machine can read arguments. For an https callback or
            a port of this machine such a page sends the text; for the callback of an app the URL is
            written to a file that only you can read. --address opens these results as URLs too. The
            result of a NIP-55 request without a callback goes to the clipboard, after you agree.

            With --wait the terminal stays open until you press Enter, as a separate window needs
            it. It shows what rules or earlier answers signed, and offers to open an error for an
            unknown client. A near: link asks like a link of MyNearWallet (login, sign,
            sign-message). Its client is the address that gets the answer. Any page can write such a
            link, so you are asked each time.

            example: countersign open "$URL"
            """
    ) { invocation in
        guard invocation.arguments.has("--wait") else { return try await open(invocation) }
        var status: ExitStatus
        do {
            status = try await open(invocation)
        } catch {
            let error = CLIError(error)
            if let reply = error.reply { invocation.console.put(reply) }
            invocation.console.complain(error.message, hint: error.hint)
            status = error.status
        }
        _ = Terminal()?.ask("press Enter to close: ", until: .now + .seconds(waitSecondsMax))
        return status
    }

    /// The time that a window stays open for reading, in seconds.
    private static let waitSecondsMax = 300

    private static func open(_ invocation: Invocation) async throws -> ExitStatus {
        let source = try invocation.operand(0)
        if NEARLink.isOne(source) { return try await openLink(source, invocation) }
        guard source == "-" || Source.isURL(source) else {
            throw CLIError.usage("open takes a URL", hint: "use \"countersign handle\" for files")
        }
        let answering = try await Answering(invocation, opensCallbacks: true)
        guard let bytes = answering.message else { return answering.finish() }
        let callback = String(decoding: bytes, as: UTF8.self)
        if answering.isForClipboard {
            invocation.console.put(bytes)
            let status = answering.finish()
            try Clipboard.offer(bytes, invocation)
            return status
        }
        let isLarge = bytes.count > NIP155Limits().callbackBytesMax
        let posts = isLarge || invocation.arguments.has("--post")
        if posts, let form = answering.form(of: bytes) {
            if isLarge {
                invocation.console.note(
                    "the answer is too large for a URL: it is sent by POST")
            }
            invocation.console.put(form.place)
            let status = answering.finish()
            if await answering.mayOpen(form.place) { try await lead(to: .form(form)) }
            return status
        }
        guard Source.isURL(callback) else {
            throw CLIError("the answer is not a URL", hint: "use \"countersign handle\"")
        }
        guard !isLarge else {
            var error = CLIError(
                "the answer is too large for a URL, and this client cannot get it by POST",
                hint: "the client can use a drop box (pb)")
            error.reply = answering.failure
            _ = answering.finish()
            throw error
        }
        if answering.isDecrypted, !invocation.arguments.has("--address") {
            return try await hide(callback, of: answering, invocation)
        }
        invocation.console.put(callback)
        let status = answering.finish()
        try await answering.open(callback)
        return status
    }

    /// Delivers a decrypted text without a program argument, which every local user could read.
    private static func hide(
        _ callback: String, of answering: Answering, _ invocation: Invocation
    ) async throws -> ExitStatus {
        if let link = LandingLink(callback) {
            invocation.console.put(link.place)
            let status = answering.finish()
            if await answering.mayOpen(link.place) { try await lead(to: .link(link)) }
            return status
        }
        let path = try DecryptedAnswerFile.write(Array(callback.utf8), invocation.environment)
        invocation.console.put(path)
        invocation.console.note(
            "the answer contains decrypted text, so it was written to this file and not opened; to "
                + "open it add --address")
        return answering.finish()
    }

    /// Lets the person's browser send a form or open an address.
    private static func lead(to content: AnswerLanding.Content) async throws {
        let ending: AnswerLanding.Outcome
        do throws(TransportError) {
            let secret = Randomness.bytes(AnswerLanding.secretByteCount)
            let landing = try AnswerLanding(content, secret: secret)
            let address = landing.address
            ending = try await landing.serve(on: BlockingThreads.shared) {
                do {
                    try URLOpener.open(address)
                    return nil
                } catch {
                    let error = CLIError(error)
                    return TransportError(error.message, hint: error.hint ?? "")
                }
            }
        } catch {
            throw CLIError(error.message, hint: error.hint)
        }
        switch ending {
        case .fetched: return
        case .unopened(let error): throw CLIError(error.message, hint: error.hint)
        case .expired:
            throw CLIError(
                "no browser opened the page that sends the answer",
                hint: "check that xdg-open starts a browser, then send the request again")
        }
    }
}
