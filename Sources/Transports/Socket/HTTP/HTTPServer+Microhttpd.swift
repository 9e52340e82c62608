// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd
internal import Dispatch
internal import Glibc
package import SigningCore
internal import Synchronization

/// An HTTP/1.1 server on a separate thread; requests are answered by tasks elsewhere.
///
/// The library (libmicrohttpd) runs inside a loop of this class. One `epoll` watches the library's
/// own `epoll`, an eventfd for messages of other threads, and the sockets of clients that wait for
/// an answer: the library does not notice when such a client leaves.
@safe package final class HTTPServer: @unchecked Sendable {
    // SAFETY: Mutable state belongs to the thread of `loop`, except `mail`, which is locked.

    /// The messages of other threads.
    private struct Mail {
        var responses: [(id: Int, response: HTTPResponse)] = []
        /// The exchanges whose streams have data.
        var woken: [Int] = []
        var stage = Stage.serving
    }

    private enum Stage: Int {
        case serving, draining, ending
    }

    private let entrance: HTTPEntrance
    private let clients: Connections
    let tally: Tally
    private let bodyBytesMax: Int
    private let respond: @Sendable (HTTPRequest) async -> HTTPResponse
    private let threads: (any TaskExecutor)?
    private let mail = Mutex(Mail())
    private let ended = Gate()
    let poller: Int32
    private let alarm: Int32
    private var daemon: OpaquePointer?
    var links: [Int: HTTPLink] = [:]
    var exchanges: [Int: HTTPExchange] = [:]
    /// The last number that was given to an exchange or connection; the first numbers stand for the
    /// library and the eventfd.
    private var lastNumber = HTTPServer.alarmNumber
    /// The exchanges that have just begun to wait, the earliest first; their clients are not
    /// watched yet.
    var newlyWaiting: [(id: Int, until: ContinuousClock.Instant)] = []
    private var heldBytes = HeldBytes()
    /// The maximum number of connections that are served; further ones only get a refusal.
    let servedMax: Int
    /// The number of connections of each process.
    var placesOf: [CountedClient: Int] = [:]
    /// True if a connection has ended since the library ran, which lets it accept others.
    var hasRoom = false
    private var stage = Stage.serving
    var nextSweep = ContinuousClock.now
    private var end: ContinuousClock.Instant?
    /// True during the last run of the library, which must not suspend a request then.
    private var isLast = false

    private static let libraryNumber = 0
    private static let alarmNumber = 1
    static let tickMilliseconds: Int32 = 250

    /// Creates a server that answers requests from `entrance` with `respond`, on `threads`.
    package init(
        _ entrance: HTTPEntrance, clients: Connections, connectionsMax: Int, tally: Tally,
        bodyBytesMax: Int, on threads: (any TaskExecutor)?,
        respond: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) throws(TransportError) {
        self.entrance = entrance
        self.threads = threads
        self.clients = clients
        self.tally = tally
        self.bodyBytesMax = bodyBytesMax
        self.respond = respond
        poller = microhttpd_shim_poller()
        alarm = microhttpd_shim_alarm()
        let taken = SocketLimits.descriptors(for: connectionsMax)
        servedMax = min(connectionsMax, taken - taken / 4)
        guard taken >= SocketLimits.connectionsMin else {
            throw TransportError(
                "too few file descriptors are left to serve clients",
                hint: "raise the limit: ulimit -n 1024, or more")
        }
        let listener = try entrance.listen()
        unsafe daemon = unsafe microhttpd_shim_start(
            listener, UInt32(clamping: taken),
            { unsafe HTTPCallbacks.answer($0, $1, $2, $3, $4, $5, $6, $7) },
            { unsafe HTTPCallbacks.completed($0, $1, $2, $3) },
            { unsafe HTTPCallbacks.notified($0, $1, $2, $3) },
            Unmanaged.passUnretained(self).toOpaque())
        guard let daemon = unsafe daemon, poller >= 0, alarm >= 0,
            unsafe watch(microhttpd_shim_epoll(daemon), as: Self.libraryNumber),
            watch(alarm, as: Self.alarmNumber)
        else {
            // A running library owns the listening descriptor.
            if let daemon = unsafe daemon {
                unsafe MHD_stop_daemon(daemon)
            } else {
                Glibc.close(listener)
            }
            throw TransportError(
                "the socket cannot be served", hint: "check the limit on open files: ulimit -n")
        }
    }

    deinit {
        Glibc.close(poller)
        Glibc.close(alarm)
    }

    /// Serves until `end`, then calls `whenOver`.
    func start(_ whenOver: @escaping @Sendable () -> Void) {
        DispatchQueue(label: "countersign.socket").async { [self] in
            loop()
            ended.open()
            whenOver()
        }
    }

    private static func isGood(_ result: MHD_Result) -> Bool {
        microhttpd_shim_is_good(result) != 0
    }

    /// Accepts no more connections.
    package func stopListening() { post { $0.stage = .draining } }

    /// Ends the server after the answers that exist now were sent.
    package func end() async {
        post { $0.stage = .ending }
        await ended.wait()
    }

    private func post(_ change: (inout Mail) -> Void) {
        mail.withLock { change(&$0) }
        var one: UInt64 = 1
        _ = unsafe write(alarm, &one, MemoryLayout<UInt64>.size)
    }

    private func watch(_ file: Int32, as number: Int) -> Bool {
        microhttpd_shim_watch(poller, file, UInt64(number)) == 0
    }
}

