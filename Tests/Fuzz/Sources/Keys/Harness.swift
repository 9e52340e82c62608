// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCrypto

/// Every format of a Nostr secret; scrypt runs at its lowest cost only.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    let text = SecretBytes(copying: input.span)
    let beginning = Array(input.prefix(200))
    let password = SecretBytes(copying: beginning.span)
    _ = try? SecretText.nostr(text)
    if NIP49.isEncrypted(text) { _ = try? NIP49.decrypt(text, password: password, logNMax: 2) }
    if let entropy = try? BIP39.entropy(words: input.span) {
        precondition(MnemonicText.wordCount(in: input.span) * 4 == entropy.count * 3)
        _ = try? NIP06.secret(entropy: entropy, passphrase: password, account: 0)
    }
    if let profile = try? NIP19.Profile(String(decoding: input, as: UTF8.self)) {
        precondition(!profile.text.isEmpty)
    }
    let sevens = [UInt8](repeating: 7, count: 32)
    let key = SecretBytes(copying: sevens.span)
    if let plain = try? NIP04.decrypt(input.span, sharedX: key) {
        precondition(plain.count < input.count)
    }
    return 0
}
