// SPDX-License-Identifier: Apache-2.0

import Glibc
import LoopbackServer
import SigningCodecs
import SigningNetwork
import Testing

@testable import AlgorandCourier

/// The requests to an Algorand node, and the parser of its answers.
@Suite("Algorand nodes")
struct AlgodTests {
    static func send(_ algod: Algod) async -> AlgodError? {
        do throws(AlgodError) { _ = try await algod.send([1, 2]) } catch { return error }
        return nil
    }

    /// The server lives as long as the node does.
    static func send(_ node: AlgodNode) async -> AlgodError? {
        let error = await send(node.algod)
        return withExtendedLifetime(node) { error }
    }

    static func pending(_ node: AlgodNode) async -> Result<AlgodStatus?, AlgodError> {
        do throws(AlgodError) {
            return .success(try await node.algod.pending(AlgodNode.id))
        } catch { return .failure(error) }
    }

    @Test("a node tells its network by the hash of its first block, and its last round")
    func network() async throws {
        let node = try AlgodNode(AlgodNode.params)
        let expected = try Base64.decode("SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI=")
        let parameters = try await node.algod.parameters()
        #expect(parameters.genesisHash == expected && parameters.lastRound == 50_331_732)
        #expect(node.head.hasPrefix("GET /v2/transactions/params HTTP/1.1\r\n"))
        #expect(!node.head.contains("X-Algo-API-Token"))
    }

    @Test(
        "an unknown network",
        arguments: [
            "{}", "[]", "{", "{\"genesis-hash\":7}", "{\"genesis-hash\":\"AAAA\"}",
            "{\"genesis-hash\":\"SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9_cOUJOiI\"}",
            "{\"genesis-hash\":\"SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI=\"}",
            AlgodNode.params.replacing("50331732", with: "-1"),
            AlgodNode.params.replacing("50331732", with: "18446744073709551616"),
            AlgodNode.params.replacing("50331732", with: "\"50331732\""),
        ])
    func noNetwork(text: String) async throws {
        let node = try AlgodNode(text)
        let error = await #expect(throws: AlgodError.self) { try await node.algod.parameters() }
        guard case .malformed = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("a node suggests fees with its network, and both are needed")
    func suggestion() async throws {
        let node = try AlgodNode(AlgodNode.params)
        let suggestion = try await node.algod.suggestion()
        #expect(suggestion.network.lastRound == 50_331_732)
        #expect(suggestion.feeMin == 1_000 && suggestion.feePerByte == 0)
        for (member, other) in [("min-fee", "min"), ("\"fee\"", "\"fees\""), (":1000", ":-1")] {
            let node = try AlgodNode(AlgodNode.params.replacing(member, with: other))
            await #expect(throws: AlgodError.malformed("min-fee or fee is not an amount")) {
                try await node.algod.suggestion()
            }
            #expect(node.head.hasPrefix("GET /v2/transactions/params HTTP/1.1\r\n"))
        }
    }

    @Test("the bytes are posted as they are, with the token")
    func sending() async throws {
        let node = try AlgodNode("{\"txId\":\"\(AlgodNode.id)\"}")
        let algod = Algod(url: node.server.url + "key//", token: "sesame")
        #expect(try await algod.send([0x82, 0, 0xff]) == AlgodNode.id)
        let request = try #require(node.server.requests.first)
        #expect(request.line == "POST /key/v2/transactions HTTP/1.1")
        #expect(request.head.contains("Content-Type: application/x-binary\r\n"))
        #expect(request.head.contains("X-Algo-API-Token: sesame\r\n"))
        #expect(request.body == [0x82, 0, 0xff])
    }

    @Test("a token that no header can carry goes nowhere, and into no message")
    func badToken() async throws {
        let node = try AlgodNode("{}")
        let error = await Self.send(Algod(url: node.server.url, token: "ses\r\name"))
        #expect(error?.mayHaveBeenSent == false && error?.text.contains("name") == false)
        #expect(node.server.requests.isEmpty)
    }

    @Test("an address followed by a path is not an address", arguments: ["?key=1", "#a"])
    func badAddress(end: String) async throws {
        let node = try AlgodNode("{}")
        let error = await Self.send(Algod(url: node.server.url + end))
        #expect(error?.mayHaveBeenSent == false)
        #expect(error?.text.contains("key") == false && node.server.requests.isEmpty)
    }

    @Test(
        "the state of a transaction at a node",
        arguments: [
            ("{\"pool-error\":\"\",\"txn\":{\"sig\":\"AA==\"}}", AlgodStatus.waiting),
            (
                "{\"confirmed-round\":50331740,\"pool-error\":\"\",\"txn\":{}}",
                .confirmed(round: 50_331_740)
            ),
            ("{\"confirmed-round\":0,\"pool-error\":\"\",\"txn\":{}}", .waiting),
            (
                "{\"pool-error\":\"txn dead: round 9\\n outside of 1--8\",\"txn\":{}}",
                .removed("txn dead: round 9? outside of 1--8")
            ),
        ])
    func status(text: String, expected: AlgodStatus) async throws {
        let node = try AlgodNode(text)
        #expect(await Self.pending(node) == .success(expected))
        #expect(node.head.hasPrefix("GET /v2/transactions/pending/\(AlgodNode.id) HTTP/1.1\r\n"))
    }

