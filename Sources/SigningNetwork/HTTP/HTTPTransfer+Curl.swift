// SPDX-License-Identifier: Apache-2.0

internal import CCurl

/// One request and its answer, on a separate connection.
///
/// With a new handle there is no old connection, on which libcurl would send a request again
/// automatically.
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
        guard receiver.isHeadComplete else { throw .lostConnection("the headers do not end") }
        return HTTPClient.Response(
            status: number(CURLINFO_RESPONSE_CODE), body: receiver.body,
            headers: receiver.headers)
    }

    /// Sets the options of every request.
    private func prepare(_ settings: HTTPClient.Settings) -> CURLcode {
        let numbers: [(CURLoption, Int)] = [
            // Signals would end waits for host names; they belong to the whole process.
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_FOLLOWLOCATION, 0),
            (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2),
            (CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
            // For HTTP/1.1 the library counts the bytes that it sends.
            (CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
            // The value 0 would mean no limit.
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
        // This machine is not behind a proxy, even if the environment names one.
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

    /// Passes a piece to the receiver; a result other than its length ends the transfer.
    private static func take(
        _ start: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?,
        _ body: (HTTPReceiver, UnsafeRawBufferPointer) -> Bool
    ) -> Int {
        guard let start = unsafe start, let context = unsafe context else { return count + 1 }
        let receiver = unsafe Unmanaged<HTTPReceiver>.fromOpaque(context).takeUnretainedValue()
        let isTaken = unsafe body(receiver, UnsafeRawBufferPointer(start: start, count: count))
        return isTaken ? count : count + 1
    }

    /// Fills a list of header lines; false if memory is exhausted.
    private static func collect(
        _ request: HTTPRequest, into list: inout UnsafeMutablePointer<curl_slist>?
    ) -> Bool {
        // For a long body the library would first ask the server whether to continue, and wait.
        var lines = ["Expect:"]
        for (name, value) in request.headers {
            // "Name:" would remove a header.
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
        // The bytes are counted when they are passed to the socket or, complete, to the encrypted
        // stream. A request to a proxy counts too: then the request may be reported as sent
        // although the server did not get it.
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

    /// The library's message for an error, in visible ASCII.
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
            preconditionFailure("an allocated buffer has no address")
        }
        return unsafe start
    }
}