extension HTTPServer {
    private func loop() {
        guard let daemon = unsafe daemon else { return }
        var numbers = [UInt64](repeating: 0, count: Int(MICROHTTPD_SHIM_EVENTS_MAX))
        while !isOver {
            let count = unsafe microhttpd_shim_wait(
                poller, &numbers, Int32(numbers.count), pause(daemon))
            for number in numbers.prefix(max(0, Int(count))) { note(Int(number)) }
            unsafe readMail(daemon)
            hasRoom = false
            guard unsafe Self.isGood(MHD_run(daemon)) else { break }
            watchLongWaits()
            sweep()
        }
        // The library would end the process if a request were still suspended.
        isLast = true
        for id in Array(exchanges.keys) {
            exchanges[id]?.response?.stream?.end()
            wake(id)
            resume(id, with: .busy("the agent is stopping"))
        }
        _ = unsafe MHD_run(daemon)
        unsafe MHD_stop_daemon(daemon)
    }

    private var isOver: Bool {
        guard let end else { return false }
        return exchanges.isEmpty || end <= .now
    }

    /// Returns the time to sleep, in milliseconds; -1 for no limit.
    private func pause(_ daemon: OpaquePointer) -> Int32 {
        guard !hasRoom else { return 0 }
        let tick = newlyWaiting.isEmpty ? Self.tickMilliseconds : Self.unwatchedMilliseconds
        let own = links.isEmpty && end == nil ? -1 : tick
        var milliseconds: UInt64 = 0
        guard unsafe Self.isGood(MHD_get_timeout(daemon, &milliseconds)) else { return own }
        let theirs = Int32(clamping: milliseconds)
        return own < 0 ? theirs : min(own, theirs)
    }

    private func note(_ number: Int) {
        guard number != Self.alarmNumber else {
            var count: UInt64 = 0
            _ = unsafe read(alarm, &count, MemoryLayout<UInt64>.size)
            return
        }
        // The client of an exchange has left.
        exchanges[number]?.task?.cancel()
        exchanges[number]?.response?.stream?.end()
    }

