// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import Glibc
import PolicyReference
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningPolicy

/// Decisions and loading, beside the naive evaluator in the same run.
enum PolicyBench {
    static func run() throws {
        for count in [100, 10_000] {
            let target = count == 100 ? 10.0 : 50.0
            let before = residentBytes()
            let start = ContinuousClock.now
            let policy = try load(count)
            let loading = milliseconds(ContinuousClock.now - start)
            let bytes = Int(residentBytes() - before) / count
            // The last request has no client, so every deny rule about a client must be evaluated.
            let requests =
                [0, 2, count / 2, count - 1, count * 2].map(Self.request) + [request(nil)]
            let ours = try microseconds(1_000) { round in
                _ = try policy.judge(requests[round % requests.count], usage: FakeUsage())
            }
            let naive = try microseconds(count == 100 ? 200 : 5) { round in
                let request = requests[round % requests.count]
                let answer = ReferenceEvaluator(
                    document: policy.document, request: request, usage: FakeUsage()
                ).answer()
                let judged = try policy.judge(request, usage: FakeUsage())
                precondition(ReferenceEvaluator.Answer(judged) == answer)
            }
            print(
                "policy of \(count) rules: decision \(rounded(ours)) us (target \(target)), "
                    + "naive \(rounded(naive)) us; loading \(rounded(loading)) ms"
                    + (count == 10_000 ? " (target 1000); \(bytes) bytes a rule" : ""))
        }
    }

    /// An Algorand address without a key.
    private static func address(_ number: Int) -> String {
        let key = Digest.sha256("\(number)".utf8.span)
        let text = key + Digest.sha512_256(key.span).suffix(4)
        return Base32.encode(text.span)
    }

    /// Realistic rules: most name one client, some apply to all.
    private static func load(_ count: Int) throws -> TOMLPolicy {
        var text = "version = 1\ndefault = \"ask\"\n[set.team]\nkeys = [\"alice\", \"bob\"]\n"
        for index in 0..<count {
            text += "[[rule]]\nid = \"r\(index)\"\n"
            switch index % 50 {
            case 0:
                text += "effect = \"deny\"\nprotocol = \"nostr\"\noperation = \"sign_event\"\n"
                text += "kind = \(30_000 + index)\nclient = \"https://app-\(index).example\"\n"
            case 1:
                text += "effect = \"ask\"\nprotocol = \"algorand\"\n"
                text += "operation = \"sign_transactions\"\namount = { min = \"\(index) ALGO\" }\n"
                text += "receiver = \"\(address(index))\"\n"
            default:
                text += "effect = \"allow\"\nprotocol = \"nostr\"\noperation = \"sign_event\"\n"
                text += "key = \"@team\"\nclient = \"https://app-\(index).example\"\n"
                text += "kind = [1, 6, 7]\ntag_count = { max = 50 }\n"
                text += "limit = [{ count = 60, per = \"1h\" }]\n"
            }
        }
        return try TOMLPolicy.load(
            text.utf8.span, fileName: "policy.toml", schemas: AdapterSet(providerID: "").schemas,
            at: Timestamp(seconds: 1_795_219_200), sha256: { Digest.sha256($0) })
    }

    private static func request(_ index: Int?) -> JudgedRequest {
        FakeRequest(
            client: index.map {
                Client(id: "https://app-\($0).example", name: nil, proof: .callback)
            },
            operations: [
                .fake([
                    Fact("kind", .integer(1)), Fact("content.bytes", .integer(20)),
                    Fact("tag_count", .integer(2)), Fact("pubkey_mismatch", .bool(false)),
                ])
            ]
        ).judged(at: 1_795_219_200)
    }

    private static func microseconds(
        _ rounds: Int, _ body: (Int) throws -> Void
    ) rethrows -> Double {
        var best = Double.infinity
        for _ in 0..<5 {
            let start = ContinuousClock.now
            for round in 0..<rounds { try body(round) }
            best = min(best, milliseconds(ContinuousClock.now - start) * 1_000 / Double(rounds))
        }
        return best
    }

    private static func milliseconds(_ span: Duration) -> Double {
        Double(span.components.seconds) * 1_000 + Double(span.components.attoseconds) / 1e15
    }

    private static func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }

    private static func residentBytes() -> Int64 {
        guard let file = unsafe fopen("/proc/self/statm", "r") else { return 0 }
        defer { unsafe fclose(file) }
        var line = [CChar](repeating: 0, count: 200)
        guard unsafe fgets(&line, 200, file) != nil else { return 0 }
        let text = String(decoding: line.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int64($0) } ?? 0
        return pages * 4_096
    }
}
