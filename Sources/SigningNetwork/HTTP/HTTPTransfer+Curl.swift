// SPDX-License-Identifier: Apache-2.0

internal import CCurl

/// One request and its answer, on a connection of its own.
///
/// A handle that is used once has no old connection on which libcurl would send again by itself.
@safe struct HTTPTransfer: ~Copyable {
    private let handle: UnsafeMutableRawPointer
    private let url: HTTPURL
    private let errorText: UnsafeMutableBufferPointer<CChar>

    init(_ url: consuming HTTPURL) throws(HTTPError) {
        guard let handle = unsafe ccurl_easy_init() else {
            throw .connectionFailed("libcurl does not start")
        }
        unsafe self.handle = handle
        self.url = url
        let errorText = UnsafeMutableBufferPointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0)
        unsafe self.errorText = errorText
    }

    deinit {
        unsafe ccurl_easy_cleanup(handle)
        unsafe errorText.deallocate()
    }

    /// Sends the request and waits for the whole answer.
    consuming func perform(_ request: HTTPRequest) throws(HTTPError) -> HTTPClient.Response {
        let receiver = HTTPReceiver(bodyCountMax: request.settings.bodyCountMax)
        var list: UnsafeMutablePointer<curl_slist>?
        defer { unsafe ccurl_slist_free_all(list) }
        var isReady = unsafe Self.collect(request, into: &list)
        for code in unsafe [
            ccurl_set_headers(handle, list), prepare(request.settings), send(request.body),
            receive(receiver),
        ] where code != CURLE_OK { isReady = false }
        guard isReady else { throw .connectionFailed("libcurl lacks an option") }
        let code = withExtendedLifetime(receiver) { unsafe ccurl_easy_perform(handle) }
        guard code == CURLE_OK else { throw error(code, receiver) }
        guard receiver.isHeadComplete else { throw .lostConnection("the headers have no end") }
        return HTTPClient.Response(
            status: number(CURLINFO_RESPONSE_CODE), body: receiver.body,
            headers: receiver.headers)
    }

    /// The options in force for every request.
    private func prepare(_ settings: HTTPClient.Settings) -> CURLcode {
        let numbers: [(CURLoption, Int)] = [
            // Signals would end waits for names; they belong to the whole process.
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_FOLLOWLOCATION, 0),
            (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2),
            (CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
            // Of HTTP/1.1 the library counts the bytes it hands over.
            (CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
            // No time at all would mean to wait forever.
            (CURLOPT_CONNECTTIMEOUT_MS, max(1, settings.connectMillisecondsMax)),
            (CURLOPT_TIMEOUT_MS, max(1, settings.totalMillisecondsMax)),
        ]
        var codes = numbers.map { unsafe ccurl_set_number(handle, $0, $1) }
        codes += unsafe [
            ccurl_set_url(handle, url.handle), ccurl_allow_http(handle),
            ccurl_set_error_text(handle, Self.start(of: errorText)),
            ccurl_set_text(handle, CURLOPT_USERAGENT, settings.userAgent),
        ]
        if let file = settings.authoritiesFile {
            unsafe codes.append(ccurl_set_text(handle, CURLOPT_CAINFO, file))
        }
        // What runs on this machine is not behind a proxy, whatever the environment says.
        if url.isLoopback { unsafe codes.append(ccurl_set_text(handle, CURLOPT_PROXY, "")) }
        return codes.first { $0 != CURLE_OK } ?? CURLE_OK
    }

    private func send(_ body: [UInt8]?) -> CURLcode {
        guard let body else { return unsafe ccurl_set_number(handle, CURLOPT_HTTPGET, 1) }
        return unsafe body.withUnsafeBytes { bytes in
            unsafe ccurl_set_body(handle, bytes.baseAddress, curl_off_t(bytes.count))
        }
    }

    private func receive(_ receiver: HTTPReceiver) -> CURLcode {
        unsafe ccurl_set_receiver(
            handle,
            { start, size, count, context in
                unsafe HTTPTransfer.take(start, size * count, context) { receiver, piece in
                    unsafe receiver.takeBody(piece)
                }
            },
            { start, size, count, context in
                unsafe HTTPTransfer.take(start, size * count, context) { receiver, line in
                    unsafe receiver.takeHeader(line)
                }
            },
            Unmanaged.passUnretained(receiver).toOpaque())
    }

    /// Lends a piece to the receiver; any other result than its length ends the transfer.
    private static func take(
        _ start: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?,
        _ body: (HTTPReceiver, UnsafeRawBufferPointer) -> Bool
    ) -> Int {
        guard let start = unsafe start, let context = unsafe context else { return count + 1 }
        let receiver = unsafe Unmanaged<HTTPReceiver>.fromOpaque(context).takeUnretainedValue()
        let isTaken = unsafe body(receiver, UnsafeRawBufferPointer(start: start, count: count))
        return isTaken ? count : count + 1
    }

    /// Fills a list of header lines; false where there is no memory.
    private static func collect(
        _ request: HTTPRequest, into list: inout UnsafeMutablePointer<curl_slist>?
    ) -> Bool {
        // For a long body the library would first ask whether to go on, and wait.
        var lines = ["Expect:"]
        for (name, value) in request.headers {
            // "Name:" would take a header away.
            lines.append(value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
        for line in lines {
            guard let longer = unsafe ccurl_slist_append(list, line) else { return false }
            unsafe list = longer
        }
        return true
    }
}

extension HTTPTransfer {
    private func error(_ code: CURLcode, _ receiver: HTTPReceiver) -> HTTPError {
        // Counted where bytes go to the socket or, complete, into the encrypted stream. What
        // asks a proxy for a connection counts as well, which errs on the safe side.
        let isSent = number(CURLINFO_REQUEST_SIZE) > 0
        if let limit = receiver.exceeded { return .tooLarge(limit: limit) }
        if code == CURLE_OPERATION_TIMEDOUT { return .timedOut(afterSending: isSent) }
        if isSent { return .lostConnection(text(of: code)) }
        switch code {
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL:
            return .invalidURL(text(of: code))
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CRL_BADFILE, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_USE_SSL_FAILED:
            return .tls(text(of: code))
        default: return .connectionFailed(text(of: code))
        }
    }

    /// What the library says about the failure, in visible ASCII.
    private func text(of code: CURLcode) -> String {
        let detail = unsafe String(cString: Self.start(of: errorText))
        let general = unsafe String(cString: ccurl_easy_strerror(code))
        let bytes = (detail.isEmpty ? general : detail).utf8
        return String(
            decoding: bytes.map { (0x20..<0x7f).contains($0) ? $0 : UInt8(ascii: "?") },
            as: UTF8.self)
    }

    private func number(_ info: CURLINFO) -> Int {
        var value = 0
        guard unsafe ccurl_get_number(handle, info, &value) == CURLE_OK else { return 0 }
        return value
    }

    private static func start(
        of buffer: UnsafeMutableBufferPointer<CChar>
    ) -> UnsafeMutablePointer<CChar> {
        guard let start = buffer.baseAddress else {
            preconditionFailure("An allocated buffer has an address.")
        }
        return unsafe start
    }
}
