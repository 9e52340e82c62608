// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// The answer to a message that a browser carries in the fragment of callbackUrl (NEP-413).
///
/// No server sees a fragment in a Referer.
public enum NEP413Callback {
    private static let loopbacks: Set = ["127.0.0.1", "[::1]", "localhost"]
    private static let members = ["accountId", "publicKey", "signature"]

    /// Returns the URL to open once, with a SignedMessage or an error.
    ///
    /// Nil if answers may not go to the callback. Allowed are https, http of this machine and app
    /// schemes.
    public static func url(_ callbackURL: String, carrying reply: [UInt8]) -> String? {
        guard isUsable(callbackURL), let json = try? JSON.parse(reply.span) else { return nil }
        let answer = json["result"] ?? json
        var pairs: [(String, String)] = []
        if let error = json["error"] {
            let code = error["code"]?.text ?? "internal_error"
            pairs.append(("error", code + (error["message"]?.text.map { ": \($0)" } ?? "")))
        } else {
            for name in members {
                guard let value = answer[name]?.text else { return nil }
                pairs.append((name, value))
            }
        }
        if let state = (json["state"] ?? answer["state"])?.text { pairs.append(("state", state)) }
        let fragment = pairs.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }
        return "\(callbackURL)#\(fragment.joined(separator: "&"))"
    }

    /// Returns true if an answer may go to a callback.
    public static func isUsable(_ callbackURL: String) -> Bool {
        // Programs disagree about characters outside ASCII and about backslashes.
        guard callbackURL.utf8.allSatisfy({ $0 < 0x80 && $0 != UInt8(ascii: "\\") }),
            let origin = try? WebOrigin(callbackURL)
        else { return false }
        return !callbackURL.utf8.contains(UInt8(ascii: "#")) && isAllowed(origin)
    }

    private static func isAllowed(_ origin: WebOrigin) -> Bool {
        switch origin.scheme {
        case "https": true
        case "http": loopbacks.contains(origin.host.text)
        default: AppScheme.isUsable(origin.scheme)
        }
    }
}
