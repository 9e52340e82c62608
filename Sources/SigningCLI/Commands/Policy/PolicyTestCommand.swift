// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import SigningCodecs
import SigningCore
import SigningFiles
import SigningPolicy
import SigningPolicyTools
import SigningService

extension CommandLineTool {
    static let policyTest = Command(
        name: "policy test", options: [], operands: 0...1,
        summary: "run the tests in a policy",
        usage: """
            usage: countersign policy test [FILE]

            Runs the [[test]] blocks of a policy (policy.toml of the home, or FILE): each decodes
            its request, judges it and compares the verdict. Then it says which rules decided no
            test, and which changes to the policy no test would notice. Exit status 0 if every test
            passes.

            A file with [[test_account]] blocks is tested with those keys and needs no home.

            example: countersign policy test policy.toml
            """
    ) { invocation in
        let file = try PolicyFileAtHand(invocation)
        let policy = try file.usable()
        var cases: [TestCase] = []
        var broken: [(PolicyTest, String)] = []
        for test in policy.document.tests {
            do {
                cases.append(TestCase(test, try file.request(of: test, policy)))
            } catch {
                let error = CLIError(error)
                broken.append((test, error.message))
            }
        }
        let run = TestRun(policy, cases)
        let failures = broken + run.failures.map { ($0.test, $0.text) }
        let mutants =
            failures.isEmpty && !cases.isEmpty ? Mutant.survivors(of: policy, cases) : ([], 0)
        let uncovered = policy.document.ruleIDs.filter { !run.coveredRules.contains($0) }
        if invocation.console.isJSON {
            invocation.console.put(json(policy, failures, uncovered, mutants).write())
        } else {
            report(policy, failures, uncovered, mutants, to: invocation.console)
        }
        return failures.isEmpty ? .done : .failed
    }

    private static func report(
        _ policy: TOMLPolicy, _ failures: [(PolicyTest, String)], _ uncovered: [String],
        _ mutants: (survivors: [Mutant], count: Int), to console: Console
    ) {
        for (test, text) in failures {
            console.put(
                "\(policy.fileName):\(test.position.line): FAILED "
                    + "\"\(VisibleText.quotable(test.name))\": \(text)")
        }
        let count = policy.document.tests.count
        console.put("tests: \(count - failures.count) of \(count) pass")
        let rules = policy.document.ruleIDs.count
        let missing = uncovered.isEmpty ? "" : ", not \(uncovered.joined(separator: ", "))"
        console.put(
            "coverage: \(rules - uncovered.count) of \(rules) rules decide a test\(missing)")
        guard mutants.count > 0 else { return }
        console.put("mutants: \(mutants.survivors.count) of \(mutants.count) survive")
        for mutant in mutants.survivors {
            let place = mutant.line.map { "\(policy.fileName):\($0): " } ?? ""
            console.put("  \(place)\(mutant.text)")
        }
    }

    private static func json(
        _ policy: TOMLPolicy, _ failures: [(PolicyTest, String)], _ uncovered: [String],
        _ mutants: (survivors: [Mutant], count: Int)
    ) -> JSON {
        let rows = failures.map { test, text -> JSON in
            [
                "test": .string(test.name), "line": .integer(Int64(test.position.line)),
                "text": .string(text),
            ]
        }
        return [
            "tests": .integer(Int64(policy.document.tests.count)), "failures": .array(rows),
            "uncovered_rules": .array(uncovered.map { .string($0) }),
            "mutants": .integer(Int64(mutants.count)),
            "survivors": .array(
                mutants.survivors.map { mutant in
                    [
                        "text": .string(mutant.text),
                        "line": mutant.line.map { .integer(Int64($0)) } ?? .null,
                    ]
                }),
        ]
    }
}

/// A policy file that a command names, with the keys that its tests use.
struct PolicyFileAtHand {
    private let loaded: PolicyLoading
    private let path: String
    private let workspace: Workspace?
    private let adapters: AdapterSet
    private let protocols: ProtocolSupport

    /// Reads FILE, or policy.toml of the home; with FILE a home is not needed.
    ///
    /// Every network counts as one with a node, so that rules about sending can be tested without
    /// nodes.
    init(_ invocation: Invocation) throws {
        protocols = invocation.protocols
        guard let given = invocation.arguments.operands.first else {
            let workspace = try Self.workspace(invocation)
            self.workspace = workspace
            adapters = workspace.adapters
            path = workspace.home.policyPath
            loaded = try PolicyLoading.reading(path, for: adapters)
            return
        }
        workspace = try? Self.workspace(invocation)
        adapters =
            workspace?.adapters
            ?? protocols.with(Self.wires).adapters
        path = given
        loaded = try PolicyLoading.reading(path, for: adapters)
    }

    private static func workspace(_ invocation: Invocation) throws -> Workspace {
        try Workspace(
            path: try invocation.environment.home(invocation.arguments),
            invocation.protocols.with(wires))
    }

    private static var wires: BuiltInWires { BuiltInWires(postingNetworks: AlgorandNodes.networks) }

    func usable() throws -> TOMLPolicy {
        try loaded.inUse(path)
    }

    /// The request of a test, decoded in the same way as by the hub.
    func request(of test: PolicyTest, _ policy: TOMLPolicy) throws -> JudgedRequest {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { String(path[...$0]) } ?? ""
        let bytes = RequestInput.trimmingLineEnd(try Source.read(folder + test.request))
        let adapter: any ProtocolAdapter
        do throws(ChoosingError) {
            adapter = try adapters.choose(named: test.adapter, for: bytes.span)
        } catch {
            throw CLIError("no adapter reads \(VisibleText.escaped(test.request))", hint: nil)
        }
        let hub = SigningHub(
            policy: policy, keyStore: ListedKeys(try accounts(policy)),
            ledger: BlankLedger(hasNewClients: test.hasNewClient, hubName: test.client["hub"]),
            approval: NoApproval(),
            environment: TestEnvironment(time: test.time))
        guard
            let testClient = TestClient(
                client: test.client["client"], proof: test.client["proof"],
                profile: test.client["profile"], topOrigin: test.client["top_origin"])
        else {
            throw CLIError(
                "client, proof, profile and top_origin do not describe a possible client; "
                    + TestClient.hint, hint: nil)
        }
        let peer = Peer(
            channel: ChannelName(test.channel), provedKey: testClient.provedKey,
            claim: testClient.claim,
            credential: testClient.credential, visit: testClient.visit,
            opensCallbacks: testClient.opensCallbacks, provedServer: testClient.provedServer)
        let frame = Frame(bytes: bytes, peer: peer)
        do throws(AdapterError) {
            return try hub.explain(frame, with: adapter).request
        } catch {
            throw CLIError(
                "the request is refused before the policy judges it: "
                    + "\(VisibleText.escaped(error.reason))",
                hint: nil)
        }
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
