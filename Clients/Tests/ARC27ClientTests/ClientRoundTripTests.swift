// SPDX-License-Identifier: Apache-2.0

import ARC27
import ARC27Client
import Algorand
import SigningCodecs
import SigningCore
import SigningCrypto
import Testing

@testable import ARC27Rig
@testable import AlgorandSamples

@Suite("A client and our own provider") struct ClientRoundTripTests {
    private let client: ARC27Client
    private let provider: TestProvider

    init() throws {
        client = try ARC27Client(providerID: TestProvider.providerID)
        provider = try TestProvider()
    }

    private func ask(
        _ call: ARC27Client.Call, _ form: ARC27Client.Form,
        _ judgement: TestProvider.Judgement = .allow
    ) throws -> ARC27Client.Reply {
        let request = try client.request(call, freshID: [UInt8](1...16))
        guard case .message(let bytes) = try provider.answer(request.text(form), judgement)
        else { throw Wrong() }
        return try request.read(bytes.span)
    }

    @Test("discover, enable and disable", arguments: ARC27Client.Form.allCases)
    func accounts(_ form: ARC27Client.Form) throws {
        guard case .discovered(let found) = try ask(.discover, form) else { throw Wrong() }
        #expect(found.providerID == client.providerID)
        #expect(found.name.visible == "Signing Hub")
        #expect(found.networks.first?.offers(.signTransactions) == true)

        let hash = AlgorandNetwork.testnet.genesisHash
        guard case .enabled(let enabled) = try ask(.enable(genesisHash: hash), form) else {
            throw Wrong()
        }
        #expect(enabled.accounts.map(\.address) == provider.accounts.map(\.address))
        #expect(enabled.network == .testnet)

        guard case .disabled(let disabled) = try ask(.disable(sessionIDs: ["s"]), form) else {
            throw Wrong()
        }
        #expect(disabled.network == .testnet)
        #expect(disabled.sessionIDs == [])
    }

    @Test(
        "transactions are signed, and the signatures are verified",
        arguments: ARC27Client.Form.allCases)
    func signing(_ form: ARC27Client.Form) throws {
        let conversation = try #require(
            Conversation.all.first { $0.name == "sign-group-mine-and-theirs" })
        let call = try ClientVectors.anyRequest(conversation).call
        guard case .signed(let signed) = try ask(call, form) else { throw Wrong() }
        #expect(signed.missing.isEmpty)
        #expect(signed.items.last == .notSigned)
        guard case .transaction(let bytes, let signature?) = signed.items[0] else {
            throw Wrong()
        }
        let isValid = Signatures.isValidEd25519(
            signature: signature.signature.span, message: signature.preimage.span,
            publicKey: signature.publicKey.span)
        #expect(isValid)
        let text = [UInt8](Base64.encode(bytes.span).utf8)
        let statement = try provider.adapter.readSigned(text.span)
        #expect(statement.signatures.map(\.publicKey) == [signature.publicKey])
        #expect(statement.signatures.first?.readings.first?.preimage == signature.preimage)
    }

    @Test("a no is a refusal")
    func refusals() throws {
        guard case .refused(let no) = try ask(.enable(), .json, .refuse(.personDenied)) else {
            throw Wrong()
        }
        #expect(no.cause == .canceled(method: "enable"))
        #expect(no.providerID == TestProvider.providerID)
        let mainnet = AlgorandNetwork.mainnet.genesisHash
        guard case .refused(let elsewhere) = try ask(.enable(genesisHash: mainnet), .cbor) else {
            throw Wrong()
        }
        #expect(elsewhere.cause == .networkNotSupported(genesisHashes: [mainnet]))
    }

    private struct Wrong: Error {}
}
