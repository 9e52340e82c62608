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

    /// A short name, or the genesis id of a custom network, which includes a version.
    fileprivate static func network(_ known: [String]) -> FactForm {
        FactForm.text("algorand network \(known)") { text throws(FactFormError) in
            guard !known.contains(text), !text.contains("-v") else { return text }
            let start = text.lowercased().prefix(4)
            throw FactFormError(
                "is mainnet, testnet or a genesis id such as dockernet-v1",
                meant: known.first { $0.prefix(4) == start })
        }
    }

    fileprivate static let domain = FactForm.text("domain") { text throws(FactFormError) in
        guard let host = try? HostName(text) else {
            throw FactFormError("takes a domain such as app.example")
        }
        return host.text
    }
}
