// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import SigningCore
import SigningCrypto
import SigningFiles
import SigningService
import SigningStorage
import Testing

@Suite("An access token that its owner makes")
struct TokenActTests {
    /// Each change needs a home that was opened after the last one.
    private func opened(_ rig: Rig) throws -> OpenHome {
        try OpenHome(at: rig.home.home.path, speaking: .builtIn)
    }

    private func make(
        _ name: String, _ rig: Rig, with passphrase: String = "correct horse"
    ) throws -> (token: AccessToken, text: String) {
        let made = try OwnerActs.tokenNew.perform(
            NewToken(named: name, isBrowser: false, scope: .init(["keys"]), days: 1),
            in: opened(rig), with: SecretBytes(copying: passphrase.utf8.span))
        let text = made.text.withSpan { bytes in
            String(decoding: (0..<bytes.count).map { bytes[$0] }, as: UTF8.self)
        }
        return (made.token, text)
    }

    @Test("is the one that its text belongs to, with its scope and its end")
    func made() throws {
        let rig = try Rig()
        let (token, text) = try make("bot", rig)
        let known = try OwnerActs.tokenList.perform(false, in: opened(rig))
        #expect(known == [token])
        #expect(try known.holder(of: text, at: SystemEnvironment().now()) == token)
        #expect(token.scope.holds("keys") && !token.scope.holds("limits"))
        #expect(token.expires == token.created.adding(seconds: 86_400))
    }

    @Test("is not made without the passphrase, nor with a name that cannot be one or was used")
    func refused() throws {
        let rig = try Rig()
        #expect(throws: ServiceError.self) { try make("bot", rig, with: "not this one") }
        let misnamed = #expect(throws: ServiceError.self) { try make("Bot", rig) }
        #expect(misnamed?.message == "--name \"Bot\" cannot name an access token")
        #expect(throws: ServiceError.self) { try make("..", rig) }
        #expect(try OwnerActs.tokenList.perform(true, in: opened(rig)).isEmpty)
        let (token, _) = try make("bot", rig)
        _ = try OwnerActs.tokenRevoke.perform(token, in: opened(rig), with: rig.passphrase)
        let again = #expect(throws: ServiceError.self) { try make("bot", rig) }
        #expect(again?.message == "--name \"bot\" was used by an earlier access token")
        #expect(try OwnerActs.tokenList.perform(false, in: opened(rig)).isEmpty)
    }
}
