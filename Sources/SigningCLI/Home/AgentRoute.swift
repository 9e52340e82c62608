// SPDX-License-Identifier: Apache-2.0

import Nostr
import SigningAgent
import SigningCodecs
import SigningCore
import SigningDigests
import SigningService
import SigningStorage

/// The way to the agent of the home, for what a command wants signed.
///
/// Where none runs, or it lacks what the request needs (its wire, a drop box, the command's nodes),
/// the command works alone, as it does without any.
enum AgentRoute {
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
        if adapter is any PlacesAnswers, isTooLarge(answer, invocation) {
            invocation.console.note(
                "no address holds the answer: this command works without the agent, and sends it "
                    + "by POST")
            return nil
        }
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

    /// Whether "open" can hand over what the agent refused before it used a key, because no address
    /// holds it.
    private static func isTooLarge(_ answer: Answer, _ invocation: Invocation) -> Bool {
        guard invocation.arguments.command == CommandLineTool.openCallback.name,
            case .refused(let error) = answer.ending
        else { return false }
        return error.code == "payload_too_large"
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
            if let reason = obstacle(status, setting, to: frame, invocation, adapter) {
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
        _ status: JSON, _ theirs: AgentSetting, to frame: Frame, _ invocation: Invocation,
        _ adapter: any ProtocolAdapter
    ) -> String? {
        guard isUnlocked(status) else { return "the agent is locked" }
        guard theirs.wires.contains(adapter.id.name) else {
            return "the agent does not speak \(adapter.id.name)"
        }
        let own = setting(invocation, wires: [])
        let namesBox =
            (adapter as? any TakesEnclosures)?.enclosureName(in: frame.bytes.span) != nil
        if namesBox, let folder = own.dropBoxes, folder != theirs.dropBoxes {
            return "the agent was not started with the same --drop-box"
        }
        return nodeObstacle(adapter.schema.protocolID.name, own, theirs)
    }

    /// Why an agent of this setting would ask other nodes than those that this command names; nil
    /// where it would not.
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
        return isKnown ? nil : "the agent was not started with the same nodes of \(name)"
    }

    private static func isUnlocked(_ status: JSON) -> Bool { status["state"]?.text == "unlocked" }

    /// What an invocation says about how requests are dealt with.
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

    /// Tells an address and what goes with it from others, and does not tell them.
    private static func mark(of node: [String]) -> String {
        let bytes = JSON.array(node.map { .string($0) }).write()
        return Hex.encode(Digest.sha256(bytes.span).span)
    }
}