    @Test("an unknown transaction, and a server that is not a node")
    func unknown() async throws {
        #expect(await Self.pending(try AlgodNode(status: 404, AlgodNode.unknown)) == .success(nil))
        #expect(
            await Self.pending(try AlgodNode(status: 404, "{\"message\":\"Not Found\"}"))
                == .failure(.server(status: 404, message: "Not Found")))
        #expect(
            await Self.pending(try AlgodNode(status: 404, "gone")) == .failure(.http(status: 404)))
        for text in [
            "{}", "{\"pool-error\":\"\"}", "{\"txn\":{}}", "{\"txn\":{},\"pool-error\":0}",
        ] {
            guard case .failure(.malformed) = await Self.pending(try AlgodNode(text)) else {
                Issue.record("read \(text)")
                continue
            }
        }
    }

    @Test(
        "a refusal of a node has a name, and the transaction may have been taken anyway",
        arguments: [
            (
                "TransactionPool.Remember: transaction \(AlgodNode.id): overspend (account A, "
                    + "data {MicroAlgos:{Raw:5}}, tried to spend {1000})", "Overspend"
            ),
            ("TransactionPool.Remember: txn dead: round 11 outside of 0--10", "Dead"),
            (
                "TransactionPool.Remember: transaction X using an overlapping lease (sender, "
                    + "lease):(A, B)", "Lease"
            ),
            ("At least one signature didn't pass verification", "Signature"),
            (
                "TransactionPool.Remember: transaction X: should have been authorized by A but "
                    + "was actually authorized by B", "Authorization"
            ),
            (
                "TransactionPool.Remember: transaction X: logic eval error: assert failed pc=9",
                "Logic"
            ),
            (
                "TransactionPool.Remember: transaction X: account A balance 1 below min 9",
                "BelowMinimum"
            ),
            ("msgpack decode error [pos 1]: no matching struct field", "Malformed"),
            ("something new", "Refused"),
        ])
    func refused(message: String, name: String) async throws {
        let text = JSON.object(JSONObject([.init(name: "message", value: .string(message))]))
        let node = try AlgodNode(
            .answer(status: 400, body: text.write()))
        let error = try #require(await Self.send(node))
        #expect(error == .refused(AlgodRefusal(message)) && error.mayHaveBeenSent)
        #expect(AlgodRefusal(message).name == name)
        #expect(error.text.contains(message.prefix(40)))
    }

    @Test("that a node has it already is believed where it names it, not where a program does")
    func taken() {
        let again = AlgodRefusal(
            "TransactionPool.Remember: transaction already in ledger: \(AlgodNode.id)")
        #expect(again.isBecauseTaken(AlgodNode.id) && !again.isBecauseTaken("ANOTHER"))
        let program = AlgodRefusal(
            "TransactionPool.Remember: transaction X: logic eval error: assert failed pc=9. "
                + "Details: pc=9, opcodes=pushbytes // \"already in ledger: \(AlgodNode.id)\"; err")
        #expect(!program.isBecauseTaken(AlgodNode.id))
        #expect(AlgodRefusal(String(repeating: "x", count: 400)).message.utf8.count == 300)
    }

    @Test("the words of a node are cut off, and hide nothing")
    func words() {
        let refusal = AlgodRefusal("a\u{202e}\n\u{1b}[2J" + String(repeating: "x", count: 1_000))
        #expect(refusal.message.utf8.count == 300)
        #expect(refusal.message.hasPrefix("a?????[2Jxxx"))
        #expect(refusal.message.utf8.allSatisfy { (0x20..<0x7f).contains($0) })
    }

    @Test(
        "a status does not prove which bytes were handed over",
        arguments: [500, 502, 503, 429, 408, 400, 204, 307, 401, 403, 404, 413])
    func statuses(status: Int) async throws {
        let silent = await Self.send(try AlgodNode(status: status, ""))
        #expect(silent == .http(status: status) && silent?.mayHaveBeenSent == true)
        guard status != 400, status != 204 else { return }
        let loud = await Self.send(try AlgodNode(status: status, "{\"message\":\"no\"}"))
        #expect(loud == .server(status: status, message: "no"))
        #expect(loud?.mayHaveBeenSent == true)
    }

    @Test("an invalid answer may mean that the transaction was taken")
    func malformed() async throws {
        for text in ["", "{", "{}", "{\"txId\":5}", "[]"] {
            let error = try #require(await Self.send(try AlgodNode(text)))
            #expect(error.mayHaveBeenSent)
        }
        for reply in [LoopbackServer.Reply.close, .reset] {
            #expect(await Self.send(try AlgodNode(reply))?.mayHaveBeenSent == true)
        }
        let (socket, port) = try LoopbackSocket.bound()
        defer { close(socket) }
        let nobody = await Self.send(Algod(url: "http://127.0.0.1:\(port)"))
        #expect(nobody?.mayHaveBeenSent == false)
    }

    @Test("a wait ends, and the outcome after it is uncertain")
    func timeout() async throws {
        let node = try AlgodNode(.stall([]))
        var error: AlgodError?
        // Tries longer time limits until the request was sent before the limit.
        for milliseconds in [500, 2_000, 8_000, 32_000] {
            var settings = HTTPClient.Settings()
            settings.totalMillisecondsMax = milliseconds
            error = await Self.send(Algod(url: node.server.url, settings: settings))
            if error != .transport(.timedOut(afterSending: false)) { break }
        }
        #expect(error == .transport(.timedOut(afterSending: true)))
        #expect(error?.mayHaveBeenSent == true)
    }
}
