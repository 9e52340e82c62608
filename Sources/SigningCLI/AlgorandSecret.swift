// SPDX-License-Identifier: Apache-2.0

import SigningCrypto

/// The forms that Algorand secrets are kept in.
enum AlgorandSecret {
    /// The number of a key of kmd, whose master key is read in place of the key.
    private static let masterKeyIndex = Option(name: "--mdk-index", value: "N")
    /// What only these keys are imported with.
    static let options = [masterKeyIndex]

    /// Reads the 25 words of a key, or of the master key that it comes from.
    static func read(
        _ text: borrowing SecretBytes, _ invocation: Invocation
    ) throws(CLIError) -> MadeSecret {
        let index = try masterKeyIndex(invocation.arguments)
        let secret = try CLIError.wrapping { () throws(SecretText.Failure) in
            try SecretText.algorand(text)
        }
        guard let index else { return MadeSecret(secret: secret) }
        if index < KMDMasterKey.indexFirst {
            invocation.console.warn(
                "kmd never makes key \(index) of a wallet",
                hint: "its first key is that of --mdk-index \(KMDMasterKey.indexFirst)")
        }
        do throws(CryptoError) {
            return MadeSecret(secret: try KMDMasterKey.seed(masterKey: secret, index: index))
        } catch {
            throw WordOptions.noKey
        }
    }

    private static func masterKeyIndex(_ arguments: Arguments) throws(CLIError) -> UInt32? {
        guard let text = arguments.value(masterKeyIndex.name) else { return nil }
        // The number alone would take "+1" and "007".
        guard let index = UInt32(text), String(index) == text else {
            throw .usage(
                "\(masterKeyIndex.name) takes a number from 0 to \(UInt32.max)",
                hint: "write \(masterKeyIndex.name) \(KMDMasterKey.indexFirst)")
        }
        return index
    }
}
