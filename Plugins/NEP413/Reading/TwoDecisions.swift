// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

extension NEP413Adapter {
    /// Splits a call that signs in, signs a message and adds a key; the message comes first.
    public func decisions(
        in frame: NEP413Frame
    ) -> (first: NEP413Frame, second: NEP413Frame)? { frame.decisions }

    /// Returns the account of `signIn` with the signed message; nil if the accounts differ.
    public func joined(_ message: [UInt8], _ signIn: [UInt8]) -> [UInt8]? {
        guard let signed = (try? JSON.parse(message.span))?["result"],
            let account = (try? JSON.parse(signIn.span))?["result"]?.list?.first?.object,
            account["accountId"] == signed["accountId"]
        else { return nil }
        let members = account.members + [.init(name: "signedMessage", value: signed)]
        let json: JSON = ["result": [.object(JSONObject(members))]]
        return json.write()
    }
}
