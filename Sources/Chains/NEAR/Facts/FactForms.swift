// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore

extension FactSchema {
    /// The fact schema of NEAR, with the forms that values in rules are normalized to.
    package static let near = nearUntyped.with(forms, adding: [outflow])

    private static let outflow = FactField(
        "outflow", .amount(.near), varies: .upTo,
        note: "The NEAR that leaves the account at most, with the bound of gas."
    ).of([
        NEARRequest.Method.signMessage, NEARRequest.Method.signTransaction,
        NEARRequest.Method.signDelegate,
    ])

    private static let forms: [String: FactForm] = [
        "network": .network,
        "receiver": .account, "beneficiary": .account, "token.receiver": .account,
        "intents.receiver": .account, "key.receiver": .account,
        "callback.origin": .callbackOrigin,
        "actions": .oneOf([
            "CreateAccount", "DeployContract", "FunctionCall", "Transfer", "Stake", "AddKey",
            "DeleteKey", "DeleteAccount", "Delegate", "DeployGlobalContract",
            "UseGlobalContract", "DeterministicStateInit", "TransferToGasKey",
            "WithdrawFromGasKey", "DelegateV2",
        ]),
    ]
}

extension FactForm {
    fileprivate static let account = FactForm.text("near account") { text throws(FactFormError) in
        guard !NEARAccountID.isValid(text) else { return text }
        let lower = text.lowercased()
        throw FactFormError(
            "takes an account id such as app.near",
            meant: NEARAccountID.isValid(lower) ? lower : nil)
    }

    fileprivate static let network = FactForm.text("near network") { text throws(FactFormError) in
        guard NEARNetwork.isBuiltIn(text) || NetworkName.isValid(text) else {
            throw FactFormError(
                "is mainnet, testnet or the name of an added network",
                meant: NetworkName.builtIn(meantBy: text))
        }
        return text
    }

    fileprivate static let callbackOrigin = FactForm.text("origin") { text throws(FactFormError) in
        guard let origin = try? WebOrigin(text) else {
            throw FactFormError("takes an origin such as https://app.example")
        }
        let bare = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard bare.utf8.count(where: { $0 == UInt8(ascii: "/") }) == 2 else {
            throw FactFormError("takes an origin, without a path", meant: origin.text)
        }
        return origin.text
    }
}
