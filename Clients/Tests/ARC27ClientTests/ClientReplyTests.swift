// SPDX-License-Identifier: Apache-2.0

import ARC27Client
import Algorand
import SigningCodecs
import SigningCore
import Testing

@testable import ARC27Rig
@testable import AlgorandSamples

@Suite("Replies that a client does not take") struct ClientReplyTests {
    private let client: ARC27Client
    private let signing: ARC27Client.PendingRequest
    private let signed: String
    private let other: String
    private static let own = JSON.string(TestProvider.providerID)

    init() throws {
        client = try ARC27Client(providerID: TestProvider.providerID)
        let rows = TransactionRow.offered.filter(\.isResignable)
        let bytes = try rows[0].bytes()
        signing = try client.request(
            .signTransactions([ARC27Client.TransactionToSign(bytes)]), id: "request-1")
        let whole = try rows[0].signed()
        let foreign = try rows[1].signed()
        signed = Base64.encode(whole.span)
        other = Base64.encode(foreign.span)
    }

    private func invalid(_ read: () throws -> ARC27Client.Reply) -> String? {
        do {
            _ = try read()
            return nil
        } catch ARC27ClientError.invalidReply(let reason) {
            return reason
        } catch {
            return nil
        }
    }

    @Test("a frame for another provider leaves the request open")
    func notForUs() throws {
        let envelope = #""id":"r","reference":"arc0027:sign_transactions:response""#
        let frames = [
            "", "ping", "{}", "oA", #"{\#(envelope),"requestId":"request-2","error":1}"#,
            #"{\#(envelope),"requestId":1,"result":{}}"#, #"{\#(envelope),"result":{}}"#,
            #"{\#(envelope),"requestId":"REQUEST-1","result":{}}"#,
            try signing.text(.json), try signing.text(.cbor),
        ]
        for frame in frames {
            #expect(throws: ARC27ClientError.notForUs, "\(frame)") { try signing.read(frame) }
        }
    }

