// SPDX-License-Identifier: Apache-2.0

import Algorand
import AllAdapters
import Glibc
import NIP155
import Nostr
import SigningAgent
import SigningCodecs
import SigningCore
import SigningService
import SigningStorage
import SigningTerminal
import Socket

/// Sends one request to the signer and reports the outcome; `handle` and `open` share it.
struct Answering {
    private let signer: LocalSigner
    let console: Console
    let reply: Reply
    let status: ExitStatus
    /// True if a person or a rule has decided about the client.
    let isDecided: Bool
    /// True if the command has a terminal window to itself.
    let isWindow: Bool
    let bytes: [UInt8]
    let adapter: any ProtocolAdapter

    /// The options of both commands.
    static let options = [
        Option(name: "--adapter", value: "NAME"), Option(name: "--client", value: "NAME"),
    ]

    /// The option of both commands that allows drop boxes.
    static let dropBoxOption = Option(name: "--drop-box", value: nil)

    /// Answers the request that an invocation names.
    ///
    /// `opensCallbacks`: without an agent, the answer goes only to the callback address.
    init(_ invocation: Invocation, opensCallbacks: Bool = false) async throws(CLIError) {
        let bytes = Self.trimmingLineEnd(try Source.read(try invocation.operand(0)))
        do throws(CLIError) {
            let workspace = try invocation.workspace(toWrite: true)
            try await self.init(
                invocation, bytes, for: try Self.adapter(for: bytes, invocation, workspace),
                in: workspace, from: invocation.arguments.value("--client"),
                opensCallbacks: opensCallbacks)
        } catch {
            // The client of a URL waits at its callback, so any failure is sent there.
            var error = error
            if error.status == .failed { error.reply = NIP155Adapter().failure(of: bytes.span) }
            throw error
        }
    }

    /// Answers one frame; refusals with the codes in `unreported` are not printed here.
    init(
        _ invocation: Invocation, _ bytes: [UInt8], for adapter: any ProtocolAdapter,
        in workspace: Workspace, from client: String?, spokenAs words: CallWords? = nil,
        opensCallbacks: Bool = false, isByLink: Bool = false, provedServer: ProvedServer? = nil,
        unreported: Set<String> = []
    ) async throws(CLIError) {
        console = invocation.console
        isWindow = invocation.arguments.has("--wait")
        self.bytes = bytes
        self.adapter = adapter
        TerminalApproval.outliveTerminal()
        let approval = TerminalApproval(schemas: workspace.adapters.schemas)
        let passphrase = try invocation.passphrase()
        let couriers = try invocation.couriers()
        let signer = try CLIError.wrapping { () throws(ServiceError) in
            try LocalSigner(
                of: workspace.open, asking: approval,
                approvers: ApproverText.interruptibleWords(
                    workspace.adapters.schemas, invocation.console),
                unlockedBy: passphrase, couriers: couriers,
                runtimeFolder: invocation.environment["XDG_RUNTIME_DIR"])
        }
        if let note = workspace.open.policyNote() { console.warn(note.state, hint: note.fix) }
        let claimed = Frame(bytes: bytes, peer: try Self.peer(client, isByLink: isByLink))
        let peer = try Self.peer(client, opensCallbacks: opensCallbacks, isByLink: isByLink)
        let unasked = UnaskedSummary.text(
            of: bytes, for: adapter, invocation, workspace, signer.ledger, from: peer)
        let given = try await AgentRoute.answer(
            to: claimed, invocation, for: adapter, in: workspace, orAsking: approval,
            provesServer: provedServer != nil)
        let frame =
            given == nil && (opensCallbacks || provedServer != nil)
            ? Frame(
                bytes: bytes,
                peer: try Self.peer(
                    client, opensCallbacks: opensCallbacks, provedServer: provedServer)) : claimed
        let answer: Answer
        if let given {
            answer = given
        } else {
            answer = await signer.answer(frame, over: adapter.id)
        }
        self.signer = signer
        reply = answer.reply
        status = Self.status(of: answer)
        isDecided = signer.hasDecided(frame, answer)
        let freeze = (try? signer.ledger.freezeReason()) ?? nil
        if !Self.isRefusal(answer, unreported) {
            Self.report(
                answer, signer.unlockingError, OutboxText.of(adapter.schema.protocolID), words,
                freeze: freeze, isByAgent: given != nil, invocation.console)
        }
        if let unasked, status == .done { console.note(unasked) }
        reportMore(of: answer, workspace)
    }

