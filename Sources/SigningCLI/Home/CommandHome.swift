// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import SigningAgent
import SigningCodecs
import SigningCore
import SigningFiles
import SigningService
import SigningStorage
import SigningTerminal
import SigningWires
import Synchronization

/// The agent that serves a home, with the state that it reported to this command.
struct ServingAgent: Sendable {
    let client: AgentClient
    let status: JSON
    let setting: AgentSetting
}

/// The home of a command that sends requests.
///
/// If an agent serves it, no file of it is opened, unless the agent cannot answer the request.
final class CommandHome: Sendable {
    private let invocation: Invocation
    /// The wires: with the settings of the home if this process opened it.
    let adapters: AdapterSet
    /// The agent; nil if none serves the home or if it is too busy.
    let agent: ServingAgent?
    /// True if an agent serves the home but is too busy to report its state.
    let isAgentBusy: Bool
    private let opened: Mutex<Workspace?>

    /// Finds the agent of the home, and opens the home if there is none; `workspace` is the open
    /// home of a command that has one already.
    init(_ invocation: Invocation, opened workspace: Workspace? = nil) async throws {
        self.invocation = invocation
        let client = try Self.client(for: try invocation.checkedHome(), invocation)
        agent = try await Self.agent(client)
        isAgentBusy = client != nil && agent == nil
        var workspace = workspace
        if workspace == nil, agent == nil { workspace = try Self.open(invocation) }
        adapters = workspace?.adapters ?? invocation.adapters
        opened = Mutex(workspace)
    }

    /// Returns the open home; opens it at the first call.
    func workspace() throws -> Workspace {
        if let workspace = opened.withLock({ $0 }) { return workspace }
        let workspace = try Self.open(invocation)
        opened.withLock { $0 = workspace }
        return workspace
    }

    /// Returns the agent if it can answer a request, else the reason that it cannot; neither if no
    /// agent serves the home.
    func agent(
        for request: CommandRequest
    ) -> (agent: ServingAgent?, obstacle: AgentRoute.Obstacle?) {
        let frame = request.toAgent
        guard !frame.bytes.isEmpty, frame.bytes.count <= request.adapter.frameBytesMax else {
            return (nil, nil)
        }
        let obstacle = AgentRoute.obstacle(in: self, to: frame, invocation, request.adapter)
        return (obstacle == nil ? agent : nil, obstacle)
    }

    /// Returns the signer of the home in this process, for requests of a wire.
    func signer(
        for adapter: any ProtocolAdapter, unlockedBy passphrase: Passphrase
    ) throws -> LocalSigner {
        let open = try workspace().open
        let schemas = open.adapters.schemas
        let courier = invocation.courier(
            of: adapter.schema.protocolID, and: try AddedNetworks(in: open.vault))
        return try LocalSigner(
            of: open, asking: TerminalApproval(schemas: schemas),
            approvers: ApproverText.interruptibleWords(schemas, invocation.console),
            unlockedBy: passphrase, couriers: courier.map { [$0] } ?? [],
            runtimeFolder: invocation.environment["XDG_RUNTIME_DIR"])
    }

    /// Returns this home's ARC-27 provider id.
    func providerID() throws -> String {
        if let id = agent?.status["provider_id"]?.text { return id }
        return try workspace().providerID()
    }

    private static func open(_ invocation: Invocation) throws -> Workspace {
        try invocation.workspace(toWrite: true)
    }

    private static func client(for home: Home, _ invocation: Invocation) throws -> AgentClient? {
        guard !invocation.arguments.has("--no-agent") else { return nil }
        return try AgentClient.find(for: home.path)
    }

    private static func agent(_ client: AgentClient?) async throws -> ServingAgent? {
        guard let client, let (status, setting) = try await client.statusUnlessBusy() else {
            return nil
        }
        return ServingAgent(client: client, status: status, setting: setting)
    }
}