    private func readMail(_ daemon: OpaquePointer) {
        let (responses, woken, wanted) = mail.withLock { mail in
            defer { (mail.responses, mail.woken) = ([], []) }
            return (mail.responses, mail.woken, mail.stage)
        }
        for (id, response) in responses { resume(id, with: response) }
        for id in woken { wake(id) }
        if wanted != .serving {
            for exchange in exchanges.values { exchange.response?.stream?.end() }
        }
        if wanted.rawValue > stage.rawValue, stage == .serving {
            let listener = unsafe MHD_quiesce_daemon(daemon)
            if listener >= 0 { Glibc.close(listener) }
        }
        if wanted == .ending, stage != .ending {
            end = .now + .seconds(SocketLimits.closingSeconds)
            for exchange in exchanges.values { exchange.task?.cancel() }
        }
        stage = wanted
    }

    private func resume(_ id: Int, with response: HTTPResponse) {
        guard let connection = unsafe exchanges[id]?.resting, let link = exchanges[id]?.link else {
            // Its client has left.
            response.stream?.end()
            return
        }
        exchanges[id]?.response = response
        unsafe exchanges[id]?.resting = nil
        tally.note { $0.waiting -= 1 }
        unwatch(id, on: link)
        unsafe MHD_resume_connection(connection)
    }

    /// Resumes a suspended stream, so that the library asks for more.
    private func wake(_ id: Int) {
        guard let exchange = exchanges[id], exchange.response != nil,
            let connection = unsafe exchange.resting
        else { return }
        unsafe exchanges[id]?.resting = nil
        unwatch(id, on: exchange.link)
        unsafe MHD_resume_connection(connection)
    }

    /// Returns a part of a stream; suspends it if there is no data yet; nil at its end.
    func part(of id: Int, countMax: Int) -> [UInt8]? {
        guard let exchange = exchanges[id], let stream = exchange.response?.stream,
            let connection = unsafe exchange.streaming, links[exchange.link] != nil
        else { return nil }
        let next = stream.next(countMax) { [weak self] in self?.post { $0.woken.append(id) } }
        switch next {
        case .bytes(let bytes):
            links[exchange.link]?.deadline = .now + .seconds(SocketLimits.answerSeconds)
            return bytes
        case .end: return nil
        case .nothing:
            links[exchange.link]?.deadline = nil
            unsafe exchanges[id]?.resting = connection
            unsafe MHD_suspend_connection(connection)
            watch(id, on: exchange.link)
            return []
        }
    }
}

extension HTTPServer {
    private func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Registers a connection.
    func open(_ socket: Int32) -> Int {
        let number = nextNumber()
        let connected = entrance.peer(socket)
        let peer = connected?.peer
        var place: Connection?
        var refusal: HTTPResponse?
        if peer != nil, links.count >= servedMax, !makeRoom() {
            refusal = .busy("there are too many connections")
        } else if let peer, isProcessFull(peer.countedClient), !makeRoom(of: peer.countedClient) {
            refusal = .busy("this process has too many connections")
        } else if let peer {
            do throws(Connections.Refusal) {
                place = try clients.open(peer)
                placesOf[peer.countedClient, default: 0] += 1
            } catch {
                refusal = .busy(error.text)
            }
        } else {
            refusal = .otherUser
        }
        links[number] = HTTPLink(
            socket: socket, peer: peer, process: connected?.process ?? 0, place: place,
            refusal: refusal, deadline: .now + SocketLimits.patience(isServed: refusal == nil))
        tally.note { $0.connections += 1 }
        return number
    }

    /// Registers a request after its head; false if the connection has to end.
    func begin(_ head: HTTPHead, on connection: OpaquePointer) -> (Int, Bool) {
        let id = nextNumber()
        let link = unsafe microhttpd_shim_number(connection)
        let exchange = HTTPExchange(
            link: link, of: links[link]?.peer?.countedClient, head: head, bodyBytesMax: bodyBytesMax
        )
        exchanges[id] = exchange
        heldBytes.add(exchange.bodyBytes, of: exchange.countedClient)
        if let refusal = refusal(of: exchange) {
            tally.refuse(refusal.status == 503 ? "busy" : "head")
            return (id, unsafe send(refusal, to: connection, on: link))
        }
        links[link]?.deadline = .now + .seconds(SocketLimits.bodySeconds)
        return (id, true)
    }

