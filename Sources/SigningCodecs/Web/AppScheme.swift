// SPDX-License-Identifier: Apache-2.0

/// URL schemes that may belong to an app and receive an answer.
public enum AppScheme {
    /// Returns whether an answer may go to this scheme; the scheme is in lower case.
    public static func isUsable(_ scheme: String) -> Bool {
        let first = scheme.utf8.first
        return WebOrigin.isScheme(scheme) && !taken.contains(scheme)
            && !families.contains {
                $0.utf8.first == first && scheme.utf8.starts(with: $0.utf8)
            }
    }

    /// The schemes of systems, browsers and the hub; the hub must not be made to ask itself.
    private static let families = [
        "android", "chrome", "countersign-", "moz-", "ms-", "ms.", "nostrsigner", "web+",
        "windows", "x-apple", "x-scheme", "x-web-search",
    ]

    /// Schemes that do not belong to one app.
    ///
    /// They run code, read or mount files, open connections, call, send, pay or install, or belong
    /// to a protocol.
    private static let taken: Set = [
        // Code and documents of a browser.
        "about", "blob", "cid", "content", "data", "edge", "filesystem", "http", "https", "intent",
        "jar", "javascript", "livescript", "mhtml", "mid", "mocha", "opera", "resource", "vbscript",
        "view-source", "vivaldi", "brave", "wyciwyg", "ws", "wss",
        // Files, shares and desktops.
        "admin", "afp", "archive", "burn", "computer", "dav", "davs", "file", "ftp", "ftps", "fish",
        "gopher", "gphoto2", "ldap", "ldaps", "mtp", "network", "nfs", "recent", "sftp", "smb",
        "trash", "webdav", "webdavs", "shell", "search", "search-ms", "help", "ghelp",
        "info", "man", "hcp", "its", "mk", "res", "vnd.ms.radio",
        // Other machines.
        "icy", "irc", "irc6", "ircs", "mms", "mmsh", "nntp", "news", "nx", "nxs", "rdp", "rlogin",
        "rtmp", "rtsp", "rtspu", "scp", "snews", "spice", "ssh", "telnet", "tn3270", "vnc", "x3270",
        "winrm", "mosh", "teamviewer8", "teamviewerapi", "anydesk", "rustdesk",
        // Installing and starting programs.
        "appinstaller", "appstream", "apt", "apturl", "flatpak", "flatpak+https", "git",
        "github-mac",
        "github-windows", "vscode", "vscode-insiders", "vscodium", "itms", "itms-apps",
        "itms-services", "javaws", "jetbrains", "jnlp", "jnlps", "magnet", "market", "snap",
        "steam",
        "svn", "svn+ssh", "com-epicgames-launcher", "lutris", "heroic", "steamlink", "thunderlink",
        "zotero", "org-protocol", "obsidian", "mailspring", "cursor",
        // Calls and messages to other people.
        "callto", "facetime", "facetime-audio", "im", "mailto", "matrix", "mmsto", "msteams",
        "sgnl",
        "sip", "sips", "skype", "slack", "sms", "smsto", "tel", "tg", "threema", "viber",
        "whatsapp",
        "xmpp", "zoommtg", "zoomus",
        // Money and keys, and protocols with separate signers.
        "algorand", "bitcoin", "bitcoincash", "bunker", "cashu", "countersign", "dogecoin",
        "ethereum", "keyauth", "keybase", "lightning", "liquid", "litecoin", "lnurl", "lnurla",
        "lnurlc", "lnurlp", "lnurlw", "monero", "near", "nostr", "nostrconnect",
        "nostr+walletconnect",
        "nostrwalletconnect", "openpgp4fpr", "otpauth", "otpauth-migration", "perawallet", "solana",
        "ton", "wc", "webcal", "webcals", "feed", "geo",
    ]
}
