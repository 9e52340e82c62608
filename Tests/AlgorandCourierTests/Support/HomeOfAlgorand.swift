// SPDX-License-Identifier: Apache-2.0

import ARC27
import Algorand
import AlgorandCourier
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningStorage
import SigningTesting
import SigningVault
import TestHome
import VectorFiles

extension TestHome {
    static let arc27 = ARC27Adapter(
        ARC27Configuration(
            providerID: "85533948-4d0b-4727-904e-dd35305d49aa", networks: [.testnet, .mainnet],
            postingNetworks: [.testnet]))

    /// A home with the key of the vectors.
    static func ofAlgorand() throws -> TestHome {
        let home = try TestHome(arc27.domains)
        _ = try home.vault.add(
            name: "a", protocolID: .algorand, algorithm: .ed25519,
            address: "AOQQPP7TZYIL4HLQ3UMOOS6ATFT6JVRQTOSQ2XY53SDGIESVGG4MPFYUMQ",
            network: "testnet", secret: SecretBytes(copying: [UInt8](0..<32).span))
        return home
    }

    /// Forgets unsent items, as an owner does who knows their outcome.
    func forgetUnsent() async throws {
        for item in try ledger.unsent() {
            let result = Broadcast.Result.refused(name: "forgotten", "by its owner")
            try await ledger.record(result, of: item.item.id, at: Timestamp(seconds: 0))
        }
    }

    func courier(
        _ nodes: [AlgorandNode], policy: any Policy = FixedPolicy(.allow([])),
        ledger: (any Ledger)? = nil
    ) -> PostingChannel {
        PostingChannel(
            hub: hub(policy, ledger: ledger), courier: AlgorandCourier(nodes: nodes))
    }
}

/// A hub with the courier that sends its items.
struct PostingChannel: Sendable {
    let hub: SigningHub
    let courier: AlgorandCourier

    func answer(_ frame: Frame) async -> Answer {
        await hub.answer(frame, with: TestHome.arc27, by: courier)
    }
}

/// The conversations of the vectors.
enum Conversations {
    private static let all =
        VectorFile.read("Vectors/algorand/arc27_messages.json")["conversations"]?.list ?? []

    private static func named(_ name: String) -> JSON {
        all.first { $0["name"]?.text == name } ?? .null
    }

    static func frame(_ name: String) -> Frame {
        frame(named(name)["request"]?["json"] ?? .null)
    }

    static func frame(_ json: JSON) -> Frame {
        Frame(json.write(), from: "app")
    }

    static func expected(_ name: String) -> JSON { named(name)["response"]?["json"] ?? .null }

    /// The list of items in a request.
    static func list(_ name: String) -> [JSON] {
        let params = named(name)["request"]?["json"]?["params"]
        return (params?["stxns"] ?? params?["txns"])?.list ?? []
    }

    static func ids(_ name: String) -> [String] {
        expected(name)["result"]?["txnIDs"]?.list?.compactMap(\.text) ?? []
    }
}

func json(_ answer: Answer) -> JSON {
    guard case .message(let bytes) = answer.reply else { return .null }
    return (try? JSON.parse(bytes.span)) ?? .null
}