    /// Reports new grants and a policy change by another hub.
    private func reportMore(of answer: Answer, _ workspace: Workspace) {
        if case .outcome(.denied(let reason)) = answer.ending, reason.code == .policyChanged,
            (try? workspace.open.newerPolicy(in: signer.ledger)) ?? nil != nil
        {
            console.warn(
                "another hub put a different policy in force", hint: "countersign policy sync")
        }
        for grant in answer.remembered {
            console.note(
                "remembered: \(grant.answer.rawValue) \(GrantText.span(grant)), "
                    + "grant \(grant.idText)")
        }
    }

    private static func isRefusal(_ answer: Answer, _ codes: Set<String>) -> Bool {
        guard case .refused(let error) = answer.ending else { return false }
        return codes.contains(error.code)
    }

    /// The reply for the client, if there is one.
    var message: [UInt8]? {
        switch reply {
        case .message(let bytes), .deposit(_, let bytes): bytes
        case .broadcast, .silence, .undeliverable: nil
        }
    }

    /// The content of the drop box that a request names; the box is not emptied.
    static func dropBoxContent(
        of bytes: [UInt8], for adapter: any ProtocolAdapter, _ invocation: Invocation
    ) throws(CLIError) -> [UInt8]? {
        guard let adapter = adapter as? any TakesEnclosures,
            let token = adapter.enclosureName(in: bytes.span)
        else { return nil }
        let runtime = invocation.environment["XDG_RUNTIME_DIR"]
        return try CLIError.wrapping { () throws(ServiceError) in
            try DropBoxFolder(runtime: runtime).look(
                at: token, bytesMax: adapter.enclosureBytesMax)
        }
    }

    /// True if a request names a drop box without `--drop-box`.
    static func namesDropBox(_ bytes: [UInt8], _ invocation: Invocation) -> Bool {
        let nostr = NIP155Adapter(configuration: NIP155Configuration(takesDropBoxes: true))
        return !invocation.arguments.has("--drop-box") && nostr.enclosureName(in: bytes.span) != nil
    }

    /// The reply for a URL whose answer cannot be delivered.
    var failure: [UInt8]? { NIP155Adapter().failure(of: bytes.span) }

    /// True if the wire says that the answer goes to the clipboard.
    var isForClipboard: Bool {
        (adapter as? any PlacesAnswers)?.place(ofAnswersTo: bytes.span) == .clipboard
    }

    /// True if the answer contains decrypted text.
    var isDecrypted: Bool {
        status == .done
            && (adapter as? any PlacesAnswers)?.isDecrypted(answerTo: bytes.span) == true
    }

    /// Checks the record; called after the reply, which is valid even if the record is damaged.
    func finish() -> ExitStatus {
        do throws(ServiceError) {
            try signer.finish()
        } catch {
            console.complain(error.message, hint: error.hint)
        }
        return status
    }

    /// The user according to the kernel, and the name that the client claims.
    ///
    /// The parent process is not identified, as it may have replaced its program since.
    static func peer(
        _ client: String?, opensCallbacks: Bool = false, isByLink: Bool = false,
        provedServer: ProvedServer? = nil
    ) throws(CLIError) -> Peer {
        if let client, Client.isReserved(client) {
            throw .usage(
                "--client \"\(VisibleText.quotable(client))\" is the name of an access token, "
                    + "which cannot be claimed",
                hint: "send the token to the agent, or give another name")
        }
        if let client, ClientIdentity.looksLikeAddress(client), (try? WebOrigin(client)) == nil {
            throw .usage(
                "--client \"\(VisibleText.quotable(client))\" is not a web origin",
                hint: "write an origin such as https://app.example, or a plain name")
        }
        return Peer(
            channel: .commandLine, provedUserID: getuid(), login: Login.of(process: getpid()),
            claim: client, visit: isByLink ? .link : nil, opensCallbacks: opensCallbacks,
            provedServer: provedServer)
    }

