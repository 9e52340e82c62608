// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningCrypto
import SigningService
import SigningTesting
import Testing

@testable import DoorPass

@Suite("Passes for doors")
struct DoorPassTests {
    private let adapter = DoorAdapter()
    private let account: Account
    private let context: DecodingContext

    init() throws {
        let key = try DoorKey(secret: SecretBytes(copying: [UInt8](repeating: 3, count: 48).span))
        account = Account(
            id: KeyID("a"), name: "a", protocolID: DoorAdapter.protocolID, algorithm: .door,
            publicKey: key.publicKey, address: "door", network: nil)
        context = DecodingContext(
            accounts: [account],
            peer: .inProcess(), now: Timestamp(seconds: 1_000), freshID: [], wasSeen: { _ in nil })
    }

    private func code(_ text: String) -> String {
        do throws(AdapterError) {
            _ = try adapter.decode(Array(text.utf8).span, in: context)
            return "decoded"
        } catch {
            #expect(error.reply == .message(Array("{\"closed\":\"\(error.code)\"}".utf8)))
            return error.code
        }
    }

    @Test("the rules of all adapters are kept")
    func conformance() async {
        let frames = [#"{"door":"front","until":1600}"#, #"{"until":1001,"door":"*"}"#]
        let findings = await AdapterConformance.findings(
            adapter, frames: frames.map { Array($0.utf8) },
            results: [.signature([UInt8](repeating: 1, count: 96), message: [])], in: context)
        #expect(findings == [])
    }

    @Test("facts are those of the pass, and every door is a danger")
    func facts() throws {
        let front = try adapter.decode(#"{"door":"front","until":1601}"#.utf8.span, in: context)
        #expect(
            front.facts == [
                Fact("door", .text("front")), Fact("minutes", .integer(11)),
                Fact("until", .time(Timestamp(seconds: 1_601))),
            ])
        #expect(front.dangers.isEmpty && front.summary.warnings.isEmpty)
        let any = try adapter.decode(#"{"door":"*","until":1060}"#.utf8.span, in: context)
        #expect(any.dangers == [DoorAdapter.anyDoor] && any.summary.warnings.count == 1)
    }

    @Test("a malformed request is refused in the wire's own format")
    func refusals() {
        for text in [
            "", "[]", "{}", #"{"door":"front"}"#, #"{"door":"front","until":1600,"more":1}"#,
            #"{"door":"Front","until":1600}"#, #"{"door":"","until":1600}"#,
            #"{"door":"front","until":1600.0}"#, #"{"door":"front","until":"1600"}"#,
            #"{"door":"front","until":1600}x"#, #"{"door":"a","door":"b","until":1600}"#,
        ] {
            #expect(code(text) == "malformed", "\(text)")
        }
        #expect(code(#"{"door":"front","until":1000}"#) == "ran-out")
        #expect(code(#"{"door":"front","until":1001}"#) == "decoded")
    }

    @Test("signed bytes are read back exactly")
    func preimages() throws {
        let pass = try #require(Pass(door: "front", until: 1_600))
        let bytes = pass.preimage
        #expect(bytes == Array("door pass v1\0\0\0\0\0\0\0\u{6}@front".utf8))
        #expect(Pass(preimage: bytes) == pass)
        for count in 0..<(bytes.count - 4) {
            #expect(Pass(preimage: Array(bytes[..<count])) == nil)
        }
        #expect(Pass(preimage: bytes + [0]) == nil)
    }

    @Test("a secret is written and read as one text")
    func secrets() {
        let secret = SecretBytes(copying: [UInt8](repeating: 3, count: 48).span)
        let text = DoorChain().secretText(of: secret)
        #expect(text.withSpan { $0.count } == 91)
        let isRead = DoorChain().readSecret(text)?.isEqual(to: secret)
        #expect(isRead == true)
        let npub = SecretBytes(copying: "npub1qqqq".utf8.span)
        let isOther = DoorChain().readSecret(npub)?.isEqual(to: secret)
        #expect(isOther == nil)
    }
}
