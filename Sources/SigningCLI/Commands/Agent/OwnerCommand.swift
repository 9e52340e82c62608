// SPDX-License-Identifier: Apache-2.0

import SigningAgent
import SigningCodecs
import SigningService

/// A command that only the owner may send to the agent, with a session while it runs.
struct OwnerCommand {
    private let client: AgentClient
    private let invocation: Invocation
    private let purpose: String

    /// Finds the agent; the passphrase prompt names the `purpose`.
    init(_ invocation: Invocation, to purpose: String) async throws {
        self.invocation = invocation
        self.purpose = purpose
        let home = try invocation.environment.home(invocation.arguments)
        client = try await AgentFinding.required(home)
    }

    func use(_ body: (AgentSession) async throws -> ExitStatus) async throws -> ExitStatus {
        let session = try await open()
        do {
            let status = try await body(session)
            await close(session)
            return status
        } catch {
            await close(session)
            throw error
        }
    }

    /// Closes the session, also after a cancellation.
    private func close(_ session: AgentSession) async {
        await Task { await session.close() }.value
    }

    private func open() async throws -> AgentSession {
        let passphrase = try invocation.passphrase()
        if passphrase.isTyped, let session = try await AgentSession.open(at: client) {
            return session
        }
        for attempt in 1...passphrase.attemptsMax {
            let secret = try passphrase.read(to: purpose, isAgain: attempt > 1)
            let opening = try await AgentSession.open(
                with: secret, at: client, forTerminal: passphrase.isTyped)
            switch opening {
            case .open(let session): return session
            case .wrongPassphrase(let seconds):
                guard attempt < passphrase.attemptsMax else { break }
                try? await Task.sleep(for: .seconds(seconds))
            }
        }
        throw CLIError("the passphrase is wrong", hint: "try again in a moment")
    }

    /// Performs an act at the agent; throws the refusal if it is not done.
    static func perform(
        _ act: some DescribedAct, _ session: AgentSession, on id: String = "", _ body: JSON? = nil
    ) async throws -> JSON {
        let reply = try await session.perform(act, on: id, body)
        guard reply.isGood else { throw reply.refusal }
        return reply.json
    }

    static func get(_ path: String, _ session: AgentSession) async throws -> JSON {
        try await ask("GET", path, nil, session)
    }

    static func ask(
        _ method: String, _ path: String, _ body: JSON?, _ session: AgentSession
    ) async throws -> JSON {
        let reply = try await session.ask(method, path, body)
        guard reply.isGood else { throw reply.refusal }
        return reply.json
    }
}
