// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore
package import SigningService
internal import SigningStorage

/// The signer of a home whose vault is open in its agent: the agent judges a command's frames as
/// this process would.
///
/// Only the command line uses it: requests are recorded on the channel `cli`.
package struct AgentSigner: Signer {
    private let client: AgentClient
    private let home: OpenHome
    private let adapter: any ProtocolAdapter
    /// Called once if the answer takes longer than an instant.
    private let whenWaiting: @Sendable () -> Void

    /// Creates a signer that sends frames of one wire to the agent of a home.
    package init(
        _ client: AgentClient, of home: OpenHome, for adapter: any ProtocolAdapter,
        whenWaiting: @escaping @Sendable () -> Void
    ) {
        self.client = client
        self.home = home
        self.adapter = adapter
        self.whenWaiting = whenWaiting
    }

    /// The time after which `whenWaiting` is called, in seconds.
    private static let instantSeconds: Int64 = 1

    /// Sends a frame to the agent and waits for the answer; cancelling the task withdraws the
    /// request.
    package func answer(_ frame: Frame, over wire: AdapterID?) async -> Answer {
        do throws(ServiceError) {
            guard let answer = try await ask(frame, wire) else {
                return .unavailable(AgentReply.busy, as: Answer.busyCode, to: frame, over: adapter)
            }
            return answer
        } catch {
            return .unavailable(error, to: frame, over: adapter)
        }
    }

    /// Returns the agent's answer; nil if the agent is too busy to accept the frame.
    private func ask(_ frame: Frame, _ wire: AdapterID?) async throws(ServiceError) -> Answer? {
        var members: [JSONObject.Member] = [
            .init(name: "frame_base64", value: .string(Base64.encode(frame.bytes.span))),
            .init(name: "channel", value: "cli"),
            .init(name: "wait_seconds", value: .integer(Self.instantSeconds)),
        ]
        if let wire { members.append(.init(name: "wire", value: .string(wire.name))) }
        if let claim = frame.peer.claim {
            members.append(.init(name: "client", value: .string(claim)))
        }
        if frame.peer.visit == .link { members.append(.init(name: "by_link", value: true)) }
        var reply = try await client.ask(
            "POST", "/v1/requests", .object(JSONObject(members)), waitSeconds: Self.instantSeconds)
        if reply.json["state"]?.text == "pending" {
            whenWaiting()
            reply = try await client.ended(reply.json["id"]?.text ?? "")
        }
        if reply.isBusy { return nil }
        guard reply.isGood else { throw reply.refusal }
        let answer = AgentAnswer(reply.json) { id in
            let ledger = try? home.openLedger()
            let grants = try? ledger?.allGrants()
            return grants?.first { $0.sealed.grant.idText == id }?.sealed.grant
        }.answer
        guard let answer else { throw AgentReply.strange }
        return answer
    }
}

extension Answer {
    fileprivate static let busyCode = "agent_busy"

    /// True if the agent had no room for any request.
    package var isCrowdedOut: Bool {
        switch ending {
        case .refused(let error): error.code == Self.busyCode
        case .outcome(.denied(let reason)): reason.code == .tooManyQuestions
        case .outcome: false
        }
    }

    /// True if people were asked too often on behalf of this client.
    package var isSlowedDown: Bool {
        guard case .outcome(.denied(let reason)) = ending else { return false }
        return reason.code == .limitExceeded && reason.rule == nil
    }
}
