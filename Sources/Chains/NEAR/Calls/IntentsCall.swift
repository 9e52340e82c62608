// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

extension CallMeaning {
    /// The methods of the contract of NEAR Intents that change who may act there.
    static func intents(
        _ method: String, _ args: MemberReader
    ) throws(ShapeError) -> CallMeaning? {
        var args = args
        switch method {
        case "add_public_key", "remove_public_key":
            let key = try args.text("public_key")
            try args.finish()
            return CallMeaning(
                method == "add_public_key"
                    ? "accept orders in your name that the key \(key.shown) signs"
                    : "no longer accept orders in your name that the key \(key.shown) signs",
                .authority, lines: [.init("key", key, by: .client)])
        case "disable_auth_by_predecessor_id":
            try args.finish()
            return CallMeaning(
                "accept nothing from your account any more, only orders that its keys there sign; "
                    + "without such a key your balance there is lost", .loss)
        case "execute_intents": return try carryingOut(args)
        default: return nil
        }
    }

    /// Signed orders, which are carried out for the accounts that signed them.
    private static func carryingOut(_ args: MemberReader) throws(ShapeError) -> CallMeaning {
        var args = args
        let signed = try args.list("signed")
        try args.finish()
        var lines: [Summary.Line] = []
        for order in signed {
            guard let standard = order["standard"]?.text else { throw ShapeError() }
            lines += Self.lines(ofSigned: order, standard)
        }
        return CallMeaning(
            "carry out signed orders (\(signed.count)) for the accounts that signed them", .flagged,
            lines: lines)
    }

    /// The forms whose payload is the text of the order itself.
    private static let textForms: Set = ["raw_ed25519", "erc191", "tip191", "sep53", "webauthn"]

    /// Returns an order of any account in lines; all of it is what the order says of itself.
    private static func lines(ofSigned order: JSON, _ form: String) -> [Summary.Line] {
        let payload = order["payload"]
        let text =
            form == "nep413"
            ? payload?["message"]?.text : textForms.contains(form) ? payload?.text : nil
        let signer = text.flatMap { IntentsClaim.signer(of: $0) }
        let name = signer.map { "in the name of \($0)" } ?? "that names no account readable here"
        let title = Summary.Line("carries out", "an order \(name), form \(form.shown)")
        guard let text else { return [title, IntentsFinding.unreadableLine] }
        let finding = IntentsFinding(recipient: IntentsFinding.contract, message: text)
        return [title] + finding.lines(isOwn: false)
    }
}
