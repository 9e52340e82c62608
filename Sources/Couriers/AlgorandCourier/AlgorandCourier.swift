// SPDX-License-Identifier: Apache-2.0

public import Algorand
public import SigningCore
import SigningNetwork

/// A node with the network that it has to be on.
public struct AlgorandNode: Sendable {
    /// The node.
    public let algod: Algod
    /// What it is trusted with transactions of.
    public let network: AlgorandNetwork

    /// Names a node; what it says of its own network is checked before it is given anything.
    public init(_ algod: Algod, on network: AlgorandNetwork) {
        self.algod = algod
        self.network = network
    }

    /// The same node, waited for no longer than this.
    func within(milliseconds: Int) -> AlgorandNode {
        AlgorandNode(algod.within(milliseconds: milliseconds), on: network)
    }

    /// Why nothing can be posted there; nil where it can.
    func problem() async -> String? {
        do throws(AlgodError) {
            return try await algod.parameters().genesisHash == network.genesisHash
                ? nil : "the node is on another network"
        } catch {
            return error.text
        }
    }

    /// Which key signs for an account at one node, on whichever of these networks it is.
    static func signer(
        of account: String, at nodes: [AlgorandNode]
    ) async throws(AlgodError) -> AlgorandAuthority.Signer {
        guard let first = nodes.first else { throw .noNode("there is no node") }
        let hash = try await first.algod.parameters().genesisHash
        guard let node = nodes.first(where: { $0.network.genesisHash == hash }) else {
            throw .noNode("the node is on another network")
        }
        let other = try await node.algod.authAddress(of: account)
        return AlgorandAuthority.Signer(on: node.network, other ?? account)
    }
}

/// Asks Algorand nodes whether they are there and on which network, and posts to them.
public struct AlgorandCourier: Courier {
    /// The nodes by network, as rules name it.
    private let nodes: [String: AlgorandNode]

    /// Algorand.
    public var protocolID: ProtocolID { .algorand }

    /// Puts a courier together; of the networks that an adapter was told have a node, posting is
    /// offered on those whose node answers and is on it.
    public init(nodes: [AlgorandNode]) {
        self.nodes = Dictionary(nodes.map { ($0.network.policyName, $0) }) { first, _ in first }
    }

    /// An address or a token that nothing would be sent with.
    public var problem: CourierProblem? {
        for (_, node) in sorted {
            do throws(HTTPError) {
                try node.algod.check()
            } catch {
                return CourierProblem(
                    error.text, hint: "are the URL of the Algorand node and its token right?")
            }
        }
        return nil
    }

    /// Asks every node, about everything at once.
    public func lookUp(
        _ need: AlgorandLookup.Need, in context: DecodingContext
    ) async -> AlgorandLookup {
        await lookUp(need, at: context.now)
    }

    private func lookUp(_ need: AlgorandLookup.Need, at time: Timestamp) async -> AlgorandLookup {
        switch need {
        case .posting: await posting(by: { $0 })
        case .offering:
            await posting(by: { $0.within(milliseconds: Self.offeringMillisecondsMax) })
        case .authority(of: let account, on: let networks):
            .authority(await authority(of: account, on: networks, at: time))
        case .several(let needs):
            .several(await needs.concurrently { await lookUp($0, at: time) })
        }
    }

    /// Asks again which keys sign for accounts, where a person was waited for or it is long ago.
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

    /// Asks all nodes at once.
    private func posting(
        by limits: @escaping @Sendable (AlgorandNode) -> AlgorandNode
    ) async -> AlgorandLookup {
        let found = await sorted.map(\.value).concurrently { node in
            (network: node.network, problem: await limits(node).problem())
        }
        return .posting(
            able: found.filter { $0.problem == nil }.map(\.network),
            problems: found.compactMap { one in
                one.problem.map { "\(one.network.policyName): \($0)" }
            })
    }

    /// Which key signs for an account, by the node of each network.
    ///
    /// One node that stands for several networks is on one of them, which is what it speaks of.
    private func authority(
        of account: String, on networks: [AlgorandNetwork], at time: Timestamp
    ) async -> AlgorandAuthority {
        var signers: [AlgorandAuthority.Signer] = []
        var problems: [String] = []
        var byAddress: [String: [AlgorandNode]] = [:]
        for network in networks {
            guard let node = nodes[network.policyName] else {
                problems.append("\(network.policyName): there is no node of it")
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

    /// How long what nodes said of an account is signed by without asking again, in seconds.
    private static let freshSecondsMax: Int64 = 20

    /// How long each answer of a node about an account is waited for, in milliseconds.
    private static let authorityMillisecondsMax = 8_000

    /// How long a node is waited for where a client asks what is offered, in milliseconds.
    private static let offeringMillisecondsMax = 300

    private var sorted: [(key: String, value: AlgorandNode)] {
        nodes.sorted { $0.key < $1.key }
    }

    /// Whether there is a node of a network.
    public func reaches(_ network: String) -> Bool { nodes[network] != nil }

    /// Hands an item to the node of its network, if that is on it.
    public func send(_ item: Broadcast.Item, to network: String) async -> Broadcast.Result {
        guard let node = nodes[network] else { return .notSent(Self.noNode(network)) }
        return await AlgorandBroadcaster.send(item, to: node)
    }

    /// Asks what became of an item, and hands it over where nobody knows.
    public func resend(_ item: Broadcast.Item, to network: String) async -> Broadcast.Result {
        guard let node = nodes[network] else { return .unknown(Self.noNode(network)) }
        return await AlgorandBroadcaster.resend(item, to: node)
    }

    private static func noNode(_ network: String) -> String { "no node of \(network) is known" }
}
