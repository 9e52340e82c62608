// SPDX-License-Identifier: Apache-2.0

import ARC27Client
import Algorand
import SigningCodecs
import SigningCore
import Testing

@testable import ARC27Rig
@testable import AlgorandSamples

@Suite("Replies of the vectors, as a client reads them") struct ClientConversationTests {
    static let answered = Conversation.all.filter { $0.response != nil }

    /// The reply's frame in one of its forms.
    private func frame(_ conversation: Conversation, _ form: FrameForm) throws -> String {
        guard form != .json else {
            return String(decoding: try #require(conversation.response).write(), as: UTF8.self)
        }
        return try #require(conversation.json["response"]?[form.rawValue]?.text)
    }

    @Test("all but one conversation has a reply")
    func isComplete() { #expect(Self.answered.count == 58) }

    @Test("is read", arguments: answered, FrameForm.allCases)
    func reads(_ conversation: Conversation, _ form: FrameForm) throws {
        let request = try ClientVectors.anyRequest(conversation)
        let reply = try request.read(try frame(conversation, form))
        if let error = conversation.response?["error"] {
            guard case .refused(let refusal) = reply else { throw Wrong() }
            try check(refusal, error)
        } else {
            try check(reply, try #require(conversation.response?["result"]), request)
        }
    }

    @Test("is read as the detail of a CustomEvent and in padded Base64", arguments: answered)
    func otherForms(_ conversation: Conversation) throws {
        let request = try ClientVectors.anyRequest(conversation)
        let reply = try request.read(try frame(conversation, .json))
        let detail = JSON.string(try frame(conversation, .json)).write()
        #expect(try request.read(detail.span) == reply)
        let text = try frame(conversation, .definite)
        let cbor = try Base64.decode(text, alphabet: .url, padding: .forbidden)
        #expect(try request.read(Base64.encode(cbor.span)) == reply)
        let tagged = [0xd9, 0xd9, 0xf7] + cbor
        #expect(try request.read(Base64.encode(tagged.span)) == reply)
    }

    @Test("bare signatures are read as such", arguments: answered)
    func signatures(_ conversation: Conversation) throws {
        guard let list = conversation.json["liquid_signature_mode_stxns"]?.list else { return }
        let request = try ClientVectors.anyRequest(conversation)
        guard case .signed(let signed) = try request.read(result: ["stxns": .array(list)])
        else { throw Wrong() }
        #expect(signed.missing.isEmpty)
        for (item, json) in zip(signed.items, list) {
            guard let text = json.text else {
                #expect(item == .notSigned)
                continue
            }
            guard case .signature(let bare) = item else { throw Wrong() }
            #expect(Base64.encode(bare.signature.span, alphabet: .url, padding: false) == text)
            let seed = SampleKeys.a
            #expect(bare.publicKey == (try SampleKeys.publicKey(seed: seed)))
            #expect(bare.signature == (try SampleKeys.sign(bare.preimage, seed: seed)))
        }
        #expect(signed.items.count == list.count)
    }

    private func check(_ refusal: ARC27Client.Refusal, _ error: JSON) throws {
        #expect(refusal.code == error["code"]?.integerValue)
        #expect(refusal.message.verbatim == error["message"]?.text)
        #expect(refusal.providerID == error["providerId"]?.text)
        let data = error["data"]
        let method = data?["method"]?.text
        #expect((method != nil) == (4001...4003).contains(refusal.code))
        #expect((data?["signer"] != nil) == (refusal.code == 4100))
        func hash(_ name: String) throws -> [UInt8] { try Vectors.bytes(data?[name]) }
        let cause: ARC27Client.Cause
        switch refusal.code {
        case 4001: cause = .canceled(method: method)
        case 4002: cause = .timedOut(method: method)
        case 4003: cause = .methodNotSupported(method: method)
        case 4004: cause = .networkNotSupported(genesisHashes: [try hash("genesisHash")])
        case 4100: cause = .unauthorizedSigner(address: data?["signer"]?.text)
        case 4200: cause = .invalidInput
        case 4201: cause = .invalidGroupID(computed: try hash("computedGroupId"))
        case 4300:
            let list = try #require(data?["successTxnIDs"]?.list)
            cause = .notAllPosted(transactionIDs: list.map(\.text))
        default: throw Wrong()
        }
        #expect(refusal.cause == cause)
    }

    private func check(
        _ reply: ARC27Client.Reply, _ result: JSON, _ request: ARC27Client.PendingRequest
    ) throws {
        switch reply {
        case .discovered(let found):
            #expect(found.providerID == result["providerId"]?.text)
            #expect(found.name.verbatim == result["name"]?.text)
            #expect(found.networks.map(\.network) == [.testnet])
            let methods = result["networks"]?.list?.first?["methods"]?.list?.map(\.text)
            #expect(found.networks.first?.methods == methods)
            #expect(found.networks.first?.offers(.signMessage) == true)
            #expect(found.networks.first?.offers(.postTransactions) == false)
        case .enabled(let enabled):
            let accounts = result["accounts"]?.list
            #expect(enabled.accounts.map(\.address) == accounts?.map { $0["address"]?.text })
            #expect(enabled.accounts.map(\.name?.verbatim) == ["a"])
            #expect(enabled.network == .testnet)
            #expect(enabled.sessionID == result["sessionId"]?.text)
        case .disabled(let disabled):
            #expect(disabled.network == .testnet)
            #expect(disabled.sessionIDs == result["sessionIds"]?.list?.compactMap(\.text))
        case .signed(let signed): try check(signed, try #require(result["stxns"]?.list))
        case .posted(let ids): #expect(ids == result["txnIDs"]?.list?.map(\.text))
        case .messageSigned(let message):
            #expect(message.signature == (try Vectors.bytes(result["signature"])))
            #expect(message.signer == result["signer"]?.text)
            try check(message.readings, message.signature)
        case .refused: throw Wrong()
        }
    }

    private func check(_ signed: ARC27Client.SignedTransactions, _ list: [JSON]) throws {
        #expect(signed.items.count == list.count)
        #expect(signed.missing.isEmpty)
        for (item, json) in zip(signed.items, list) {
            guard case .transaction(let bytes, let signature) = item else {
                #expect(item == .notSigned)
                #expect(json.isNull)
                continue
            }
            #expect(Base64.encode(bytes.span) == json.text)
            // The other two vectors are a multisignature and a transaction of another signer.
            guard let signature,
                signature.publicKey
                    == (try SampleKeys.publicKey(
                        seed: SampleKeys.a))
            else { continue }
            let expected = try SampleKeys.sign(signature.preimage, seed: SampleKeys.a)
            #expect(signature.signature == expected)
        }
    }

    private func check(_ readings: [ARC27Client.Reading], _ signature: [UInt8]) throws {
        for reading in readings {
            guard case .prefixed(let bytes) = reading else { continue }
            #expect(try SampleKeys.sign(bytes, seed: SampleKeys.a) == signature)
        }
        #expect(!readings.isEmpty)
    }

    private struct Wrong: Error {}
}
