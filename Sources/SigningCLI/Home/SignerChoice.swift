// SPDX-License-Identifier: Apache-2.0

import Nostr
import SigningAgent
import SigningCore
import SigningService
import SigningTerminal

/// The choice of the signer for one request: the agent of the home if it can answer, else the home
/// that this process opens.
struct SignerChoice {
    /// A request in the two forms in which the signers get it.
    struct Request {
        let adapter: any ProtocolAdapter
        /// The frame for the agent, which proves the peer itself.
        let toAgent: Frame
        /// The frame for the home in this process.
        let toHome: Frame
        /// True if the command proves which server asks.
        let provesServer: Bool
    }

    private let request: Request
    private let invocation: Invocation
    private let home: CommandHome
    private let passphrase: Passphrase
    /// The agent, if it can answer.
    private let agent: ServingAgent?
    /// The reason that an agent which serves the home cannot answer.
    private let obstacle: AgentRoute.Obstacle?

    /// Chooses by the state that the agent reported.
    init(
        for request: Request, _ invocation: Invocation, in home: CommandHome
    ) throws(CLIError) {
        self.request = request
        self.invocation = invocation
        self.home = home
        // An error in its option is reported even if no passphrase is needed.
        passphrase = try invocation.passphrase()
        let frame = request.toAgent
        let isPossible =
            !frame.bytes.isEmpty && frame.bytes.count <= request.adapter.frameBytesMax
        obstacle =
            isPossible
            ? AgentRoute.obstacle(in: home, to: frame, invocation, request.adapter) : nil
        agent = isPossible && obstacle == nil ? home.agent : nil
    }

    /// Returns the signer for the request, with the frame for it.
    func signer() throws(CLIError) -> (signer: any CommandSigner, frame: Frame) {
        guard let agent else { return try homeSigner() }
        return (
            AgentCommandSigner(agent, for: request.adapter, invocation.console), request.toAgent
        )
    }

    /// Opens the home in this process; returns its signer, with the frame for it.
    func homeSigner() throws(CLIError) -> (signer: any CommandSigner, frame: Frame) {
        let open = try home.workspace().open
        let schemas = open.adapters.schemas
        let courier = invocation.courier(of: request.adapter.schema.protocolID)
        let signer = try CLIError.wrapping { () throws(ServiceError) in
            try LocalSigner(
                of: open, asking: TerminalApproval(schemas: schemas),
                approvers: ApproverText.interruptibleWords(schemas, invocation.console),
                unlockedBy: passphrase, couriers: courier.map { [$0] } ?? [],
                runtimeFolder: invocation.environment["XDG_RUNTIME_DIR"])
        }
        return (signer, request.toHome)
    }

    /// Reports the reason that the agent cannot answer, if there is one.
    func reportObstacle() {
        guard let obstacle else { return }
        invocation.console.note("\(obstacle.text): this command works without the agent")
        if obstacle.isLocked {
            invocation.console.note("to unlock the agent: countersign agent unlock")
        }
    }

    /// Returns whether the command answers the request itself after an answer of the agent, and
    /// reports the reason.
    ///
    /// If the agent's question queue is full, the command asks the owner at its terminal. A command
    /// that proves its server does so too if programs that claim to be that server used up its rate
    /// limit.
    func fallsBack(after given: CommandAnswer) -> Bool {
        guard given.isByAgent else { return false }
        let answer = given.answer
        if request.adapter is any PlacesAnswers, isTooLarge(answer) {
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
    private func isTooLarge(_ answer: Answer) -> Bool {
        guard invocation.arguments.command == CommandLineTool.openCallback.name,
            case .refused(let error) = answer.ending
        else { return false }
        return error.code == "payload_too_large"
    }
}
