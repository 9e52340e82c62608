// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
package import SigningCore
internal import SigningService

/// The signer of a home whose vault is open in its agent: the agent judges a command's frames as
/// this process would.
///
/// Only the command line uses it: requests are recorded on the channel `cli`. No file of the home
/// is read here.
package struct AgentSigner: Signer {
    private let client: AgentClient
    private let adapter: any ProtocolAdapter
    /// Called once if the answer takes longer than an instant.
    private let whenWaiting: @Sendable () -> Void

    /// Creates a signer that sends frames of one wire to an agent.
    package init(
        _ client: AgentClient, for adapter: any ProtocolAdapter,
        whenWaiting: @escaping @Sendable () -> Void
    ) {
        self.client = client
        self.adapter = adapter
        self.whenWaiting = whenWaiting
    }

    /// The time after which `whenWaiting` is called, in seconds.
    private static let instantSeconds: Int64 = 1

    /// Sends a frame to the agent and waits for the answer; cancelling the task withdraws the
    /// request.
    package func answer(_ frame: Frame, over wire: AdapterID?) async -> Answer {
        await carryOut(frame, over: wire).answer
    }

    /// Sends a frame as `answer` does, and returns the remembered answers too.
    package func carryOut(_ frame: Frame, over wire: AdapterID?) async -> AgentAnswer {
        do throws(ServiceError) {
            guard let answer = try await ask(frame, wire) else {
                return AgentAnswer(
                    .unavailable(AgentReply.busy, as: Answer.busyCode, to: frame, over: adapter))
            }
            return answer
        } catch {
            return AgentAnswer(.unavailable(error, to: frame, over: adapter))
        }
    }

    /// Returns the agent's answer; nil if the agent is too busy to accept the frame.
    private func ask(_ frame: Frame, _ wire: AdapterID?) async throws(ServiceError) -> AgentAnswer?
    {
        let wait = JSONObject.Member(name: "wait_seconds", value: .integer(Self.instantSeconds))
        var reply = try await client.ask(
            "POST", "/v1/requests", Self.submission(of: frame, over: wire, [wait]),
            waitSeconds: Self.instantSeconds)
        if reply.json["state"]?.text == "pending" {
            whenWaiting()
            reply = try await client.result(of: reply.json["id"]?.text ?? "")
        }
        if reply.isBusy { return nil }
        guard reply.isGood else { throw reply.refusal }
        guard let answer = AgentAnswer(reply.json) else { throw AgentReply.strange }
        return answer
    }

    /// The body that submits a frame.
    private static func submission(
        of frame: Frame, over wire: AdapterID?, _ more: [JSONObject.Member] = []
    ) -> JSON {
        var members: [JSONObject.Member] = [
            .init(name: "frame_base64", value: .string(Base64.encode(frame.bytes.span))),
            .init(name: "channel", value: "cli"),
        ]
        if let wire { members.append(.init(name: "wire", value: .string(wire.name))) }
        if let claim = frame.peer.claim {
            members.append(.init(name: "client", value: .string(claim)))
        }
        if frame.peer.visit == .link { members.append(.init(name: "by_link", value: true)) }
        return .object(JSONObject(members + more))
    }
}

extension AgentSigner {
    /// Returns the agent's explanation of a frame; nil if it gives none.
    package func explanation(of frame: Frame) async -> JSON? {
        let opens = JSONObject.Member(
            name: "opens_callbacks", value: .bool(frame.peer.opensCallbacks))
        let body = Self.submission(of: frame, over: adapter.id, [opens])
        let reply = try? await client.ask("POST", "/v1/explain", body)
        return reply.flatMap { $0.isGood ? $0.json : nil }
    }

    /// Returns whether a person or a rule has decided about the client of a frame before.
    package func knowsClient(of frame: Frame) async -> Bool {
        let body = Self.submission(of: frame, over: adapter.id)
        let reply = try? await client.ask("POST", "/v1/known", body)
        return reply?.json["known"]?.flag ?? false
    }
}

extension Answer {
    /// The code of the answer if the agent had no room for any request.
    package static let busyCode = "agent_busy"
}
