// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import SigningCore
import SigningFiles
import SigningPolicy
import SigningPolicyTools
import SigningService

/// A policy file that a command names, with the keys that its tests use.
struct PolicyFileAtHand {
    private let loaded: PolicyLoading
    private let path: String
    let workspace: Workspace?
    private let adapters: AdapterSet
    private let protocols: ProtocolSupport

    /// Reads FILE, or policy.toml of the home; with FILE a home is not needed.
    ///
    /// Every network counts as one with a node, so that rules about sending can be tested without
    /// nodes.
    init(_ invocation: Invocation) throws {
        guard let given = invocation.arguments.operands.first else {
            let workspace = try Self.workspace(invocation)
            let loaded = try PolicyLoading.reading(
                workspace.home.policyPath, for: workspace.adapters)
            self.init(loaded, of: workspace, invocation)
            return
        }
        let workspace = try? Self.workspace(invocation)
        let adapters = workspace?.adapters ?? invocation.protocols.with(Self.wires).adapters
        self.init(
            loaded: try PolicyLoading.reading(given, for: adapters), path: given,
            workspace: workspace, adapters: adapters, protocols: invocation.protocols)
    }

    /// The home's policy.toml, which was read already.
    init(_ loaded: PolicyLoading, of home: Workspace, _ invocation: Invocation) {
        self.init(
            loaded: loaded, path: home.home.policyPath, workspace: home, adapters: home.adapters,
            protocols: invocation.protocols)
    }

    private init(
        loaded: PolicyLoading, path: String, workspace: Workspace?, adapters: AdapterSet,
        protocols: ProtocolSupport
    ) {
        self.loaded = loaded
        self.path = path
        self.workspace = workspace
        self.adapters = adapters
        self.protocols = protocols
    }

    /// Opens the home to read.
    static func workspace(_ invocation: Invocation) throws -> Workspace {
        try Workspace(
            path: try invocation.environment.home(invocation.arguments),
            invocation.protocols.with(wires))
    }

    private static var wires: BuiltInWires { BuiltInWires(postingNetworks: AlgorandNodes.networks) }

    func usable() throws -> TOMLPolicy {
        try loaded.inUse(path)
    }

    /// The request of a test: its frame, decoded in the same way as by the hub, or its values.
    func request(of test: PolicyTest, _ policy: TOMLPolicy) throws -> JudgedRequest {
        switch test.request {
        case .file(let name): return try request(of: test, in: name, policy)
        case .described(let described):
            guard let account = try accounts(policy).first(where: { $0.name == described.key })
            else {
                throw CLIError(
                    "there is no key \"\(VisibleText.quotable(described.key))\"", hint: nil)
            }
            guard
                let schema = adapters.schemas.first(where: {
                    $0.protocolID == described.protocolID
                }), account.protocolID == described.protocolID
            else {
                throw CLIError(
                    "the key \"\(account.name)\" is not one of \(described.protocolID)", hint: nil)
            }
            return described.judged(
                by: account, for: try peer(of: test), as: test, schema,
                in: TestEnvironment(time: test.time))
        }
    }

    private func request(
        of test: PolicyTest, in name: String, _ policy: TOMLPolicy
    ) throws -> JudgedRequest {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { String(path[...$0]) } ?? ""
        let bytes = RequestInput.trimmingLineEnd(try Source.read(folder + name))
        let adapter: any ProtocolAdapter
        do throws(ChoosingError) {
            adapter = try adapters.choose(named: test.adapter, for: bytes.span)
        } catch {
            throw CLIError("no adapter reads \(VisibleText.escaped(name))", hint: nil)
        }
        let accounts = try accounts(policy)
        let hub = SigningHub(
            policy: policy, keyStore: ListedKeys(accounts),
            ledger: BlankLedger(
                hasNewClients: test.hasNewClient, hubName: test.client["hub"],
                connected: test.isConnected ? accounts : [], hasSigned: test.isRepeated),
            approval: NoApproval(),
            environment: TestEnvironment(time: test.time))
        let frame = Frame(bytes: bytes, peer: try peer(of: test))
        do throws(AdapterError) {
            return try hub.explain(frame, with: adapter).request
        } catch {
            throw CLIError(
                "the request is refused before the policy judges it: "
                    + "\(VisibleText.escaped(error.reason))",
                hint: nil)
        }
    }

    private func peer(of test: PolicyTest) throws -> Peer {
        var client = test.client["client"]
        // A frame names its callback; without a frame the test does.
        if case .described = test.request, test.client["proof"] == Client.Proof.callback.word {
            client = nil
        }
        guard
            let testClient = TestClient(
                client: client, proof: test.client["proof"],
                profile: test.client["profile"], topOrigin: test.client["top_origin"])
        else {
            throw CLIError(
                "client, proof, profile and top_origin do not describe a possible client; "
                    + TestClient.hint, hint: nil)
        }
        return Peer(
            channel: ChannelName(test.channel), provedKey: testClient.provedKey,
            claim: testClient.claim,
            credential: testClient.credential, visit: testClient.visit,
            opensCallbacks: testClient.opensCallbacks, provedServer: testClient.provedServer)
    }

    /// The keys that the file lists, or those of the home if it lists none.
    func accounts(_ policy: TOMLPolicy) throws -> [Account] {
        let named = policy.document.testAccounts
        guard !named.isEmpty else { return try workspace?.accounts() ?? [] }
        return try named.map { account in
            guard let chain = protocols.chain(named: account.protocolName) else {
                throw CLIError("there are no keys of \(account.protocolName)", hint: nil)
            }
            let count = try chain.signing(among: protocols.algorithms).scheme.publicKeyCount
            guard account.publicKey.count == count else {
                throw ServiceError(
                    "public_key of the test account \(account.name) has "
                        + "\(account.publicKey.count) bytes, not \(count)",
                    hint: "give the public key that \"countersign key show --json\" shows")
            }
            let address = try chain.account(of: account.publicKey, given: account.address)
            return Account(
                id: KeyID(account.name), name: account.name, protocolID: chain.protocolID,
                algorithm: chain.algorithm, publicKey: account.publicKey,
                address: address, network: nil, tags: account.tags)
        }
    }
}