    private func refusal(of exchange: HTTPExchange) -> HTTPResponse? {
        guard let link = links[exchange.link] else { return .busy("the agent is stopping") }
        if let refusal = link.refusal { return refusal }
        if let refusal = exchange.head.refusal(bodyBytesMax: bodyBytesMax) { return refusal }
        if stage != .serving { return .busy("the agent is stopping") }
        return heldBytes.isTooMuch(of: exchange.countedClient, onceAllowed: bodyBytesMax)
            ? .busy("too many large requests are being read") : nil
    }

    /// Appends a part to the body of a request; false if the body is longer than announced.
    func take(_ part: [UInt8], of id: Int) -> Bool {
        guard let exchange = exchanges[id],
            exchange.body.count + part.count <= exchange.bodyBytes
        else { return false }
        exchanges[id]?.body += part
        return true
    }

    /// Passes a complete request to its handler; called again once the response exists, sends it.
    ///
    /// Returns false if the connection has to end.
    func goOn(_ id: Int, on connection: OpaquePointer) -> Bool {
        guard let exchange = exchanges[id], let link = links[exchange.link], let peer = link.peer
        else { return false }
        if let response = exchange.response {
            unsafe exchanges[id]?.streaming = connection
            return unsafe send(response, to: connection, on: exchange.link, as: id)
        }
        guard !isLast else {
            return unsafe send(.busy("the agent is stopping"), to: connection, on: exchange.link)
        }
        guard entrance.isStillOpen(link.socket) else {
            return unsafe send(.otherUser, to: connection, on: exchange.link)
        }
        let request = HTTPRequest(
            head: exchange.head, body: exchange.body, peer: peer, process: link.process)
        exchanges[id]?.body = []
        unsafe exchanges[id]?.resting = connection
        links[exchange.link]?.deadline = nil
        tally.note { $0.waiting += 1 }
        unsafe MHD_suspend_connection(connection)
        newlyWaiting.append((id, .now + .milliseconds(Int(Self.unwatchedMilliseconds))))
        exchanges[id]?.task = Task(executorPreference: threads) { [self] in
            let response = await respond(request)
            post { $0.responses.append((id, response)) }
        }
        return true
    }

    /// Removes a request.
    func complete(_ id: Int) {
        guard let exchange = exchanges.removeValue(forKey: id) else { return }
        heldBytes.add(-exchange.bodyBytes, of: exchange.countedClient)
        exchange.task?.cancel()
        exchange.response?.stream?.end()
        links[exchange.link]?.since = .now
        links[exchange.link]?.deadline = .now + .seconds(SocketLimits.idleSeconds)
    }

    private func made(_ response: HTTPResponse, as id: Int) -> OpaquePointer? {
        guard response.stream == nil else { return unsafe HTTPCallbacks.stream(of: id, self) }
        return unsafe response.body.withUnsafeBytes { bytes in
            unsafe microhttpd_shim_copy(bytes.baseAddress, bytes.count)
        }
    }

    private func send(
        _ response: HTTPResponse, to connection: OpaquePointer, on link: Int, as id: Int = 0
    ) -> Bool {
        links[link]?.deadline = .now + .seconds(SocketLimits.answerSeconds)
        guard let made = unsafe made(response, as: id) else { return false }
        defer { unsafe MHD_destroy_response(made) }
        var headers = response.headers
        headers += [("Content-Type", response.type), ("Cache-Control", "no-store")]
        if response.closes { headers.append(("Connection", "close")) }
        for (name, value) in headers {
            guard unsafe Self.isGood(MHD_add_response_header(made, name, value)) else {
                return false
            }
        }
        return unsafe Self.isGood(MHD_queue_response(connection, response.status, made))
    }
}
