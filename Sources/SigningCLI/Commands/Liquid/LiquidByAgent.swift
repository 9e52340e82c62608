// SPDX-License-Identifier: Apache-2.0

import LiquidAuth
import SigningAgent
import SigningCodecs
import SigningCore
import SigningService

/// A connection to a page that the agent keeps; this command orders it and waits until it is open.
struct LiquidByAgent: Sendable {
    private let plan: LiquidPlan
    private let session: AgentSession
    private let console: Console

    init(_ plan: LiquidPlan, in session: AgentSession, _ console: Console) {
        self.plan = plan
        self.session = session
        self.console = console
    }

    /// The time of one long poll, in seconds.
    private static let waitSeconds: Int64 = 60

    /// True if the agent of the home can keep the connection; reports the reason if it cannot.
    static func isThere(_ invocation: Invocation) async throws -> Bool {
        guard !invocation.arguments.has("--no-agent") else { return false }
        let home = try invocation.environment.home(invocation.arguments)
        guard let client = try AgentClient.find(for: home) else { return false }
        let (status, setting) = try await client.status()
        let obstacle: String? =
            if status["state"]?.text != "unlocked" {
                "the agent is locked"
            } else if status["channels"]?.integerValue == nil {
                "the agent was not started with --liquid"
            } else {
                AgentRoute.nodeObstacle(invocation, "algorand", to: setting)
            }
        guard let obstacle else { return true }
        invocation.console.note("\(obstacle): this command works without the agent")
        return false
    }

    /// Orders the connection and reports its progress; a cancellation before it is open ends it.
    func run() async throws -> ExitStatus {
        let begun = try await ask("POST", "/v1/liquid", plan.json)
        guard let id = begun["id"]?.text else {
            throw CLIError(
                "the answer of the agent cannot be read",
                hint: "check its version: countersign agent status")
        }
        console.note(
            "the agent has the URI; to answer its questions: countersign inbox (Ctrl-C ends the "
                + "connection)")
        do {
            return try await follow(id, from: begun)
        } catch {
            guard Task.isCancelled else { throw error }
            _ = await Task { [session] in
                try? await session.ask("DELETE", "/v1/liquid/\(id)", waitSeconds: Self.waitSeconds)
            }.value
            console.note("ended by this command before a channel was open")
            return .failed
        }
    }

    private func follow(_ id: String, from begun: JSON) async throws -> ExitStatus {
        var report = begun
        var reported: [LiquidStage] = []
        while true {
            for stage in Self.stages(report) where !reported.contains(stage) {
                reported.append(stage)
                let line = plan.line(stage, ending: "countersign liquid close \(id)")
                guard let line else { continue }
                guard stage == .open else {
                    console.note(line)
                    continue
                }
                console.done(
                    ["id": .string(id), "server": .string(plan.order.uri.origin.text)], line)
                return .done
            }
            if let ending = report["ending"], let kind = ending["kind"]?.text {
                let code = ending["code"]?.text.flatMap(ReasonCode.init)
                let hint = code == .tooManyQuestions ? Self.freePlaceHint : ending["hint"]?.text
                throw CLIError(
                    kind: kind, ending["text"]?.text ?? "", hint: hint, code: code,
                    to: plan.place)
            }
            let revision = report["revision"]?.integerValue ?? 0
            report = try await ask(
                "GET",
                "/v1/liquid/\(id)?after=\(revision)&wait_seconds=\(Self.waitSeconds)&attends=true")
        }
    }

    /// The stages that the connection has reached.
    private static func stages(_ report: JSON) -> [LiquidStage] {
        let all: [(String, LiquidStage)] = [
            ("waiting", .loggedIn), ("waiting", .waiting), ("connecting", .connecting),
            ("open", .open),
        ]
        let chosen = report["stun_server"]?.text.map { LiquidStage.stunServer($0) }
        let unknown: [LiquidStage] =
            (report["passkey_unknown"] == .bool(true) ? [.unknownPasskey] : [])
            + (report["without_relay"] == .bool(true) ? [.withoutRelay] : [])
            + (report["without_stun"] == .bool(true) ? [.stunServer(nil)] : [])
            + (chosen.map { [$0] } ?? [])
        let state = report["state"]?.text
        guard let last = all.lastIndex(where: { $0.0 == state }) else { return unknown }
        return unknown + all[...last].map(\.1)
    }

    private func ask(_ method: String, _ path: String, _ body: JSON? = nil) async throws -> JSON {
        let reply = try await session.ask(method, path, body, waitSeconds: Self.waitSeconds)
        guard reply.isBusy, body != nil else {
            guard reply.isGood else { throw reply.refusal }
            return reply.json
        }
        throw ServiceError(reply.refusal.message, hint: Self.freePlaceHint)
    }

    /// The hint for an agent without room for a connection or its question.
    private static let freePlaceHint =
        "end a connection (countersign liquid list, liquid close), answer what waits (countersign "
        + "inbox), or add --no-agent"
}
