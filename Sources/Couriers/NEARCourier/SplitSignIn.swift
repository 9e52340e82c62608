// SPDX-License-Identifier: Apache-2.0

import NEAR
import NEP413
import SigningCodecs
import SigningCore

extension NEARCourier {
    /// A call that signs in, signs a message and adds a key: two decisions, each judged by itself.
    ///
    /// The message first: it is kept back where the key is not added, and not signed at all
    /// where the key could not be.
    func answer(
        _ message: ReadCall<NEP413Adapter>, then signIn: ReadCall<NEP413Adapter>
    ) async throws(AdapterError) -> Answer {
        let context = signIn.context
        if let need = try signIn.need(in: context) {
            do throws(NEARLookupFailure) {
                _ = try await look(need, in: context)
            } catch {
                throw signIn.wire.refuse(error)
            }
        }
        let signed = try await answer(message)
        guard case .message(let words) = signed.reply,
            let signedMessage = (try? JSON.parse(words.span))?["result"]
        else { return signed }
        let connected = try await answer(signIn)
        guard case .message(let bytes) = connected.reply,
            let account = (try? JSON.parse(bytes.span))?["result"]?.list?.first?.object,
            account["accountId"] == signedMessage["accountId"]
        else { return connected }
        let members = account.members + [.init(name: "signedMessage", value: signedMessage)]
        let json: JSON = ["result": [.object(JSONObject(members))]]
        return connected.replying(json.write())
    }
}
