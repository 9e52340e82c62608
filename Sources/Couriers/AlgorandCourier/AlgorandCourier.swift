// SPDX-License-Identifier: Apache-2.0

public import Algorand
public import SigningCore
import SigningNetwork

/// A node and the network that it must be on.
public struct AlgorandNode: Sendable {
    /// The node.
    public let algod: Algod
    /// The network whose transactions are sent to the node.
    public let network: AlgorandNetwork

    /// Creates a node; its network is verified before it gets a transaction.
    public init(_ algod: Algod, on network: AlgorandNetwork) {
        self.algod = algod
        self.network = network
    }

    /// Returns the node with a shorter time limit for answers.
    func within(milliseconds: Int) -> AlgorandNode {
        AlgorandNode(algod.within(milliseconds: milliseconds), on: network)
    }

    /// Returns the reason that the node cannot post transactions; nil if it can.
    func problem() async -> String? {
        do throws(AlgodError) {
            return try await algod.parameters().genesisHash == network.genesisHash
                ? nil : otherNetwork
        } catch {
            return error.text
        }
    }

    /// The problem of a node with another genesis.
    package var otherNetwork: String {
        network.name.map { "the node is on another network than \($0) was when it was added" }
            ?? "the node is on another network"
    }

    /// Returns the key that signs for an account, from a node that is on one of several networks.
    static func signer(
        of account: String, at nodes: [AlgorandNode]
    ) async throws(AlgodError) -> AlgorandAuthority.Signer {
        guard let first = nodes.first else { throw .noNode("no node is configured") }
        let hash = try await first.algod.parameters().genesisHash
        guard let node = nodes.first(where: { $0.network.genesisHash == hash }) else {
            throw .noNode(first.otherNetwork)
        }
        let other = try await node.algod.authAddress(of: account)
        return AlgorandAuthority.Signer(on: node.network, other ?? account)
    }
}

/// Asks Algorand nodes about their networks and accounts, and posts transactions to them.
public struct AlgorandCourier: Courier {
    /// The nodes, by the names of their networks in rules.
    private let nodes: [String: AlgorandNode]

    /// The protocol id, `algorand`.
    public var protocolID: ProtocolID { .algorand }

    /// Creates a courier.
    ///
    /// Posting is only offered on networks whose node answers and is on the right network.
    public init(nodes: [AlgorandNode]) {
        self.nodes = Dictionary(nodes.map { ($0.network.policyName, $0) }) { first, _ in first }
    }

    /// The problem of an address or a token that is invalid.
    public var problem: CourierProblem? {
        for (_, node) in sorted {
            do throws(HTTPError) {
                try node.algod.check()
            } catch {
                return CourierProblem(
                    error.text, hint: "check the URL of the Algorand node and its token")
            }
        }
        return nil
    }

    /// Asks the nodes that a need concerns, concurrently.
    public func lookUp(
        _ need: AlgorandLookup.Need, in context: DecodingContext
    ) async -> AlgorandLookup {
        await lookUp(need, at: context.now)
    }

    private func lookUp(_ need: AlgorandLookup.Need, at time: Timestamp) async -> AlgorandLookup {
        switch need {
        case .posting(on: let networks): await posting(on: networks, by: { $0 })
        case .offering(on: let networks):
            await posting(
                on: networks, by: { $0.within(milliseconds: Self.offeringMillisecondsMax) })
        case .authority(of: let account, on: let networks):
            .authority(await authority(of: account, on: networks, at: time))
        case .several(let needs):
            .several(await needs.concurrently { await lookUp($0, at: time) })
        }
    }

    /// Asks again which keys sign for accounts, if a person was asked or the answers are old.
    public func renew(
        _ lookup: AlgorandLookup, in context: DecodingContext, hasWaited: Bool,
        drawingFrom _: any LedgerSerials
    ) async -> AlgorandLookup {
        await renew(lookup, at: context.now, hasWaited: hasWaited)
    }

    private func renew(
        _ lookup: AlgorandLookup, at time: Timestamp, hasWaited: Bool
    ) async -> AlgorandLookup {
        switch lookup {
        case .posting: return lookup
        case .authority(let found):
            let age = time.seconds - found.time.seconds
            guard hasWaited || !(0...Self.freshSecondsMax).contains(age) else { return lookup }
            return .authority(await authority(of: found.account, on: found.networks, at: time))
        case .several(let list):
            return .several(
                await list.concurrently { await renew($0, at: time, hasWaited: hasWaited) })
        }
    }

    /// Asks the nodes of these networks concurrently.
    private func posting(
        on networks: [AlgorandNetwork],
        by limits: @escaping @Sendable (AlgorandNode) -> AlgorandNode
    ) async -> AlgorandLookup {
        let asked = sorted.map(\.value).filter { networks.contains($0.network) }
        let found = await asked.concurrently { node in
            (network: node.network, problem: await limits(node).problem())
        }
        return .posting(
            able: found.filter { $0.problem == nil }.map(\.network),
            problems: found.compactMap { one in
                one.problem.map { "\(one.network.policyName): \($0)" }
            })
    }

    /// Returns the key that signs for an account, asking the node of each network.
    ///
    /// A node that is configured for several networks is on only one of them; its answer counts
    /// for that network.
    private func authority(
        of account: String, on networks: [AlgorandNetwork], at time: Timestamp
    ) async -> AlgorandAuthority {
        var signers: [AlgorandAuthority.Signer] = []
        var problems: [String] = []
        var byAddress: [String: [AlgorandNode]] = [:]
        for network in networks {
            guard let node = nodes[network.policyName] else {
                problems.append("no node of \(network.policyName) is configured")
                continue
            }
            byAddress[node.algod.url, default: []].append(
                node.within(milliseconds: Self.authorityMillisecondsMax))
        }
        for (_, same) in byAddress.sorted(by: { $0.key < $1.key }) {
            do throws(AlgodError) {
                signers.append(try await AlgorandNode.signer(of: account, at: same))
            } catch {
                let names = same.map(\.network.policyName).joined(separator: ", ")
                problems.append("\(names): \(error.text)")
            }
        }
        return AlgorandAuthority(
            of: account, on: networks, signers: signers, problems: problems, at: time)
    }

    /// The maximum age of answers about an account that a signature may rely on, in seconds.
    private static let freshSecondsMax: Int64 = 20

    /// The maximum time to wait for each answer about an account, in milliseconds.
    private static let authorityMillisecondsMax = 8_000

    /// The maximum time to wait for a node when a client asks for the methods, in milliseconds.
    private static let offeringMillisecondsMax = 300

    private var sorted: [(key: String, value: AlgorandNode)] {
        nodes.sorted { $0.key < $1.key }
    }

    /// Returns true if a network has a node.
    public func reaches(_ network: String) -> Bool { nodes[network] != nil }

    /// Sends an item to the node of its network, if the node is on that network.
    public func send(_ item: Broadcast.Item, to network: String) async -> Broadcast.Result {
        guard let node = nodes[network] else { return .notSent(Self.noNode(network)) }
        return await AlgorandBroadcaster.send(item, to: node)
    }

    /// Asks for the state of an item, and sends it again if the state is unknown.
    public func resend(_ item: Broadcast.Item, to network: String) async -> Broadcast.Result {
        guard let node = nodes[network] else { return .unknown(Self.noNode(network)) }
        return await AlgorandBroadcaster.resend(item, to: node)
    }

    private static func noNode(_ network: String) -> String {
        "no node of \(network) is configured"
    }
}
