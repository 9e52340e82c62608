// SPDX-License-Identifier: Apache-2.0

import SigningAgent
import SigningCodecs
import SigningCore

/// An account of the home that can sign.
struct HeldKey {
    let name: String
    /// The public key in hex.
    let publicKey: String
    let address: String
    /// The network that the account is bound to, if any.
    let network: String?
}

extension CommandHome {
    /// Returns the accounts of a protocol that can sign; needs no passphrase.
    func keys(of protocolID: ProtocolID) async throws -> [HeldKey] {
        guard let agent else {
            return try workspace().accounts().filter {
                $0.protocolID == protocolID && !$0.isWatchOnly
            }.map {
                HeldKey(
                    name: $0.name, publicKey: Hex.encode($0.publicKey.span), address: $0.address,
                    network: $0.network)
            }
        }
        let reply = try await agent.client.ask("GET", "/v1/keys")
        guard reply.isGood else { throw reply.refusal }
        return (reply.json["keys"]?.list ?? []).filter {
            $0["protocol"]?.text == protocolID.name && $0["watch_only"]?.flag == false
        }.compactMap { key in
            guard let name = key["name"]?.text, let publicKey = key["public_key"]?.text,
                let address = key["address"]?.text
            else { return nil }
            return HeldKey(
                name: name, publicKey: publicKey, address: address, network: key["network"]?.text)
        }
    }
}
