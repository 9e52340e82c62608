// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningAgent
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningService

extension CommandLineTool {
    static let agentStart = Command(
        name: "agent start", options: AgentOptions.all, operands: 0...0,
        summary: "start the agent in the background",
        usage: """
            usage: countersign agent start [OPTION...]

            options: --socket PATH, --idle MINUTES, --most HOURS, --locked, --web PORT,
                     --metrics PORT, --hook PATH, --terminal MINUTES, --liquid, --rpc URL,
                     --algod URL, --drop-box, all as for "agent"

            Starts the agent in the background. It asks for the passphrase here and returns when the
            agent answers. The agent writes its messages to agent.log in the home.

            example: countersign agent start --idle 10
            """
    ) { invocation in
        let home = try invocation.workspace(toWrite: true).open
        _ = try AgentOptions.times(invocation.arguments)
        _ = try AgentHook.path(invocation)
        let process = try await AgentStarting(invocation, home).run()
        invocation.console.done(
            ["process": .integer(Int64(process))], "the agent runs as process \(process)")
        return .done
    }

    static let agentStop = Command(
        name: "agent stop", options: [], operands: 0...0,
        summary: "stop the agent of the home",
        usage: """
            usage: countersign agent stop

            Stops the agent of the home. Requests in progress have 5 seconds to finish; then the
            agent signs the record and locks the vault. Needs no passphrase.

            example: countersign agent stop
            """
    ) { invocation in
        let home = try invocation.environment.home(invocation.arguments)
        let process: Int32
        switch try AgentFinding.presence(in: home) {
        case .none: throw AgentFinding.absent(home)
        case .silent(let number), .serving(let number, _): process = number
        }
        guard kill(process, SIGTERM) == 0 else {
            throw CLIError(
                "the agent (process \(process)) cannot be signalled",
                hint: "check that the process runs under your user")
        }
        try await AgentFinding.wait(seconds: AgentFinding.endSecondsMax) {
            try AgentFinding.presence(in: home) == .none
        }
        invocation.console.done(["stopped": .integer(Int64(process))], "the agent has stopped")
        return .done
    }

    static let agentStatus = Command(
        name: "agent status", options: [], operands: 0...0,
        summary: "show the state of the agent",
        usage: """
            usage: countersign agent status

            Shows whether an agent runs for the home, whether it is locked, how many questions wait
            for a person, and when it started. Exit status 1 if no agent runs.

            example: countersign agent status --json
            """
    ) { invocation in
        let home = try invocation.environment.home(invocation.arguments)
        let console = invocation.console
        let socket: String
        switch try AgentFinding.presence(in: home) {
        case .serving(_, let path): socket = path
        case .silent(let process):
            throw CLIError(
                "process \(process) has this home open and does not answer",
                hint: "try again in a moment, or: countersign agent stop")
        case .none:
            if console.isJSON { console.put((["running": false] as JSON).write()) }
            throw AgentFinding.absent(home)
        }
        let (status, terminals) = try await AgentFinding.client(home) { client in
            (
                try await client.status().json,
                try await client.ask("GET", "/v1/owner/terminals").json
            )
        }
        guard !console.isJSON else {
            let members: [JSONObject.Member] = [
                .init(name: "running", value: true), .text("socket", socket),
                .init(name: "terminals", value: terminals),
            ]
            console.put(JSON.object(JSONObject(members + (status.object?.members ?? []))).write())
            return .done
        }
        func text(_ name: String) -> String { VisibleText.escaped(status[name]?.text ?? "") }
        console.put("\(text("state")), at \(VisibleText.escaped(socket))")
        console.put(
            "process \(status["process"]?.integerValue ?? 0), started \(text("started"))")
        console.put(AgentFinding.version(of: status))
        if status["outdated"] != nil { console.put("restart the agent: \(text("outdated"))") }
        console.put("\(status["waiting"]?.integerValue ?? 0) waiting for a person")
        if let count = status["unanswered"]?.integerValue, count > 0 {
            console.put("clients over relays get no answer until it is unlocked: \(count)")
        }
        for relay in status["relays"]?.list ?? [] {
            console.put("relay \(RelayLine.text(relay))")
        }
        if let count = status["channels"]?.integerValue {
            console.put("connections to pages by Liquid Auth: \(count)")
        }
        if status["frozen"] != nil { console.put("frozen: \(text("frozen"))") }
        console.put(rows: VisibleText.escaped(status["sandbox"]?["text"]?.text ?? ""), indent: 2)
        let libraries = (status["libraries"]?.list ?? []).map { library in
            let isLoaded = library["loaded"]?.flag == true
            return VisibleText.escaped(library["name"]?.text ?? "")
                + (isLoaded ? " loaded" : " not loaded")
        }
        console.put(rows: "libraries: \(libraries.joined(separator: ", "))", indent: 2)
        console.put("locks with the login: \(text("locks_with_login"))")
        console.put("passphrase given: \(OwnerTerminalText.text(terminals))")
        console.put("notifications: \(text("notifies"))")
        console.put("hook: \(text("hook"))")
        console.put("approver: \(text("approver"))")
        return .done
    }

