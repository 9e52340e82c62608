// SPDX-License-Identifier: Apache-2.0

import NEAR
import NEP413
import SigningCodecs
import SigningCore

/// A call that signs in, signs a message and adds a key: two decisions, each judged by itself.
struct SplitSignIn {
    let message: Frame
    let signIn: Frame

    /// Nil for every other call.
    init?(_ frame: Frame) {
        guard
            let call = try? JSON.parse(frame.bytes.span).object,
            call["method"]?.text == "signInAndSignMessage",
            // Whatever else stands there is for the adapter to refuse.
            Set(call.names) == ["method", "params"],
            let params = call["params"]?.object, let key = params["addFunctionCallKey"],
            !key.isNull, let words = params["messageParams"]?.object,
            Self.callerNames.allSatisfy({ words[$0] == nil })
        else { return nil }
        let common = params.members.filter {
            !["addFunctionCallKey", "messageParams"].contains($0.name)
        }
        message = Self.frame("signMessage", words.members + common, frame.origin)
        signIn = Self.frame(
            "signIn", common + [.init(name: "addFunctionCallKey", value: key)], frame.origin)
    }

    private static let callerNames = ["network", "signerId", "accountId", "publicKey"]

    private static func frame(
        _ method: String, _ params: [JSONObject.Member], _ origin: Origin
    ) -> Frame {
        let json: JSON = ["method": .string(method), "params": .object(JSONObject(params))]
        return Frame(bytes: json.write(), origin: origin)
    }
}

extension NEARCourier {
    /// The message first: it is kept back where the key is not added, and not signed at all
    /// where the key could not be.
    func answer(_ parts: SplitSignIn) async -> Answer {
        let context = hub.context(of: parts.signIn, for: .near)
        if let refusal = adapter.refusal(of: parts.signIn.bytes.span, in: context) {
            return .refused(refusal)
        }
        do throws(NEARLookupFailure) {
            if let need = adapter.lookups(for: parts.signIn.bytes.span, in: context) {
                _ = try await look(need, in: context)
            }
        } catch {
            return .refused(adapter.refuse(error))
        }
        let signed = await answer(parts.message)
        guard case .message(let words) = signed.reply,
            let message = (try? JSON.parse(words.span))?["result"]
        else { return signed }
        let connected = await answer(parts.signIn)
        guard case .message(let bytes) = connected.reply,
            let account = (try? JSON.parse(bytes.span))?["result"]?.list?.first?.object,
            account["accountId"] == message["accountId"]
        else { return connected }
        let members = account.members + [.init(name: "signedMessage", value: message)]
        let json: JSON = ["result": [.object(JSONObject(members))]]
        return connected.replying(json.write())
    }
}
