// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
package import SigningCore
internal import SigningVault

extension OpenHome {
    /// Returns all passkeys.
    package func passkeys() throws(ServiceError) -> [Passkey] {
        do throws(KeyStoreError) { return try vault.passkeys() } catch {
            throw ServiceError("the vault cannot be read", hint: "see \"countersign doctor\"")
        }
    }

    /// Returns the passkeys of an account for a server, the latest first.
    ///
    /// Passkeys of the host itself come before those of a parent host.
    package func passkeys(
        of account: Account, at origin: WebOrigin
    ) throws(ServiceError) -> [Passkey] {
        let own = try passkeys().filter { $0.address == account.address }
        for host in origin.host.passkeyHosts {
            let found = own.filter { $0.host == host }
            if !found.isEmpty { return found.reversed() }
        }
        return []
    }
}

extension Passkey {
    /// The credential in the notation of servers.
    package var credentialText: String {
        Base64.encode(credential.span, alphabet: .url, padding: false)
    }
}
