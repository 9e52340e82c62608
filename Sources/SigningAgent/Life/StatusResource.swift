// SPDX-License-Identifier: Apache-2.0

internal import BuiltInProtocols
internal import Glibc
internal import Sandbox
package import SigningCodecs
internal import SigningCore
internal import SigningFiles
package import SigningService
internal import SigningVault
package import Socket

/// The settings of an agent that affect the outcome of requests.
package struct AgentSetting: Hashable, Sendable {
    /// The wires that the agent serves.
    package let wires: [String]
    /// The folder of drop boxes that requests may name; nil if they may name none.
    package let dropBoxes: String?
    /// A digest of each network's node URL, by name such as `near/testnet`; the URLs may contain
    /// secrets.
    package let nodes: [String: String]

    /// Stores the settings.
    package init(wires: [String], dropBoxes: String?, nodes: [String: String]) {
        self.wires = wires
        self.dropBoxes = dropBoxes
        self.nodes = nodes
    }

    init?(_ json: JSON) {
        guard let wires = json["wires"]?.list, let nodes = json["nodes"]?.object else {
            return nil
        }
        self.init(
            wires: wires.compactMap(\.text), dropBoxes: json["drop_boxes"]?.text,
            nodes: Dictionary(
                nodes.members.compactMap { member in member.value.text.map { (member.name, $0) } },
                uniquingKeysWith: { $1 }))
    }

    fileprivate var members: [JSONObject.Member] {
        var members: [JSONObject.Member] = [
            .init(name: "wires", value: .array(wires.map { .string($0) })),
            .init(
                name: "nodes",
                value: .object(
                    JSONObject(
                        nodes.sorted { $0.key < $1.key }.map {
                            .init(name: $0.key, value: .string($0.value))
                        }))),
        ]
        if let dropBoxes { members.append(.init(name: "drop_boxes", value: .string(dropBoxes))) }
        return members
    }
}

/// The state of an agent: `/v1/status`.
package struct StatusResource: SocketResource {
    private let home: OpenHome
    private let signer: LocalSigner
    private let setting: AgentSetting
    private let waitingCount: @Sendable () -> Int
    private let relays: @Sendable () -> (all: [JSON], unansweredCount: Int)
    private let channelCount: (@Sendable () -> Int)?
    private let libraries: @Sendable () -> [JSON]
    private let keepers: AgentKeepers
    private let version: ProductVersion
    private let started = SystemEnvironment().now()

    /// Creates a resource.
    ///
    /// `channelCount` counts the connections to pages, if there are any; `libraries` lists the
    /// libraries that are loaded on demand.
    package init(
        of home: OpenHome, by signer: LocalSigner, asking queue: QuestionQueue,
        _ setting: AgentSetting, _ keepers: AgentKeepers, version: ProductVersion,
        relays: @escaping @Sendable () -> (all: [JSON], unansweredCount: Int) = { ([], 0) },
        channelCount: (@Sendable () -> Int)? = nil,
        libraries: @escaping @Sendable () -> [JSON] = { [] }
    ) {
        self.home = home
        self.signer = signer
        self.setting = setting
        self.relays = relays
        self.channelCount = channelCount
        self.libraries = libraries
        waitingCount = { queue.overview.waiting.count }
        self.keepers = keepers
        self.version = version
    }

    /// The id by which Algorand clients identify this home.
    private var providerID: JSON { (try? ProviderID.of(home)).map { .string($0) } ?? .null }

    /// Returns the status.
    package func respond(to request: HTTPRequest) async -> HTTPResponse? {
        guard request.head.path == "/v1/status" else { return nil }
        if let refusal = request.head.misdirected(methods: ["GET"]) { return refusal }
        let isUnlocked = home.vault.isUnlocked
        let (relays, unansweredCount) = relays()
        var members: [JSONObject.Member] = [
            .init(name: "state", value: .string(isUnlocked ? "unlocked" : "locked")),
            .init(name: "version", value: .string(ProductVersion.number)),
            .init(name: "build", value: version.build.map { .string($0) } ?? .null),
            .init(name: "process", value: .integer(Int64(getpid()))),
            .init(name: "home", value: .string(home.home.path)),
            .init(name: "provider_id", value: providerID),
            .init(name: "started", value: .string(started.utcText)),
            .init(name: "waiting", value: .integer(Int64(waitingCount()))),
            .init(name: "relays", value: .array(relays)),
            .init(name: "unanswered", value: .integer(Int64(unansweredCount))),
            .init(
                name: "channels", value: channelCount.map { .integer(Int64($0())) } ?? .null),
            .init(name: "sandbox", value: Self.sandbox),
            .init(name: "libraries", value: .array(libraries())),
            .init(name: "locks_with_login", value: .string(keepers.login?.text ?? "no: --most 0")),
            .init(name: "notifies", value: .string(keepers.notice.text)),
            .init(name: "hook", value: .string(keepers.hook?.text ?? "not set")),
            .init(name: "approver", value: .string(keepers.approver.text)),
        ]
        if let problem = signer.formatProblem {
            members.append(.init(name: "outdated", value: .string(problem)))
        }
        if let reason = signer.freezeReason() {
            members.append(.init(name: "frozen", value: .string(reason)))
        }
        if let note = home.policyNote() {
            members.append(
                .init(
                    name: "policy_note",
                    value: ["state": .string(note.state), "fix": .string(note.fix)]))
        }
        if signer.hasNewerPolicy() { members.append(.init(name: "newer_policy", value: true)) }
        return HTTPResponse(200, .object(JSONObject(members + setting.members)))
    }
}

extension StatusResource {
    private static var sandbox: JSON {
        let state = Sandbox.state
        return [
            "whole": .bool(state?.isWhole == true),
            "text": .string(state?.text ?? "not in a sandbox"),
        ]
    }
}

extension AgentClient {
    /// The agent's status and settings.
    package func status() async throws(ServiceError) -> (json: JSON, setting: AgentSetting) {
        guard let status = try await statusUnlessBusy() else { throw AgentReply.busy }
        return status
    }

    /// The agent's status and settings; nil if the agent is busy.
    package func statusUnlessBusy() async throws(ServiceError) -> (
        json: JSON, setting: AgentSetting
    )? {
        let reply = try await ask("GET", "/v1/status")
        if reply.isBusy { return nil }
        guard reply.isGood else { throw reply.refusal }
        guard let setting = AgentSetting(reply.json) else { throw AgentReply.strange }
        return (reply.json, setting)
    }
}
