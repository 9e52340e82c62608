// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import SigningCodecs

/// A checked address, in the parsed form that the transfer uses.
///
/// The check and the transfer use one parser: two parsers could find different hosts in one
/// address.
@safe struct HTTPURL: ~Copyable {
    /// The parsed form, which is valid as long as this value exists.
    let handle: OpaquePointer
    /// True if the host is this machine.
    let isLoopback: Bool

    /// Parses an address; throws for an address that this client refuses to open.
    init(_ text: String) throws(HTTPError) {
        guard text.utf8.count <= Self.countMax else { throw .invalidURL("it is too long") }
        // A zero byte would end the text in C, and addresses are ASCII.
        guard text.utf8.allSatisfy({ (0x21..<0x7f).contains($0) }) else {
            throw .invalidURL("it has a space or a character that is not ASCII")
        }
        guard HTTPLibrary.isReady else {
            throw .connectionFailed("libcurl.so.4 cannot be loaded; is libcurl installed?")
        }
        guard let handle = unsafe ccurl_url() else {
            throw .connectionFailed("libcurl does not start")
        }
        do throws(HTTPError) {
            isLoopback = try unsafe Self.check(text, with: handle)
        } catch {
            unsafe ccurl_url_cleanup(handle)
            throw error
        }
        unsafe self.handle = handle
    }

    deinit { unsafe ccurl_url_cleanup(handle) }

    private static let countMax = 4_096
    private static let loopbackHosts = ["127.0.0.1", "[::1]", "localhost"]

    /// Parses the text into the handle; returns true if its host is this machine.
    private static func check(
        _ text: String, with handle: OpaquePointer
    ) throws(HTTPError) -> Bool {
        let code = unsafe ccurl_url_set(
            handle, CURLUPART_URL, text, UInt32(CURLU_DISALLOW_USER))
        switch code {
        case CURLUE_OK: break
        case CURLUE_USER_NOT_ALLOWED:
            throw .invalidURL("it has a user name or a password")
        case CURLUE_UNSUPPORTED_SCHEME, CURLUE_BAD_SCHEME:
            throw .invalidURL("it does not begin with https:// or http://")
        default: throw .invalidURL("it is malformed")
        }
        // An empty user or password is not valid in an address, but passes the flag above.
        guard unsafe part(CURLUPART_USER, of: handle) == nil,
            unsafe part(CURLUPART_PASSWORD, of: handle) == nil
        else { throw .invalidURL("it has a user name or a password") }
        guard let scheme = unsafe part(CURLUPART_SCHEME, of: handle)?.lowercased(),
            let host = unsafe part(CURLUPART_HOST, of: handle)?.lowercased()
        else { throw .invalidURL("it is malformed") }
        guard !HostName.isOnion(host) else {
            throw .invalidURL("only relays can have .onion addresses")
        }
        let isLoopback = loopbackHosts.contains(host)
        switch scheme {
        case "https": break
        case "http" where isLoopback: break
        case "http":
            throw .invalidURL("http:// is for this machine only; use https://")
        default: throw .invalidURL("it does not begin with https:// or http://")
        }
        return isLoopback
    }

    private static func part(_ part: CURLUPart, of handle: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard unsafe ccurl_url_get(handle, part, &text, 0) == CURLUE_OK, let text = unsafe text
        else { return nil }
        defer { unsafe ccurl_free(text) }
        return unsafe String(cString: text)
    }
}

/// The library libcurl.
enum HTTPLibrary {
    /// True if the library is installed and initialised, which happens once, at the first use.
    static var isReady: Bool { ccurl_is_ready() }
}
