// SPDX-License-Identifier: Apache-2.0

public import SigningCore
public import SigningCrypto

/// A chain with a text form for secrets; other chains use hexadecimal digits.
public protocol WritesSecrets: Chain {
    /// The name of the text, for `key export --format`.
    var secretForm: String { get }

    /// Reads a secret from a text without surrounding white space; nil if it is invalid.
    func readSecret(_ text: borrowing SecretBytes) -> SecretBytes?

    /// Writes the form that `readSecret` reads.
    func secretText(of secret: borrowing SecretBytes) -> SecretBytes
}

extension Chain {
    /// Returns the algorithm of the chain's keys, which the library or `given` contains.
    public func signing(
        among given: [SigningAlgorithm] = []
    ) throws(ServiceError) -> SigningAlgorithm {
        guard let known = given.named(algorithm) else {
            throw ServiceError(
                "keys of \(protocolID) have the algorithm \"\(algorithm.id)\", which is missing",
                hint: "give ProtocolSupport the algorithm too")
        }
        return known
    }

    /// Returns the public half of a secret, by an algorithm of the library or of `given`.
    public func publicKey(
        of secret: borrowing SecretBytes, among given: [SigningAlgorithm] = []
    ) throws(ServiceError) -> [UInt8] {
        let signing = try signing(among: given)
        do throws(CryptoError) {
            return try signing.open(secret).publicKey
        } catch {
            throw ServiceError(
                "this secret key is not valid for its curve", hint: "check what was pasted")
        }
    }

    /// Returns the account that a key is kept for: the given one if the chain names accounts.
    public func account(of publicKey: [UInt8], given: String?) throws(ServiceError) -> String {
        guard given == nil || namesAccounts else {
            throw .misuse(
                "--account does not apply to \(protocolID) keys", hint: "leave out --account")
        }
        do {
            return try address(publicKey: publicKey, given: given)
        } catch {
            throw ServiceError(error)
        }
    }

    /// Returns the network that a key is bound to, or nil for all; refuses unknown networks.
    ///
    /// `added` are the names of further networks.
    public func network(
        _ given: String?, and added: [String] = []
    ) throws(ServiceError) -> String? {
        guard let given else { return nil }
        guard !networks.isEmpty else {
            throw .misuse(
                "--network does not apply to \(protocolID) keys", hint: "leave out --network")
        }
        let known = networks + added
        guard known.contains(given) else {
            throw .misuse(
                "unknown --network \"\(VisibleText.quotable(given))\"",
                hint: "one of: \(known.joined(separator: ", "))")
        }
        return given
    }
}

extension AccountError: ExplainedError {
    /// The error in its own words.
    public var explained: ServiceError { ServiceError(message, hint: hint) }
}