    @Test("a frame that cannot be read leaves the request open")
    func unreadable() throws {
        let twice = CBOR.map([
            CBORMember(name: "requestId", value: .text("request-1")),
            CBORMember(name: "requestId", value: .text("request-1")),
        ])
        let frames = [
            "!", "BQ", "pong", "[]", "\"x\"", "\"[]\"", "{",
            #"{"requestId":"request-1","a":1,"a":1}"#,
            #"{"requestId":"request-1","a":1,"\u0061":1}"#, "gA", "_w",
            Base64.encode(twice.encode().span),
            "{" + String(repeating: " ", count: ARC27Client.frameBytesMax),
        ]
        for frame in frames {
            let error = #expect(throws: ARC27ClientError.self, "\(frame.prefix(80))") {
                try signing.read(frame)
            }
            guard case .unreadable(let reason) = error else {
                Issue.record("\(frame.prefix(80)): \(String(describing: error))")
                continue
            }
            #expect(!reason.isEmpty)
        }
    }

    @Test("an error that quotes the peer escapes hidden characters")
    func hiddenNames() throws {
        let frame = #"{"\u202ea":1,"\u202ea":1}"#
        #expect(
            throws: ARC27ClientError.unreadable(
                #"not an ARC-27 frame: duplicate key "\u{202E}a""#)
        ) { try signing.read(frame) }
        // A map with the name U+202E twice.
        let bytes: [UInt8] = [0x82, 0xa3, 0xe2, 0x80, 0xae, 0x01, 0xa3, 0xe2, 0x80, 0xae, 0x01]
        let item = JSON.string(Base64.encode(bytes.span))
        let reason = invalid { try signing.read(result: ["stxns": [item]]) }
        #expect(reason?.contains("\u{202e}") == false)
    }

    @Test("every proper prefix of a reply is refused", arguments: FrameForm.allCases)
    func prefixes(_ form: FrameForm) throws {
        let conversation = try #require(Conversation.all.first { $0.name == "sign-one" })
        let request = try ClientVectors.anyRequest(conversation)
        let json = try #require(conversation.response)
        let frame =
            form == .json
            ? String(decoding: json.write(), as: UTF8.self)
            : try #require(conversation.json["response"]?[form.rawValue]?.text)
        _ = try request.read(frame)
        for count in 0..<frame.utf8.count {
            #expect(throws: ARC27ClientError.self) { try request.read(String(frame.prefix(count))) }
        }
        let quoted = String(decoding: JSON.string(frame).write(), as: UTF8.self)
        for count in 0..<quoted.utf8.count {
            #expect(throws: ARC27ClientError.self) {
                try request.read(String(quoted.prefix(count)))
            }
        }
        #expect(throws: ARC27ClientError.self) { try request.read(frame + "x") }
    }

    @Test("either a result or an error, with an id and a reference")
    func envelope() throws {
        let start = #""requestId":"request-1","id":"r""#
        let reference = #""reference":"arc0027:sign_transactions:response""#
        let error = #""error":{"code":4001,"message":"no"}"#
        let result = #""result":{"stxns":["\#(signed)"]}"#
        _ = try signing.read("{\(start),\(reference),\(error)}")
        _ = try signing.read("{\(start),\(reference),\(result)}")
        let frames = [
            "{\(start),\(reference)}", "{\(start),\(reference),\(result),\(error)}",
            "{\(start),\(reference),\"result\":[]}", "{\(start),\(reference),\"result\":null}",
            "{\(start),\(reference),\(result),\"error\":null}", "{\(start),\(error)}",
            #"{"requestId":"request-1",\#(reference),\#(error)}"#,
            #"{\#(start),"reference":"arc0027:sign_transactions:request",\#(error)}"#,
            #"{\#(start),"reference":"arc0027::response",\#(error)}"#,
            #"{\#(start),"reference":"arc0027:response",\#(error)}"#,
            #"{\#(start),\#(reference),"error":{"code":"4001","message":"no"}}"#,
            #"{\#(start),\#(reference),"error":{"code":4001}}"#,
        ]
        for frame in frames { #expect(invalid { try signing.read(frame) } != nil, "\(frame)") }
        let helper = #""reference":"arc0027:sign_message:response""#
        guard case .signed = try signing.read("{\(start),\(helper),\(result)}") else {
            throw Wrong()
        }
    }

    @Test("the signed transactions are the requested ones, in number and content")
    func stxns() throws {
        let bytes = try Base64.decode(signed)
        let bare = JSON.string(Base64.encode([UInt8](repeating: 1, count: 64).span))
        let rows: [(JSON, String)] = [
            ([], "stxns has 0 elements for 1 txns"),
            ([.string(signed), nil], "stxns has 2 elements for 1 txns"),
            ([.string(other)], "stxns[0]: another transaction was signed than requested"),
            (["*"], "stxns[0]: neither null nor base64"),
            ([1], "stxns[0]: neither null nor base64"),
            ([""], "stxns[0]: not a signed transaction: not canonical MessagePack: unexpected end"),
            ("x", "result.stxns does not have the form of ARC-27"),
        ]
        for (list, reason) in rows {
            #expect(invalid { try signing.read(result: ["stxns": list]) } == reason)
        }
        #expect(invalid { try signing.read(result: [:]) } == "result.stxns is missing")
        for count in 1..<bytes.count where count != 64 {
            let text = JSON.string(Base64.encode(bytes.span.extracting(0..<count)))
            #expect(invalid { try signing.read(result: ["stxns": [text]]) } != nil)
        }
        guard case .signed(let none) = try signing.read(result: ["stxns": [nil]]) else {
            throw Wrong()
        }
        #expect(none.items == [.notSigned])
        #expect(none.missing == [0])
        let item = ARC27Client.TransactionToSign(
            try TransactionRow.offered.filter(\.isResignable)[0].bytes())
        let two = try client.request(.signTransactions([item, item]), id: "2")
        #expect(
            invalid { try two.read(result: ["stxns": [.string(signed), bare]]) }
                == "stxns has both signed transactions and bare signatures")
    }

    @Test("the account that signs is the account asked")
    func signers() throws {
        let conversation = try #require(
            Conversation.all.first { $0.name == "sign-rekeyed-authaddr" })
        let asked = try ClientVectors.anyRequest(conversation)
        let result = try #require(conversation.response?["result"])
        _ = try asked.read(result: result)
        guard case .signTransactions(var items) = asked.call else { throw Wrong() }
        items[0].authAddress = nil
        guard
            case .signed(let signed) = try client.request(.signTransactions(items), id: "1")
                .read(result: result), case .transaction(_, let rekeyed?) = signed.items[0]
        else { throw Wrong() }
        #expect(rekeyed.publicKey == (try SampleKeys.publicKey(seed: SampleKeys.a)))
        items[0].authAddress = try SampleKeys.address(seed: [UInt8](1...32))
        let stranger = try client.request(.signTransactions(items), id: "1")
        #expect(
            invalid { try stranger.read(result: result) }
                == "stxns[0]: signed by another key than requested")
    }

    @Test("no signer beside the sender itself, no bare signature of several")
    func impossible() throws {
        let whole = try Base64.decode(signed)
        let sender = try SampleKeys.publicKey(seed: SampleKeys.a)
        let named =
            [0x83, 0xa4] + [UInt8]("sgnr".utf8) + [0xc4, 0x20] + sender + whole.dropFirst()
        let item = JSON.string(Base64.encode(named.span))
        #expect(
            invalid { try signing.read(result: ["stxns": [item]]) }
                == "stxns[0]: sgnr equals the sender, which every network refuses")
        let conversation = try #require(
            Conversation.all.first { $0.name == "sign-multisig-partial" })
        let several = try ClientVectors.anyRequest(conversation)
        let bare = JSON.string(Base64.encode([UInt8](repeating: 1, count: 64).span))
        #expect(
            invalid { try several.read(result: ["stxns": [bare]]) }
                == "stxns[0]: a bare signature for a multisignature account")
    }

    @Test("transactions that are passed on come back unchanged")
    func passedOn() throws {
        let conversation = try #require(
            Conversation.all.first { $0.name == "sign-group-with-stxn-passthrough" })
        let asked = try ClientVectors.anyRequest(conversation)
        var list = try #require(conversation.response?["result"]?["stxns"]?.list)
        list[1] = nil
        guard case .signed(let left) = try asked.read(result: ["stxns": .array(list)]) else {
            throw Wrong()
        }
        #expect(left.missing == [1])
        list[1] = list[0]
        #expect(
            invalid { try asked.read(result: ["stxns": .array(list)]) }
                == "stxns[1]: not the stxn of the request")
    }

    private struct Wrong: Error {}
}
