// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningCodecs
import SigningCore
import SigningFiles
import SigningPolicy
import SigningPolicyTools
import SigningService
import SigningStorage

extension CommandLineTool {
    static let policyExplain = Command(
        name: "policy explain",
        options: Answering.options + [
            Option(name: "--proof", value: "WORD"), Option(name: "--profile", value: "NAME"),
            Option(name: "--top-origin", value: "ORIGIN"),
            Option(name: "--policy", value: "FILE"), Option(name: "--draft", value: nil),
            AlgorandNodes.option, Answering.dropBoxOption,
        ], operands: 1...1,
        summary: "show how a request would be answered, and why",
        usage: """
            usage: countersign policy explain [--draft | --policy FILE] [--adapter NAME]
                   [--client NAME] [--proof WORD] [--profile NAME] [--top-origin ORIGIN]
                   [--algod URL] [--drop-box] SOURCE

            Shows what "handle" would do with a request, and why: the text that a person would see,
            the verdict, whether each rule matches and if not why not, remembered answers, and the
            smallest change that would be allowed. Nothing is asked, recorded or signed, and no
            passphrase is needed. SOURCE is a URL, a file, or - for standard input.

            The policy in force decides, not policy.toml, which may have changed since. --draft uses
            policy.toml, and --policy another file. --algod reads a request that posts as if that
            node were used; the node is not asked. --drop-box reads the file that a NIP-155 request
            names (pb=) and leaves it there.

            WORD of --proof says how the client NAME is known. token: NAME is token:NAME of an
            access token. browser: NAME is the origin of a page in the browser --profile, perhaps
            inside a page of --top-origin. page: a page that opened a window of the agent. key: NAME
            is the public key of a client over relays. callback: as with "open", without an agent.

            example: countersign policy explain request.json
            """
    ) { invocation in
        let workspace = try invocation.workspace()
        let bytes = RequestInput.trimmingLineEnd(try Source.read(try invocation.operand(0)))
        let adapter = try RequestInput.adapter(
            for: bytes, invocation, among: workspace.adapters)
        let policy = try policyToExplain(invocation, workspace)
        let ledger = try workspace.openLedger()
        let hub = SigningHub(
            policy: policy, keyStore: workspace.vault, ledger: ledger,
            approval: NoApproval(), environment: SystemEnvironment()
        ).judging(by: policy, naming: try workspace.open.accountNames())
        let frame = Frame(
            bytes: bytes,
            enclosure: try RequestInput.dropBoxContent(of: bytes, for: adapter, invocation),
            peer: try peer(invocation.arguments))
        let explanation: Explanation
        do throws(AdapterError) {
            explanation = try hub.explain(frame, with: adapter)
            if explanation.isMadeUp {
                invocation.console.note(
                    adapter.schema.protocolID.name == "algorand"
                        ? "no node was asked: the keys that sign for the accounts were not looked "
                            + "up"
                        : "no node was asked: the nonce and the block are placeholders")
            }
        } catch {
            throw CLIError(
                "the request is refused before the policy judges it: "
                    + "\(VisibleText.escaped(error.reason))",
                hint: "the wire's error is \(error.code)"
                    + (RequestInput.namesDropBox(bytes, invocation) ? "; try --drop-box" : ""))
        }
        try report(explanation, policy, ledger, to: invocation.console)
        return .done
    }

    /// The client that the options describe, here or at the agent.
    private static func peer(_ arguments: Arguments) throws -> Peer {
        let client = arguments.value("--client")
        let given = ["--proof", "--profile", "--top-origin"].map(arguments.value)
        guard given.contains(where: { $0 != nil }) else { return try RequestInput.peer(client) }
        guard
            let testClient = TestClient(
                client: client, proof: given[0], profile: given[1], topOrigin: given[2])
        else {
            throw CLIError.usage(
                "--client, --proof, --profile and --top-origin do not describe a possible client",
                hint: "write --client token:NAME --proof token, or --client ORIGIN --proof browser "
                    + "--profile NAME")
        }
        let own = try RequestInput.peer(testClient.claim)
        return Peer(
            channel: own.channel, provedUserID: own.provedUserID,
            provedKey: testClient.provedKey,
            login: own.login, claim: own.claim, credential: testClient.credential,
            visit: testClient.visit,
            opensCallbacks: testClient.opensCallbacks, provedServer: testClient.provedServer)
    }

