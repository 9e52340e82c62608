// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs

/// The parameters of a request, whose names are checked.
struct ARC27Params {
    let object: JSONObject

    /// Creates the parameters of a method; throws for names that are not in `names`.
    init(_ params: JSON?, names: [String]) throws(AlgorandRefusal) {
        guard let params, !params.isNull else {
            object = JSONObject()
            return
        }
        guard let object = params.object else { throw .invalid("params is not an object") }
        guard object.members.allSatisfy({ names.contains($0.name) }) else {
            throw .invalid("params has an unknown member")
        }
        // Some clients write null for a missing member.
        self.object = object.withoutNulls
    }

    /// Returns the provider id for the reply: the id in the request.
    ///
    /// That may be the id of the home, of the product, or the constant of Liquid Auth.
    func providerID(
        of configuration: ARC27Configuration, isRequired: Bool
    ) throws(AlgorandRefusal) -> String {
        guard let claimed = try text("providerId") else {
            guard !isRequired else { throw .invalid("params.providerId is missing") }
            return configuration.publicID
        }
        if let own = configuration.named(claimed) { return own }
        guard UUIDText.isSame(claimed, ARC27Wire.liquidProviderID) else {
            throw .invalid("params.providerId is another provider's")
        }
        return claimed
    }

    /// Returns the requested network; the default network if the request names none.
    func network(
        of configuration: ARC27Configuration
    ) throws(AlgorandRefusal) -> AlgorandNetwork {
        guard let text = try text("genesisHash") else { return configuration.defaultNetwork }
        guard let hash = try? Base64.decode(text, alphabet: .either, padding: .optional),
            hash.count == Transaction.hashCount
        else { throw .invalid("params.genesisHash is not 32 bytes of base64") }
        guard let network = configuration.network(withHash: hash) else {
            throw .networkNotSupported(genesisHash: hash, "this network is not configured")
        }
        return network
    }

    /// Returns the texts of an optional list.
    func texts(_ name: String) throws(AlgorandRefusal) -> [String]? {
        guard let value = object[name] else { return nil }
        guard let list = value.list else { throw .invalid("params.\(name) is not a list") }
        var texts: [String] = []
        for element in list {
            guard let text = element.text else {
                throw .invalid("params.\(name) has an entry that is not text")
            }
            texts.append(text)
        }
        return texts
    }

    /// Returns the elements of a required list.
    func list(_ name: String) throws(AlgorandRefusal) -> [JSON] {
        guard let list = object[name]?.list else { throw .invalid("params.\(name) is not a list") }
        return list
    }

    /// Returns the value of a parameter of any type.
    func value(_ name: String) -> JSON? { object[name] }

    /// Returns an optional text.
    func text(_ name: String) throws(AlgorandRefusal) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.text else { throw .invalid("params.\(name) is not text") }
        return text
    }
}
