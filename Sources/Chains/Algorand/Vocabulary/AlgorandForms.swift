// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore

extension AlgorandVocabulary {
    /// Returns the forms that values in rules are normalized to.
    package static func forms(networks: [String]) -> [String: FactForm] {
        let accounts = fields.filter { $0.type == .account }
        var forms = Dictionary(accounts.map { ($0.name, FactForm.address) }) { first, _ in first }
        forms["network"] = .network(networks)
        forms["type"] = .oneOf(["pay", "axfer", "acfg", "afrz", "appl", "keyreg"])
        forms["on_complete"] = .oneOf([
            "noop", "optin", "closeout", "clear", "update", "delete",
        ])
        forms["asset.action"] = .oneOf(["create", "reconfigure", "destroy"])
        forms["participation"] = .oneOf(["online", "offline", "nonparticipating"])
        forms["message.mode"] = .oneOf(["mx", "raw", "arc60"])
        forms["domain"] = .domain
        forms["host"] = .domain
        return forms
    }

    package static let outflow = FactField(
        "outflow", .amount(.algo), varies: .upTo,
        note: "The ALGO that leave the account at most, fees included."
    ).of(AlgorandVocabulary.signing)
}

extension FactForm {
    fileprivate static let address = FactForm.text("algorand address") {
        text throws(FactFormError) in
        do throws(CodecError) {
            _ = try AlgorandAddress.parse(text)
            return text
        } catch .checksum {
            throw FactFormError("takes an address; this one has a wrong checksum")
        } catch {
            throw FactFormError("takes an address of 58 letters and digits")
        }
    }

    /// A built-in network, the name of an added one, or a genesis id.
    ///
    /// The names that this home added do not matter: a policy must stay readable without them.
    fileprivate static func network(_ builtIn: [String]) -> FactForm {
        FactForm.text("algorand network \(builtIn)") { text throws(FactFormError) in
            guard !builtIn.contains(text), !text.contains("-v"), !NetworkName.isValid(text) else {
                return text
            }
            throw FactFormError(
                "is mainnet, testnet, the name of an added network, or a genesis id such as "
                    + "dockernet-v1",
                meant: NetworkName.builtIn(meantBy: text))
        }
    }

    fileprivate static let domain = FactForm.text("domain") { text throws(FactFormError) in
        guard let host = try? HostName(text) else {
            throw FactFormError("takes a domain such as app.example")
        }
        return host.text
    }
}