    /// The adapter for a request; throws a hint if it cannot be chosen.
    static func adapter(
        for bytes: [UInt8], _ invocation: Invocation, _ workspace: Workspace
    ) throws(CLIError) -> any ProtocolAdapter {
        guard !bytes.isEmpty else {
            throw CLIError("the request is empty", hint: "give a URL, a file, or - for a pipe")
        }
        guard !TransactionFile.isLikely(bytes.span) else {
            throw CLIError(
                "this is a file of transactions, not a request",
                hint: "countersign algorand sign FILE")
        }
        do throws(ChoosingError) {
            return try workspace.adapters.choose(
                named: invocation.arguments.value("--adapter"), for: bytes.span)
        } catch {
            let names = workspace.adapters.names.joined(separator: ", ")
            switch error {
            case .unknownAdapter(let name):
                throw .usage(
                    "unknown --adapter \"\(VisibleText.quotable(name))\"",
                    hint: "one of: \(names)"
                )
            case .unknownScheme(let scheme):
                // No adapter reads NEAR links, but `open` accepts them.
                let isOpened = invocation.arguments.command == CommandLineTool.openCallback.name
                let known =
                    workspace.adapters.schemes
                    + (isOpened ? [String(NEARLink.scheme.dropLast())] : [])
                let hint =
                    switch scheme {
                    case "nostrconnect": "to connect the client: countersign bunker connect URI"
                    case "bunker": "give it to a Nostr client; see \"countersign bunker --help\""
                    default: "known schemes: \(known.joined(separator: ", "))"
                    }
                throw CLIError("no adapter reads URLs of the scheme \"\(scheme)\"", hint: hint)
            case .malformed(let text):
                throw CLIError(
                    "the request is not JSON: \(VisibleText.escaped(text))",
                    hint: "add --adapter NAME for an answer in the wire's own format")
            case .ambiguous:
                throw CLIError(
                    "the request does not say which protocol it belongs to",
                    hint: "add --adapter NAME; one of: \(names)")
            }
        }
    }

    /// Removes the line end that a file or a pipe adds.
    static func trimmingLineEnd(_ bytes: [UInt8]) -> [UInt8] {
        // A transaction file is binary, so its last byte may be 0x0A.
        guard !TransactionFile.isLikely(bytes.span) else { return bytes }
        var bytes = bytes[...]
        if bytes.last == 0x0A { bytes.removeLast() }
        if bytes.last == 0x0D { bytes.removeLast() }
        return Array(bytes)
    }

    private static func status(of answer: Answer) -> ExitStatus {
        switch answer.ending {
        case .refused, .outcome(.failed): .failed
        case .outcome(.denied): .denied
        case .outcome(.done): answer.deliveries.allSatisfy(\.isAccepted) ? .done : .failed
        }
    }

    /// Prints on standard error the reason that there is no result.
    private static func report(
        _ answer: Answer, _ unlockingError: ServiceError?, _ outbox: OutboxText?,
        _ words: CallWords?,
        freeze: String?, isByAgent: Bool, _ console: Console
    ) {
        var silence = ""
        if case .silence = answer.reply { silence = ", and no reply was sent" }
        switch answer.ending {
        case .refused(let error):
            let code = VisibleText.escaped(error.code)
            console.complain(
                VisibleText.escaped(words?.spoken(error.reason) ?? error.reason),
                hint: error.hint ?? words?.hint(code) ?? CallWords.hint(code)
                    ?? "the request was refused as \(code)\(silence)")
        case .outcome(.denied(let reason)):
            let refusal = answer.remembered.first { $0.answer == .no }?.idText
            let grant = refusal ?? Self.grantID(in: reason)
            let isFrozen = reason.code == .frozen
            let why = isFrozen ? freeze.map { " (\(VisibleText.escaped($0)))" } ?? "" : ""
            console.complain(
                "denied: \(text(reason))\(why)",
                hint: grant.map { "take it back with \"countersign grant revoke \($0)\"" }
                    ?? reason.hint)
        case .outcome(.failed(let reason)):
            if isByAgent, reason.code == .keyUnavailable, !reason.isAboutMissingKey {
                console.complain(
                    "failed: \(text(reason))", hint: "if it is locked: countersign agent unlock")
            } else if let cause = unlockingError {
                console.complain(cause.message, hint: cause.hint)
            } else {
                console.complain("failed: \(text(reason))", hint: reason.hint)
            }
        case .outcome(.done):
            guard !answer.deliveries.allSatisfy(\.isAccepted) else { break }
            for delivery in answer.deliveries { Self.report(delivery, outbox ?? .near, console) }
        }
    }