    static let agentReady = Command(
        name: "agent ready", options: [], operands: 0...0,
        summary: "tell whether the agent can sign, by the exit status",
        usage: """
            usage: countersign agent ready

            Exit status 0 if the agent of the home runs and can sign: its vault is unlocked, a
            policy is in force, and signing is not frozen. Otherwise it prints the reason and has
            exit status 1. For health checks: it never starts an agent and needs no passphrase.

            example: countersign agent ready --json
            """
    ) { invocation in
        let home = try invocation.environment.home(invocation.arguments)
        let reason: String?
        do {
            reason = try await AgentFinding.obstacle(home)
        } catch {
            reason = CLIError(error).message
        }
        let console = invocation.console
        guard let reason else {
            console.done(["ready": true], "the agent can sign")
            return .done
        }
        let state: JSON = ["ready": false, "reason": .string(reason)]
        if console.isJSON { console.put(state.write()) }
        throw CLIError("the agent cannot sign: \(VisibleText.escaped(reason))", hint: nil)
    }

    static let agentLock = Command(
        name: "agent lock", options: [], operands: 0...0,
        summary: "lock the vault of the agent",
        usage: """
            usage: countersign agent lock

            Locks the vault of the agent. The agent goes on answering requests that need no key.
            Needs no passphrase.

            example: countersign agent lock
            """
    ) { invocation in
        let home = try invocation.environment.home(invocation.arguments)
        let reply = try await AgentFinding.client(home) { client in
            try await client.ask("POST", "/v1/lock")
        }
        guard reply.isGood else { throw reply.refusal }
        invocation.console.done(["state": "locked"], "the vault of the agent is locked")
        return .done
    }

    static let agentUnlock = Command(
        name: "agent unlock", options: [], operands: 0...0,
        summary: "unlock the vault of the agent",
        usage: """
            usage: countersign agent unlock

            Asks for the passphrase and unlocks the vault of the agent. After each wrong passphrase
            you have to wait longer before the next.

            example: countersign agent unlock
            """
    ) { invocation in
        let home = try invocation.environment.home(invocation.arguments)
        let passphrase = try invocation.passphrase()
        for attempt in 1...passphrase.attemptsMax {
            _ = try await AgentFinding.required(home)
            let secret = try passphrase.read(to: "unlock the agent", isAgain: attempt > 1)
            let reply = try await AgentFinding.unlock(
                home, secret, forTerminal: passphrase.isTyped)
            guard !reply.isGood else { break }
            guard reply.code == "wrong_passphrase", attempt < passphrase.attemptsMax else {
                throw reply.refusal
            }
            let seconds = reply.header("retry-after").flatMap { Int($0) } ?? 1
            try? await Task.sleep(for: .seconds(seconds))
        }
        invocation.console.done(["state": "unlocked"], "the vault of the agent is unlocked")
        return .done
    }
}

/// The agent of a home, for commands that inspect or control it.
enum AgentFinding {
    /// The maximum time an agent may take to end, in seconds; longer than the drain time of
    /// requests in flight.
    static let endSecondsMax = 15

    static func absent(_ home: String) -> CLIError {
        let isAwaited = AgentAwakening.socket(for: home).map(AgentAwakening.isHeld) == true
        return CLIError(
            "no agent serves this home",
            hint: isAwaited
                ? "systemd starts it on first use: countersign agent unlock"
                : "start one: countersign agent start")
    }

    /// The version of an agent, and a note if its build differs from that of this command.
    static func version(of status: JSON) -> String {
        let build = status["build"]?.text
        let number = status["version"]?.text ?? "unknown"
        let own = ProductVersion.ofProgram
        let shown = VisibleText.escaped(ProductVersion.text(number, build: build))
        let isOther = number != ProductVersion.number || build != own.build
        return "version \(shown)"
            + (isOther ? "; this command is \(own.text): restart the agent" : "")
    }

    /// The reason that the agent cannot sign; nil if it can.
    ///
    /// Starts no agent.
    static func obstacle(_ home: String) async throws -> String? {
        switch try presence(in: home) {
        case .none: return "no agent serves this home"
        case .silent: return "the agent does not answer yet"
        case .serving: break
        }
        let reply = try await client(home) { try await $0.ask("GET", "/v1/ready") }
        guard !reply.isGood else { return nil }
        return reply.code == "not_ready" ? reply.json["detail"]?.text : reply.refusal.message
    }

    static func presence(in home: String) throws -> AgentPresence {
        try AgentPresence(in: home)
    }

    static func required(_ home: String) async throws -> AgentClient {
        try await AgentClient.required(for: home)
    }

    static func client<Value>(
        _ home: String, _ body: (AgentClient) async throws -> Value
    ) async throws -> Value {
        let client = try await required(home)
        return try await body(client)
    }

    static func unlock(
        _ home: String, _ passphrase: borrowing SecretBytes, forTerminal: Bool
    ) async throws -> AgentReply {
        let client = try await required(home)
        let sealed = try await client.sealed(passphrase)
        return try await client.ask(
            "POST", "/v1/unlock", sealed.body(forTerminal: forTerminal),
            waitSeconds: unlockSecondsMax)
    }

    /// The maximum time to unlock, in seconds; key derivation is slow if memory is short.
    private static let unlockSecondsMax: Int64 = 60

    /// Polls a condition until it is true; throws after a number of seconds.
    static func wait(seconds: Int, until isSo: () throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(seconds)
        while try !isSo() {
            guard .now < end else {
                throw CLIError(
                    "the agent did not finish within \(seconds) s",
                    hint: "see agent.log in the home")
            }
            try? await Task.sleep(for: .milliseconds(20))
        }
    }
}
