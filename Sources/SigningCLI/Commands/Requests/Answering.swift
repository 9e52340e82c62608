// SPDX-License-Identifier: Apache-2.0

import NIP155
import Nostr
import SigningCore
import SigningService
import SigningTerminal

/// Sends one request to the signer and reports the outcome; `handle` and `open` share it.
struct Answering {
    private let signer: any CommandSigner
    private let frame: Frame
    private let answer: Answer
    let console: Console
    let status: ExitStatus
    /// True if the command has a terminal window to itself.
    let isWindow: Bool
    let adapter: any ProtocolAdapter

    var bytes: [UInt8] { frame.bytes }

    /// The options of both commands.
    static let options = [
        Option(name: "--adapter", value: "NAME", offers: .adapters),
        Option(name: "--client", value: "NAME"),
    ]

    /// The option of both commands that allows drop boxes.
    static let dropBoxOption = Option(name: "--drop-box", value: nil)

    /// Answers the request that an invocation names.
    ///
    /// `opensCallbacks`: without an agent, the answer goes only to the callback address.
    init(_ invocation: Invocation, opensCallbacks: Bool = false) async throws {
        let bytes = RequestInput.trimmingLineEnd(try Source.read(try invocation.operand(0)))
        do {
            let home = try await CommandHome(invocation)
            let adapter = try RequestInput.adapter(for: bytes, invocation, among: home.adapters)
            try await self.init(
                invocation, bytes, for: adapter, in: home,
                from: invocation.arguments.value("--client"), opensCallbacks: opensCallbacks)
        } catch {
            // The client of a URL waits at its callback, so any failure is sent there.
            var error = CLIError(error)
            if error.status == .failed { error.reply = NIP155Adapter().failure(of: bytes.span) }
            throw error
        }
    }

    /// Answers one frame; refusals with the codes in `unreported` are not printed here.
    init(
        _ invocation: Invocation, _ bytes: [UInt8], for adapter: any ProtocolAdapter,
        in home: CommandHome, from client: String?, spokenAs words: CallWords? = nil,
        opensCallbacks: Bool = false, isByLink: Bool = false, provedServer: ProvedServer? = nil,
        unreported: Set<String> = []
    ) async throws {
        TerminalApproval.outliveTerminal()
        let request = CommandRequest(
            adapter: adapter,
            toAgent: Frame(
                bytes: bytes, peer: try RequestInput.peer(client, isByLink: isByLink)),
            toHome: Frame(
                bytes: bytes,
                peer: try RequestInput.peer(
                    client, opensCallbacks: opensCallbacks, isByLink: isByLink,
                    provedServer: provedServer)),
            provesServer: provedServer != nil)
        // An error in its option is reported even if no passphrase is needed.
        let passphrase = try invocation.passphrase()
        let (agent, obstacle) = home.agent(for: request)
        var signer: any CommandSigner
        if let agent {
            signer = AgentCommandSigner(agent, for: adapter, invocation.console)
        } else {
            signer = try home.signer(for: adapter, unlockedBy: passphrase)
        }
        if let note = signer.policyNote {
            invocation.console.warn(note.state, hint: note.fix)
        }
        obstacle?.report(on: invocation.console)
        isWindow = invocation.arguments.has("--wait")
        let unasked =
            isWindow ? await signer.unaskedText(of: request.toHome, over: adapter) : nil
        var frame = agent == nil ? request.toHome : request.toAgent
        var given = await signer.carryOut(frame, over: adapter.id)
        if AgentRoute.fallsBack(after: given, to: request, invocation) {
            signer = try home.signer(for: adapter, unlockedBy: passphrase)
            frame = request.toHome
            given = await signer.carryOut(frame, over: adapter.id)
        }
        self.signer = signer
        self.frame = frame
        self.adapter = adapter
        console = invocation.console
        answer = given.answer
        let report = AnswerReport(given, over: adapter, spokenAs: words, on: invocation.console)
        status = report.status
        report.show(except: unreported)
        if let unasked, status == .done { console.note(unasked) }
        report.showChanges()
    }

    /// The reply for the client.
    var reply: Reply { answer.reply }

    /// The reply for the client, if there is one.
    var message: [UInt8]? {
        switch reply {
        case .message(let bytes), .deposit(_, let bytes): bytes
        case .broadcast, .silence, .undeliverable: nil
        }
    }

    /// The reply for a URL whose answer cannot be delivered.
    var failure: [UInt8]? { NIP155Adapter().failure(of: bytes.span) }

    /// Returns whether a person or a rule has decided about the client.
    func isDecided() async -> Bool {
        if answer.isDecision { return true }
        return await signer.knowsClient(of: frame, over: adapter.id)
    }

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
}
