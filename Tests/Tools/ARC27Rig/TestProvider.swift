// SPDX-License-Identifier: Apache-2.0

package import ARC27
package import Algorand
import AlgorandSamples
import SigningCodecs
package import SigningCore
import SigningCrypto
import SigningTesting
import VectorFiles

/// A provider with real keys that decodes, signs and answers; only the policy is replaced.
package struct TestProvider {
    /// The decision of the hub in the test.
    package enum Judgement {
        case allow
        case refuse(ReasonCode)
    }

    /// The answers of nodes in the test.
    package struct Network {
        /// The results of items that the node does not accept, by index.
        package var results: [Int: Broadcast.Result] = [:]

        package init(results: [Int: Broadcast.Result] = [:]) { self.results = results }

        package static let takesAll = Self()

        package func deliver(_ broadcast: Broadcast) -> [Broadcast.Delivery] {
            broadcast.items.enumerated().map { place, item in
                Broadcast.Delivery(item, results[place] ?? .accepted([]))
            }
        }
    }

    package static let providerID = "85533948-4d0b-4727-904e-dd35305d49aa"
    package static let freshID = [UInt8](repeating: 0xff, count: 16)
    /// The session id of the vectors, bd717b46-7075-4051-a424-56dd00511c90.
    package static let sessionID: [UInt8] = [
        0xbd, 0x71, 0x7b, 0x46, 0x70, 0x75, 0x40, 0x51, 0xa4, 0x24, 0x56, 0xdd, 0x00, 0x51,
        0x1c, 0x90,
    ]

    package let adapter: ARC27Adapter
    package var accounts: [Account]
    /// The client's connections, in place of the ledger.
    package var sessions: [ClientConnection] = []
    /// The client's name, in place of the transport.
    package var client: String?
    package var channel = "test"
    /// The results of a lookup; nil if every network has a node and no account was looked up.
    package var nodes: (@Sendable (AlgorandLookup.Need) -> AlgorandLookup)?
    private let seeds: [KeyID: [UInt8]]

    package init(
        seeds: [[UInt8]] = [SampleKeys.a], networks: [AlgorandNetwork] = [.testnet],
        postingNetworks: [AlgorandNetwork] = [], accountNetwork: String? = nil,
        clients: [String: ARC27ClientSettings] = [:],
        clientsNow: (@Sendable () -> [String: ARC27ClientSettings]?)? = nil
    ) throws {
        adapter = ARC27Adapter(
            ARC27Configuration(
                providerID: Self.providerID, name: "Signing Hub", networks: networks,
                postingNetworks: postingNetworks, clients: clients,
                clientsNow: clientsNow))
        accounts = try SampleKeys.accounts(seeds, network: accountNetwork)
        self.seeds = Dictionary(uniqueKeysWithValues: zip(accounts.map(\.id), seeds))
    }

    /// A session of the client with the first account.
    package func session(
        _ id: [UInt8] = Self.sessionID, on network: String = "testnet"
    ) -> ClientConnection {
        ClientConnection(
            id: id, protocolID: ProtocolID("algorand"),
            client: Client(id: client ?? "", name: nil, proof: .claimed), network: network,
            key: accounts[0].id, address: accounts[0].address, started: Timestamp(seconds: 0))
    }

    package func decode(_ frame: String) throws(AdapterError) -> ARC27Request {
        let bytes = [UInt8](frame.utf8)
        let ids = FreshIDs()
        let context = DecodingContext(
            accounts: accounts,
            peer: Peer(channel: ChannelName(channel), claim: client), client: .claiming(client),
            now: Timestamp(seconds: 0), freshID: ids.next(), wasSeen: { _ in nil },
            connections: { [sessions] _ in sessions })
        let reading = try adapter.read(bytes.span)
        let lookup = try adapter.need(of: reading, in: context).flatMap { need in
            nodes.map { $0(need) } ?? adapter.placeholder(for: need)
        }
        return try adapter.decode(reading, with: lookup, in: context)
    }

    /// Returns a new id each time: first that of the answer, then those of sessions.
    private final class FreshIDs {
        private var count: UInt8 = 0

        func next() -> [UInt8] {
            defer { count += 1 }
            guard count > 0 else { return TestProvider.freshID }
            var id = TestProvider.sessionID
            id[15] += count - 1
            return id
        }
    }

    /// The answer to a frame, after its items were sent to the network.
    package func answer(
        _ frame: String, _ judgement: Judgement = .allow, network: Network = .takesAll
    ) throws -> Reply {
        let request: ARC27Request
        do throws(AdapterError) {
            request = try decode(frame)
        } catch {
            return error.reply
        }
        switch judgement {
        case .allow:
            if let reason = request.terms.unserved {
                return adapter.finalReply(.failed(reason), to: request)
            }
            let reply = adapter.finalReply(.done(try perform(request)), to: request)
            guard case .broadcast(let broadcast) = reply else { return reply }
            return adapter.encode(network.deliver(broadcast), to: request)
        case .refuse(let code):
            return adapter.finalReply(.denied(Reason(code, "no")), to: request)
        }
    }

    /// Performs the operations with the checks of a key store: only registered domains are signed.
    package func perform(_ request: ARC27Request) throws -> [KeyResult] {
        let registry = DomainRegistry(adapter.domains)
        var results: [KeyResult] = []
        for operation in request.operations {
            guard case .sign(let input) = operation.operation else {
                results.append(.publicKey(operation.account.publicKey))
                continue
            }
            let message = try registry.message(for: input, by: operation.account)
            guard let seed = seeds[operation.account.id] else { throw VectorFile.Missing("a seed") }
            results.append(.signature(try SampleKeys.sign(message, seed: seed), message: message))
        }
        return results
    }
}