    /// Reports each delivery if one failed, as the request must not be repeated as a whole.
    private static func report(
        _ delivery: Broadcast.Delivery, _ outbox: OutboxText, _ console: Console
    ) {
        let id = delivery.item.id
        switch delivery.result {
        case .accepted: console.note("\(id) was \(outbox.taken); do not send it again")
        case .failed:
            console.complain(
                "\(id) reached the chain and failed there",
                hint: "the outcome in the answer says why; its gas is spent")
        case .refused(_, let text):
            console.complain(
                "\(id) is signed and was refused for good: \(VisibleText.escaped(text))",
                hint: "it was not carried out; send a new request")
        case .declined(_, let text):
            console.complain(
                "\(id) is signed and may be carried out, but \(VisibleText.escaped(text))",
                hint: "see \(outbox.listing) before you send a new request")
        case .notSent(let text), .unknown(let text):
            console.complain(
                "\(id) is signed, but may not have arrived: \(VisibleText.escaped(text))",
                hint: "see \(outbox.listing) before you send a new request")
        }
    }

    /// The id of the denying grant that a reason names.
    private static func grantID(in reason: Reason) -> String? {
        guard reason.code == .personDenied, let start = reason.text.firstRange(of: "(grant ")
        else { return nil }
        let id = reason.text[start.upperBound...].prefix { $0.isHexDigit }
        return id.isEmpty ? nil : String(id)
    }

    private static func text(_ reason: Reason) -> String {
        "\(reason.code.rawValue): \(VisibleText.escaped(reason.text))"
    }
}

extension Broadcast.Delivery {
    var isAccepted: Bool { if case .accepted = result { true } else { false } }
}

extension Reason {
    /// The remedy for the owner; a limit without a rule is a rate limit, which passes.
    var hint: String {
        if isAboutMissingKey {
            return "countersign key import; if the account was rekeyed: countersign key watch"
        }
        return code == .limitExceeded && rule == nil
            ? "wait, then try again; for the limits of remembered answers: countersign grant list"
            : code.hint
    }

    /// True if this home does not hold the key, rather than holding it locked or damaged.
    var isAboutMissingKey: Bool {
        code == .keyUnavailable && text.hasSuffix(AlgorandRefusal.notHeld)
    }
}

extension ReasonCode {
    /// The remedy for the owner.
    var hint: String {
        switch self {
        case .policyDenied, .unknownFact, .domainRefused:
            "see \"countersign policy explain SOURCE\""
        case .personDenied: "ask again if it was a mistake"
        case .approvalUnavailable: "run it on a terminal, or write a rule that allows it"
        case .approvalTimedOut, .withdrawn: "send it again when a person is there to answer"
        case .limitExceeded: "see what is left and when more is free: countersign policy limits"
        case .tooManyQuestions: "answer the questions that wait: countersign inbox"
        case .replayed: "send a new request"
        case .pendingConflict: "wait for the other request, or give this request another id"
        case .frozen: "allow signing again with \"countersign thaw\""
        case .policyChanged: "send the request again"
        case .policyUnavailable, .ledgerUnavailable, .keyUnavailable:
            "see \"countersign doctor\""
        case .undecryptable, .invalidPeer: "check the peer's key and the payload"
        case .undeliverable: "the result was not released; ask for less at a time"
        case .keyFailed: "see \"countersign doctor\"; nothing was released"
        case .lookupFailed: "nothing was signed; check the node, then send the request again"
        }
    }
}
