// SPDX-License-Identifier: Apache-2.0

import Nostr
import SigningAgent
import SigningCodecs
import SigningCore
import SigningDigests
import SigningFiles
import SigningService
import SigningStorage
import SigningTerminal

/// Compares the state of an agent with the request of a command.
///
/// The command works alone if the agent is locked, or if it lacks the wire, drop box or nodes that
/// the request needs.
enum AgentRoute {
    /// The reason that an agent cannot answer a request.
    struct Obstacle {
        let text: String
        /// True if the owner can unlock the agent.
        let isLocked: Bool

        /// Tells the person why the command works alone.
        func report(on console: Console) {
            console.note("\(text): this command works without the agent")
            if isLocked { console.note("to unlock the agent: countersign agent unlock") }
        }
    }

    /// Returns the reason that the agent of a home cannot answer a request; nil if it can, or if
    /// there is no agent.
    static func obstacle(
        in home: CommandHome, to frame: Frame, _ invocation: Invocation,
        _ adapter: any ProtocolAdapter
    ) -> Obstacle? {
        guard let agent = home.agent else {
            return home.isAgentBusy ? Obstacle(text: "the agent is too busy", isLocked: false) : nil
        }
        let text = obstacle(agent.status, agent.setting, to: frame, invocation, adapter)
        return text.map { Obstacle(text: $0, isLocked: !isUnlocked(agent.status)) }
    }

    /// Refuses a change that a running agent would not notice; `what` names the change.
    static func refuseWhileRunning(_ workspace: Workspace, _ what: String) throws {
        let client = try AgentClient.find(for: workspace.home.path)
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

    /// Returns whether the command answers a request itself after an answer of the agent, and
    /// reports the reason.
    ///
    /// If the agent's question queue is full, the command asks the owner at its terminal. A command
    /// that proves its server does so too if programs that claim to be that server used up its rate
    /// limit.
    static func fallsBack(
        after given: CommandAnswer, to request: CommandRequest, _ invocation: Invocation
    ) -> Bool {
        guard given.isByAgent else { return false }
        let answer = given.answer
        if request.adapter is any PlacesAnswers, isTooLarge(answer, invocation) {
            invocation.console.note(
                "the answer is too large for a URL: this command works without the agent and sends "
                    + "the answer by POST")
            return true
        }
        let isSlowedDown = request.provesServer && answer.isSlowedDown
        guard answer.isCrowdedOut || isSlowedDown, Terminal() != nil else { return false }
        let obstacle =
            isSlowedDown
            ? "the agent got too many requests in the name of this server"
            : "too many questions wait at the agent"
        invocation.console.note(
            "\(obstacle): this command works without the agent; to answer those questions: "
                + "countersign inbox")
        return true
    }

    /// True if the agent refused an answer as too large for an address; `open` can send it by POST.
    private static func isTooLarge(_ answer: Answer, _ invocation: Invocation) -> Bool {
        guard invocation.arguments.command == CommandLineTool.openCallback.name,
            case .refused(let error) = answer.ending
        else { return false }
        return error.code == "payload_too_large"
    }
}

extension Answer {
    /// True if the agent had no room for any request.
    fileprivate var isCrowdedOut: Bool {
        switch ending {
        case .refused(let error): error.code == Self.busyCode
        case .outcome(.denied(let reason)): reason.code == .tooManyQuestions
        case .outcome: false
        }
    }

    /// True if people were asked too often on behalf of this client.
    fileprivate var isSlowedDown: Bool {
        guard case .outcome(.denied(let reason)) = ending else { return false }
        return reason.code == .limitExceeded && reason.rule == nil
    }
}