    private static func policyToExplain(
        _ invocation: Invocation, _ workspace: Workspace
    ) throws -> TOMLPolicy {
        if let path = invocation.arguments.value("--policy") {
            return try workspace.policy(at: path)
        }
        if invocation.arguments.has("--draft") { return try workspace.policy() }
        let policy = try workspace.attestedPolicy()
        if let note = workspace.policyNote() {
            invocation.console.warn(
                note.state, hint: "\(note.fix), or add --draft to judge by policy.toml")
        }
        return policy
    }

    private static func report(
        _ explanation: Explanation, _ policy: TOMLPolicy, _ ledger: SQLiteLedger,
        to console: Console
    ) throws {
        let trace = try policy.explain(explanation.request, usage: ledger)
        let change = SmallestChange.find(for: explanation.request, policy, usage: ledger)
        if console.isJSON {
            console.put(try json(explanation, trace, change, frozen: try frozen(ledger)).write())
        } else {
            console.put(explanation.summary.text)
            console.put(trace.text)
            console.put("request: \(Hex.encode(explanation.digest.span))")
            if trace.judgement.verdict.name != "allow" {
                console.put("would be allowed: \(change?.text ?? "by no single change")")
            }
            if let words = explanation.rememberedAnswer.words { console.put(words) }
            if let reason = try frozen(ledger) {
                console.put("frozen (\(VisibleText.escaped(reason))): handle would deny this")
            }
            if let stopped = explanation.stopped {
                console.put(
                    "stopped before the policy judged: \(VisibleText.escaped(stopped.text))")
            }
        }
    }

    private static func frozen(_ ledger: SQLiteLedger) throws -> String? {
        try ledger.freezeReason()
    }

    /// The question for a person and the trace of the rules, in one object.
    private static func json(
        _ explanation: Explanation, _ trace: PolicyExplanation, _ change: SmallestChange?,
        frozen: String?
    ) throws -> JSON {
        guard var members = (try? JSON.parse(trace.json.utf8.span))?.object?.members else {
            throw CLIError("the explanation is not JSON", hint: nil)
        }
        let summary = explanation.summary
        let lines = summary.lines.map { line -> JSON in
            [
                "label": .string(line.label), "text": .string(line.text),
                "by_client": .bool(line.author == .client),
            ]
        }
        let shown: JSON = [
            "title": .string(summary.title), "lines": .array(lines),
            "warnings": .array(summary.warnings.map { .string($0) }),
        ]
        let digest = Hex.encode(explanation.digest.span)
        members.append(.init(name: "summary", value: shown))
        members.append(.init(name: "request", value: .string(digest)))
        members.append(
            .init(name: "would_be_allowed", value: change.map { .string($0.text) } ?? .null))
        members.append(.init(name: "grants", value: explanation.rememberedAnswer.json))
        members.append(.init(name: "frozen", value: frozen.map { .string($0) } ?? .null))
        if let stopped = explanation.stopped {
            members.append(.init(name: "stopped", value: .string(stopped.text)))
        }
        return .object(JSONObject(members))
    }
}

extension RememberedAnswer {
    /// The effect of grants on the request; nil if there is none.
    fileprivate var words: String? {
        switch self {
        case .nothing: nil
        case .no(let grant): "remembered: no (grant \(grant.idText)), so handle denies this"
        case .yes(let grants):
            "remembered: yes (\(Self.names(grants))), so handle answers without asking"
        case .connection: "connected: handle answers this request without asking"
        }
    }

    fileprivate var json: JSON {
        switch self {
        case .nothing: .null
        case .no(let grant): ["answer": "no", "ids": .array([.string(grant.idText)])]
        case .yes(let grants):
            ["answer": "yes", "ids": .array(grants.map { .string($0.grant.idText) })]
        case .connection: ["answer": "yes", "ids": []]
        }
    }

    private static func names(_ grants: [SealedGrant]) -> String {
        Set(grants.map { "grant \($0.grant.idText)" }).sorted().joined(separator: ", ")
    }
}
