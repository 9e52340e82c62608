// SPDX-License-Identifier: Apache-2.0

internal import Algorand
package import SigningCodecs
package import SigningCore
internal import SigningStorage

extension OpenHome {
    /// All passkeys.
    package func passkeys() throws(ServiceError) -> [Passkey] {
        do throws(KeyStoreError) { return try vault.passkeys() } catch {
            throw ServiceError("the vault cannot be read", hint: "see \"countersign doctor\"")
        }
    }

    /// Those by which an account logs in at a server, the latest first: for its own host, else for
    /// one above it.
    package func passkeys(
        of account: Account, at origin: WebOrigin
    ) throws(ServiceError) -> [Passkey] {
        let own = try passkeys().filter { $0.address == account.address }
        for host in PasskeyData.hosts(of: origin.host) {
            let found = own.filter { $0.host == host }
            if !found.isEmpty { return found.reversed() }
        }
        return []
    }
}

extension Passkey {
    /// Its credential as servers write it.
    package var credentialText: String {
        Base64.encode(credential.span, alphabet: .url, padding: false)
    }
}
