// SPDX-License-Identifier: Apache-2.0

import Algorand
import LoopbackServer
import SigningCodecs
import SigningCore
import SigningNetwork
import Testing

@testable import AlgorandCourier

@Suite("Which key signs for an account, by its node")
struct AuthorityTests {
    private static let account = "AOQQPP7TZYIL4HLQ3UMOOS6ATFT6JVRQTOSQ2XY53SDGIESVGG4MPFYUMQ"
    private static let other: String = {
        let key = [UInt8](repeating: 7, count: 32)
        return AlgorandAddress.text(publicKey: key.span)
    }()

    /// An account as algod writes it with `exclude=all`; an account that it has not seen is empty.
    private static func shape(_ address: String, _ more: String = "") -> String {
        """
        {"address":"\(address)","amount":0,"amount-without-pending-rewards":0,\(more)\
        "apps-local-state":[],"apps-total-schema":{"num-byte-slice":0,"num-uint":0},"assets":[],\
        "created-apps":[],"created-assets":[],"min-balance":100000,"pending-rewards":0,\
        "reward-base":0,"rewards":0,"round":50331732,"status":"Offline",\
        "total-apps-opted-in":0,"total-assets-opted-in":0,"total-created-apps":0,\
        "total-created-assets":0}
        """
    }

    /// A test-network node that gives this reply about every account.
    private func node(_ reply: LoopbackServer.Reply) throws -> LoopbackServer {
        try LoopbackServer { request in
            guard request.line.hasPrefix("GET /v2/transactions/params ") else { return reply }
            return .answer(
                status: 200, headers: ["Content-Type: application/json"],
                body: [UInt8](AlgodNode.params.utf8))
        }
    }

    private func node(_ text: String) throws -> LoopbackServer {
        try node(.answer(status: 200, body: [UInt8](text.utf8)))
    }

    private func authority(
        _ nodes: [(LoopbackServer, AlgorandNetwork)], on networks: [AlgorandNetwork]? = nil,
        millisecondsMax: Int = 60_000
    ) async throws -> AlgorandAuthority {
        var settings = HTTPClient.Settings()
        settings.totalMillisecondsMax = millisecondsMax
        let courier = AlgorandCourier(
            nodes: nodes.map { AlgorandNode(Algod(url: $0.url, settings: settings), on: $1) })
        let context = DecodingContext(
            accounts: [], peer: Peer(channel: "test"), now: Timestamp(seconds: 0), freshID: [],
            wasSeen: { _ in nil })
        let found = await courier.lookUp(
            .authority(of: Self.account, on: networks ?? nodes.map(\.1)), in: context)
        var authority: AlgorandAuthority?
        if case .authority(let one) = found { authority = one }
        #expect(authority?.account == Self.account)
        return try #require(authority)
    }

    @Test("its own, where the node names no other, or has not seen it")
    func own() async throws {
        let more = #""auth-addr":"\#(Self.account)","#
        for text in [Self.shape(Self.account), Self.shape(Self.account, more)] {
            let server = try node(text)
            let found = try await authority([(server, .testnet)])
            #expect(found.signers == [.init(on: .testnet, Self.account)])
            #expect(found.problems.isEmpty && AlgorandLookup.authority(found).digested == nil)
            #expect(
                server.requests.map(\.line) == [
                    "GET /v2/transactions/params HTTP/1.1",
                    "GET /v2/accounts/\(Self.account)?exclude=all HTTP/1.1",
                ])
        }
    }

    @Test("another key, which is part of the digest of the request")
    func rekeyed() async throws {
        let server = try node(Self.shape(Self.account, #""auth-addr":"\#(Self.other)","#))
        let found = try await authority([(server, .testnet)])
        #expect(found.signers == [.init(on: .testnet, Self.other)])
        #expect(AlgorandLookup.authority(found).digested?.isEmpty == false)
    }

    @Test("one node for all networks speaks of the one that it is on, once")
    func oneForAll() async throws {
        let server = try node(Self.shape(Self.account))
        let found = try await authority([(server, .mainnet), (server, .testnet)])
        #expect(found.signers == [.init(on: .testnet, Self.account)] && found.problems.isEmpty)
        #expect(server.requests.count == 2)
    }

    @Test("each network has its own word, and one without a node is a problem")
    func several() async throws {
        let server = try node(Self.shape(Self.account))
        // This node reports the test network, although it is configured for mainnet.
        let wrong = try node(Self.shape(Self.account))
        let found = try await authority([(server, .testnet), (wrong, .mainnet)])
        #expect(found.signers.map(\.network) == [.testnet])
        #expect(found.problems.map { $0.hasPrefix("mainnet: ") } == [true])
        #expect(found.problems[0].contains("another network"))
        let none = try await authority([(server, .testnet)], on: [.mainnet])
        #expect(none.signers.isEmpty && none.problems == ["no node of mainnet is configured"])
    }

    @Test("no key, because the node's answer is invalid")
    func lies() async throws {
        let other = Self.other
        let texts: [(String, String)] = [
            (Self.shape(other), "about another account"),
            (Self.shape(Self.account, #""auth-addr":"\#(other.dropLast())A","#), "not an address"),
            (Self.shape(Self.account, #""auth-addr":"","#), "not an address"),
            (Self.shape(Self.account, #""auth-addr":null,"#), "not an address"),
            (Self.shape(Self.account, #""auth-addr":["\#(other)"],"#), "not an address"),
            ("{}", "about another account"), ("[]", "about another account"),
            ("<html><body>welcome</body></html>", "malformed"), ("", "malformed"),
        ]
        for (text, words) in texts {
            let found = try await authority([(try node(text), .testnet)])
            #expect(found.signers.isEmpty, "\(text)")
            #expect(found.problems.count == 1 && found.problems[0].contains(words), "\(text)")
        }
    }

    @Test("no key, because the answer is incomplete or redirects")
    func trouble() async throws {
        let elsewhere = try node(Self.shape(Self.account))
        let huge = #"{"address":"\#(Self.account)","x":""#
        let replies: [(LoopbackServer.Reply, String)] = [
            (
                .answer(status: 302, headers: ["Location: \(elsewhere.url)"], body: []),
                "HTTP status 302"
            ),
            (.answer(status: 404, body: Array(#"{"message":"no\u001b[2J"}"#.utf8)), "404: no"),
            (.answer(status: 401, body: []), "401"),
            (
                .answer(
                    status: 200,
                    body: Array(huge.utf8) + [UInt8](repeating: 0x20, count: 10 << 20)), "longer"
            ),
            (.close, "testnet: "), (.reset, "testnet: "), (.stall([]), "testnet: "),
            (.stall(Array("HTTP/1.1 200 OK\r\n".utf8)), "testnet: "),
        ]
        for (reply, words) in replies {
            var patience = 60_000
            if case .stall = reply { patience = 300 }
            let found = try await authority(
                [(try node(reply), .testnet)], millisecondsMax: patience)
            #expect(found.signers.isEmpty)
            #expect(found.problems.count == 1 && found.problems[0].contains(words), "\(words)")
            #expect(found.problems.allSatisfy { $0.utf8.allSatisfy { (0x20..<0x7f).contains($0) } })
        }
        #expect(elsewhere.requests.isEmpty)
    }
}
