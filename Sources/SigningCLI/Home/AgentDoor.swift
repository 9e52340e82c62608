// SPDX-License-Identifier: Apache-2.0

import SigningAgent
import SigningCodecs
import SigningCore
import SigningDigests
import SigningService
import SigningStorage

/// The way to the agent of the home, for what a command wants signed.
///
/// Where none runs, or what it was started with would make another thing of the request, the
/// command works alone, as it does without any.
enum AgentDoor {
    /// What the agent makes of a frame; nil where the command works alone.
    ///
    /// Whatever fills the agent's places, its owner at a terminal has one there, by `approval`. One
    /// who `provesServer` there is not slowed down by programs that claim to be that server.
    static func answer(
        to frame: Frame, _ invocation: Invocation, for adapter: any ProtocolAdapter,
        in workspace: Workspace, orAsking approval: some Approval, provesServer: Bool = false
    ) async throws(CLIError) -> Answer? {
        guard let agent = try await signer(of: frame, invocation, for: adapter, in: workspace)
        else { return nil }
        let answer = await StopSignals.run { await agent.answer(frame, over: adapter.id) }
        let isSlowedDown = provesServer && answer.isSlowedDown
        guard answer.isCrowdedOut || isSlowedDown, approval.canAsk else { return answer }
        let obstacle =
            isSlowedDown
            ? "the agent was asked too often in the server's name"
            : "too much waits at the agent"
        invocation.console.note(
            "\(obstacle): this command works without the agent; "
                + "what waits there: countersign inbox")
        return nil
    }

    /// The agent's signer; nil where the command works alone, as with what no adapter takes.
    private static func signer(
        of frame: Frame, _ invocation: Invocation, for adapter: any ProtocolAdapter,
        in workspace: Workspace
    ) async throws(CLIError) -> AgentSigner? {
        guard !invocation.arguments.has("--no-agent"), !frame.bytes.isEmpty,
            frame.bytes.count <= adapter.frameBytesMax
        else { return nil }
        let console = invocation.console
        do throws(ServiceError) {
            guard let client = try AgentClient.find(for: workspace.home.path) else { return nil }
            guard let (status, setting) = try await client.statusUnlessBusy() else {
                console.note("the agent takes in nothing now: this command works without the agent")
                return nil
            }
            if let reason = obstacle(status, setting, invocation, adapter) {
                console.note("\(reason): this command works without the agent")
                if !isUnlocked(status) { console.note("unlock it: countersign agent unlock") }
                return nil
            }
            return AgentSigner(client, of: workspace.open, for: adapter) {
                console.note(
                    "the agent has the request; what waits for a person: countersign inbox "
                        + "(Ctrl-C withdraws it)")
            }
        } catch {
            throw CLIError(error)
        }
    }

    /// Refuses what an agent would not notice; `what` is what happens meanwhile.
    static func refuseWhileRunning(
        _ workspace: Workspace, _ what: String
    ) throws(CLIError) {
        let client = try CLIError.wrapping { () throws(ServiceError) in
            try AgentClient.find(for: workspace.home.path)
        }
        guard client != nil else { return }
        throw CLIError(
            "an agent runs for this home",
            hint: "no agent may run while \(what): countersign agent stop")
    }

    private static func obstacle(
        _ status: JSON, _ theirs: AgentSetting, _ invocation: Invocation,
        _ adapter: any ProtocolAdapter
    ) -> String? {
        guard isUnlocked(status) else { return "the agent is locked" }
        guard theirs.wires.contains(adapter.id.name) else {
            return "the agent does not speak \(adapter.id.name)"
        }
        let own = setting(invocation, wires: [])
        if let folder = own.dropBoxes, folder != theirs.dropBoxes {
            return "the agent was not started with the same --drop-box"
        }
        return nodeObstacle(adapter.schema.protocolID.name, own, theirs)
    }

    /// Why an agent of this setting would ask other nodes; nil where it would not, or this command
    /// names none.
    static func nodeObstacle(
        _ invocation: Invocation, _ protocolName: String, to theirs: AgentSetting
    ) -> String? {
        nodeObstacle(protocolName, setting(invocation, wires: []), theirs)
    }

    private static func nodeObstacle(
        _ name: String, _ own: AgentSetting, _ theirs: AgentSetting
    ) -> String? {
        guard let nodes = own.nodes[name], nodes != theirs.nodes[name] else { return nil }
        return "the agent was not started with the same nodes of \(name)"
    }

    private static func isUnlocked(_ status: JSON) -> Bool { status["state"]?.text == "unlocked" }

    /// What an invocation says about how requests are dealt with.
    static func setting(_ invocation: Invocation, wires: [String]) -> AgentSetting {
        let token = AlgorandNodes.token(invocation).map { ["token": $0] } ?? [:]
        let algorand = AlgorandNodes.addresses(invocation)
        let nodes = [
            "near": mark(of: NEARNodes.addresses(invocation)),
            "algorand": algorand.isEmpty ? nil : mark(of: algorand.merging(token) { $1 }),
        ]
        let hasBoxes = invocation.arguments.has("--drop-box")
        return AgentSetting(
            wires: wires,
            dropBoxes: hasBoxes ? invocation.environment["XDG_RUNTIME_DIR"] ?? "" : nil,
            nodes: nodes.compactMapValues { $0 })
    }

    /// Tells these addresses from others, and does not tell them.
    private static func mark(of addresses: [String: String]) -> String? {
        guard !addresses.isEmpty else { return nil }
        let members = addresses.sorted { $0.key < $1.key }
            .map { JSONObject.Member(name: $0.key, value: .string($0.value)) }
        let bytes = JSON.object(JSONObject(members)).write()
        return Hex.encode(Digest.sha256(bytes.span).span)
    }
}
