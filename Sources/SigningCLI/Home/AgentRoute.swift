// SPDX-License-Identifier: Apache-2.0

import Nostr
import SigningAgent
import SigningCodecs
import SigningCore
import SigningDigests
import SigningService
import SigningStorage

/// Sends the requests of a command to the agent of the home.
///
/// The command works alone if no agent runs, or if the agent lacks the wire, drop box or nodes that
/// the request needs.
enum AgentRoute {
    /// The agent's answer to a frame; nil if the command works alone.
    ///
    /// If the agent's question queue is full, the command asks the owner at its terminal by
    /// `approval`. A command that `provesServer` also works alone if programs that claim to be that
    /// server used up its rate limit.
    static func answer(
        to frame: Frame, _ invocation: Invocation, for adapter: any ProtocolAdapter,
        in workspace: Workspace, orAsking approval: some Approval, provesServer: Bool = false
    ) async throws(CLIError) -> Answer? {
        guard let agent = try await signer(of: frame, invocation, for: adapter, in: workspace)
        else { return nil }
        let answer = await StopSignals.run { await agent.answer(frame, over: adapter.id) }
        if adapter is any PlacesAnswers, isTooLarge(answer, invocation) {
            invocation.console.note(
                "the answer is too large for a URL: this command works without the agent and sends "
                    + "the answer by POST")
            return nil
        }
        let isSlowedDown = provesServer && answer.isSlowedDown
        guard answer.isCrowdedOut || isSlowedDown, approval.canAsk else { return answer }
        let obstacle =
            isSlowedDown
            ? "the agent got too many requests in the name of this server"
            : "too many questions wait at the agent"
        invocation.console.note(
            "\(obstacle): this command works without the agent; to answer those questions: "
                + "countersign inbox")
        return nil
    }

    /// True if the agent refused an answer as too large for an address; `open` can send it by POST.
    private static func isTooLarge(_ answer: Answer, _ invocation: Invocation) -> Bool {
        guard invocation.arguments.command == CommandLineTool.openCallback.name,
            case .refused(let error) = answer.ending
        else { return false }
        return error.code == "payload_too_large"
    }

    /// The agent's signer; nil if the command works alone or the adapter refuses the frame's size.
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
                console.note("the agent is too busy: this command works without the agent")
                return nil
            }
            if let reason = obstacle(status, setting, to: frame, invocation, adapter) {
                console.note("\(reason): this command works without the agent")
                if !isUnlocked(status) {
                    console.note(
                        "to unlock the agent: countersign agent unlock")
                }
                return nil
            }
            return AgentSigner(client, of: workspace.open, for: adapter) {
                console.note(
                    "the agent has the request; if it waits for a person: countersign inbox "
                        + "(Ctrl-C withdraws it)")
            }
        } catch {
            throw CLIError(error)
        }
    }

    /// Refuses a change that a running agent would not notice; `what` names the change.
    static func refuseWhileRunning(
        _ workspace: Workspace, _ what: String
    ) throws(CLIError) {
        let client = try CLIError.wrapping { () throws(ServiceError) in
            try AgentClient.find(for: workspace.home.path)
        }
        guard client != nil else { return }
        throw CLIError(
            "an agent runs for this home",
            hint: "the agent must not run while \(what): countersign agent stop")
    }

    private static func obstacle(
        _ status: JSON, _ theirs: AgentSetting, to frame: Frame, _ invocation: Invocation,
        _ adapter: any ProtocolAdapter
    ) -> String? {
        guard isUnlocked(status) else { return "the agent is locked" }
        guard theirs.wires.contains(adapter.id.name) else {
            return "the agent does not support \(adapter.id.name)"
        }
        let own = setting(invocation, wires: [])
        let namesBox =
            (adapter as? any TakesEnclosures)?.enclosureName(in: frame.bytes.span) != nil
        if namesBox, let folder = own.dropBoxes, folder != theirs.dropBoxes {
            return "the agent was not started with the same --drop-box"
        }
        return nodeObstacle(adapter.schema.protocolID.name, own, theirs)
    }

    /// The reason that an agent with this setting would use other nodes than the command names; nil
    /// if it would not.
    static func nodeObstacle(
        _ invocation: Invocation, _ protocolName: String, to theirs: AgentSetting
    ) -> String? {
        nodeObstacle(protocolName, setting(invocation, wires: []), theirs)
    }

    private static func nodeObstacle(
        _ name: String, _ own: AgentSetting, _ theirs: AgentSetting
    ) -> String? {
        let isKnown = own.nodes.filter { $0.key.hasPrefix(name + "/") }
            .allSatisfy { theirs.nodes[$0.key] == $0.value }
        return isKnown ? nil : "the agent was not started with the same \(name) nodes"
    }

    private static func isUnlocked(_ status: JSON) -> Bool { status["state"]?.text == "unlocked" }

    /// The setting that the options of an invocation describe.
    static func setting(_ invocation: Invocation, wires: [String]) -> AgentSetting {
        let near = NEARNodes.addresses(invocation).mapValues { [$0] }
        let token = AlgorandNodes.token(invocation).map { [$0] } ?? []
        let algorand = AlgorandNodes.addresses(invocation).mapValues { [$0] + token }
        let nodes = [("near", near), ("algorand", algorand)].flatMap { name, networks in
            networks.map { ("\(name)/\($0.key)", mark(of: $0.value)) }
        }
        let hasBoxes = invocation.arguments.has("--drop-box")
        return AgentSetting(
            wires: wires,
            dropBoxes: hasBoxes ? invocation.environment["XDG_RUNTIME_DIR"] ?? "" : nil,
            nodes: Dictionary(nodes, uniquingKeysWith: { $1 }))
    }

    /// A hash of a node's address and token, to compare nodes without revealing them.
    private static func mark(of node: [String]) -> String {
        let bytes = JSON.array(node.map { .string($0) }).write()
        return Hex.encode(Digest.sha256(bytes.span).span)
    }
}
