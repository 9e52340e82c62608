// SPDX-License-Identifier: Apache-2.0

internal import CPQ

/// One connection to a server, for one thread at a time; after any error it is closed.
///
/// Every wait has a deadline. Keepalives and timeouts of the server do not suffice: they do not
/// notice a server process that is stopped, or a network that delays data.
@safe final class PostgresConnection {
    private let handle: OpaquePointer
    private let noticeCounter: UnsafeMutablePointer<UInt32>
    private var isOpen = true
    /// True if the connection was closed because an answer did not arrive in time.
    private(set) var hasTimedOut = false

    /// The maximum number of bytes in the answers of one call, with the overhead of the protocol.
    static let answerBytesMax = 6 << 20

    /// Connects with these settings.
    ///
    /// Empty values are not allowed, as libpq would use its defaults.
    init(
        settings: [(keyword: String, value: String)], until deadline: Deadline
    ) throws(PostgresError) {
        guard PostgresLibrary.isReady else {
            throw .unreachable("libpq.so.5 cannot be loaded: is libpq5 (PostgreSQL 14+) installed?")
        }
        let counter = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
        unsafe counter.initialize(to: 0)
        guard let handle = unsafe Self.start(settings, counter) else {
            unsafe counter.deallocate()
            throw .unreachable("libpq cannot be started")
        }
        unsafe self.handle = handle
        unsafe noticeCounter = counter
        do throws(PostgresError) {
            try establish(until: deadline)
        } catch {
            close()
            throw error
        }
    }

    deinit {
        if isOpen { unsafe cpq_finish(handle, false) }
        unsafe noticeCounter.deallocate()
    }

    /// The number of warnings and notices received.
    var noticeCount: UInt32 { unsafe noticeCounter.pointee }

    /// True if a transaction is open.
    var isInTransaction: Bool {
        guard isOpen else { return false }
        return unsafe cpq_transaction_status(handle) == PQTRANS_INTRANS
    }

    /// True if the connection seems usable.
    ///
    /// Input that was not requested means that the server is closing it.
    var isAlive: Bool {
        guard isOpen, unsafe cpq_status(handle) == CONNECTION_OK else { return false }
        return !Deadline.hasInput(unsafe cpq_socket(handle))
    }

    /// Closes the connection at once, without sending buffered data.
    func close() {
        guard isOpen else { return }
        isOpen = false
        unsafe cpq_finish(handle, true)
    }

    /// Prepares statements under their names; only the types of their arguments matter.
    func prepare(_ queries: [PostgresQuery], until deadline: Deadline) throws(PostgresError) {
        try call(until: deadline) { allowance throws(PostgresError) in
            for query in queries {
                try send(preparing: query)
                try sendEnd()
            }
            for _ in queries {
                try prepared(allowance)
                try end(allowance)
            }
        }
    }

    /// Runs statements in one round trip and returns all their answers.
    ///
    /// Each statement is followed by a sync message. Otherwise the server's timeout for idle
    /// transactions would not apply between the statements. The server executes a statement only
    /// after it has arrived completely.
    func run(
        _ queries: [PostgresQuery], until deadline: Deadline
    ) throws(PostgresError) -> [[PostgresRow]] {
        var answers: [[PostgresRow]] = []
        try call(until: deadline) { allowance throws(PostgresError) in
            for query in queries {
                if query.name.isEmpty { try send(preparing: query) }
                try send(query)
                try sendEnd()
            }
            for query in queries {
                if query.name.isEmpty { try prepared(allowance) }
                answers.append(try answer(to: query, allowance))
                try end(allowance)
            }
        }
        return answers
    }

    /// Performs one round trip; closes the connection after an error.
    private func call(
        until deadline: Deadline, _ body: (Allowance) throws(PostgresError) -> Void
    ) throws(PostgresError) {
        guard isOpen else { throw .unreachable("the connection to the database is closed") }
        do throws(PostgresError) {
            try body(Allowance(bytesBefore: received, deadline: deadline))
            try checkEncoding()
        } catch {
            close()
            throw error
        }
    }
}

extension PostgresConnection {
    /// The remaining time and bytes of one call.
    private final class Allowance {
        let bytesBefore: UInt64?
        let deadline: Deadline
        var bytesLeft = PostgresConnection.answerBytesMax

        init(bytesBefore: UInt64?, deadline: Deadline) {
            self.bytesBefore = bytesBefore
            self.deadline = deadline
        }
    }

    private static let outOfStep = PostgresError.strange("answers out of step")

    private static func start(
        _ settings: [(keyword: String, value: String)], _ counter: UnsafeMutablePointer<UInt32>
    ) -> OpaquePointer? {
        // No text contains a zero byte: `PostgresAddress` refuses such addresses.
        let texts = settings.flatMap { Array($0.keyword.utf8CString) + $0.value.utf8CString }
        return unsafe cpq_connect_start(texts, Int32(settings.count), counter)
    }

    private func establish(until deadline: Deadline) throws(PostgresError) {
        var state = PGRES_POLLING_WRITING
        while state != PGRES_POLLING_OK {
            guard unsafe cpq_status(handle) != CONNECTION_BAD, state != PGRES_POLLING_FAILED
            else { throw .unreachable(message) }
            // libpq may use another socket for each attempt.
            let isReady = deadline.wait(
                for: unsafe cpq_socket(handle), toRead: state == PGRES_POLLING_READING,
                toWrite: state == PGRES_POLLING_WRITING)
            guard isReady else { throw .unreachable("the server does not answer in time") }
            if let received, received > Self.answerBytesMax { throw .strange("too many bytes") }
            state = unsafe cpq_connect_poll(handle)
        }
        guard unsafe cpq_enter_pipeline(handle) else { throw lost() }
        try checkEncoding()
    }

    private func checkEncoding() throws(PostgresError) {
        guard let name = unsafe cpq_parameter_status(handle, "client_encoding"),
            unsafe String(cString: name) == "UTF8"
        else { throw .strange("another encoding than UTF8") }
    }

    private func send(preparing query: PostgresQuery) throws(PostgresError) {
        let types = query.arguments.map(\.type.rawValue)
        let isSent = unsafe cpq_prepare(handle, query.name, query.sql, Int32(types.count), types)
        guard isSent else { throw lost() }
    }

    private func send(_ query: PostgresQuery) throws(PostgresError) {
        let values = query.arguments.map(\.wire)
        let isSent = unsafe cpq_send(
            handle, query.name, Int32(values.count), Array(values.joined()) + [0],
            values.map { Int32($0.count) })
        guard isSent else { throw lost() }
    }

    private func sendEnd() throws(PostgresError) {
        guard unsafe cpq_send_end(handle) else { throw lost() }
    }

    /// Reads the sync message after a statement's answers.
    private func end(_ allowance: Allowance) throws(PostgresError) {
        guard let result = unsafe try nextResult(allowance) else { throw Self.outOfStep }
        defer { unsafe cpq_clear(result) }
        guard unsafe cpq_result_status(result) == PGRES_PIPELINE_SYNC else { throw Self.outOfStep }
    }

    /// Reads the confirmation of a prepared statement.
    private func prepared(_ allowance: Allowance) throws(PostgresError) {
        guard let result = unsafe try nextResult(allowance) else { throw Self.outOfStep }
        defer { unsafe cpq_clear(result) }
        switch unsafe cpq_result_status(result) {
        case PGRES_COMMAND_OK: break
        case PGRES_FATAL_ERROR: throw unsafe PostgresResult(result).failure(or: lost())
        default: throw Self.outOfStep
        }
        if let more = unsafe try nextResult(allowance) {
            unsafe cpq_clear(more)
            throw Self.outOfStep
        }
    }

    /// Reads all rows of one answer.
    private func answer(
        to query: PostgresQuery, _ allowance: Allowance
    ) throws(PostgresError) -> [PostgresRow] {
        // Receives rows one by one, so that reading can stop as soon as there are too many.
        if !query.columns.isEmpty, unsafe !cpq_set_single_row(handle) { throw Self.outOfStep }
        var rows: [PostgresRow] = []
        var isComplete = false
        while let result = unsafe try nextResult(allowance) {
            defer { unsafe cpq_clear(result) }
            switch unsafe cpq_result_status(result) {
            case PGRES_SINGLE_TUPLE where !isComplete:
                guard rows.count < query.rowsMax else { throw .strange("too many rows") }
                let row = try unsafe PostgresResult(result).row(of: query.columns)
                allowance.bytesLeft -= row.size
                guard allowance.bytesLeft >= 0 else { throw .strange("too many bytes") }
                rows.append(row.row)
            case PGRES_TUPLES_OK where !isComplete && !query.columns.isEmpty,
                PGRES_COMMAND_OK where !isComplete && query.columns.isEmpty:
                isComplete = true
                let tag = unsafe String(cString: cpq_tag(result))
                let expected = query.columns.isEmpty ? query.tag : "SELECT \(rows.count)"
                guard tag == expected, unsafe cpq_row_count(result) == 0 else {
                    throw .strange("\(tag.clipped) instead of \(expected)")
                }
            case PGRES_FATAL_ERROR: throw unsafe PostgresResult(result).failure(or: lost())
            default: throw Self.outOfStep
            }
        }
        guard isComplete else { throw Self.outOfStep }
        return rows
    }

    /// The next result; nil at the end of an answer.
    private func nextResult(_ allowance: Allowance) throws(PostgresError) -> OpaquePointer? {
        var isFlushed = false
        while true {
            if !isFlushed {
                let left = unsafe cpq_flush(handle)
                guard left >= 0 else { throw lost() }
                isFlushed = left == 0
            }
            if isFlushed, unsafe !cpq_is_busy(handle) { return unsafe cpq_get_result(handle) }
            let socket = unsafe cpq_socket(handle)
            guard socket >= 0 else { throw lost() }
            guard allowance.deadline.wait(for: socket, toRead: true, toWrite: !isFlushed) else {
                hasTimedOut = true
                throw .unreachable("the database does not answer in time")
            }
            guard unsafe cpq_consume_input(handle) else { throw lost() }
            // libpq buffers an incomplete row, so this also bounds the memory for a very long row.
            if let before = allowance.bytesBefore, let now = received,
                now - before > 2 * UInt64(Self.answerBytesMax)
            {
                throw .strange("too many bytes")
            }
        }
    }

    /// The number of bytes received; nil if the system does not count them.
    private var received: UInt64? {
        var count: UInt64 = 0
        return unsafe cpq_bytes_received(cpq_socket(handle), &count) ? count : nil
    }

    private func lost() -> PostgresError { .unreachable(message) }

    /// The error message of libpq.
    private var message: String {
        let text = unsafe String(cString: cpq_error_message(handle)).clipped
        let words = text.split(separator: " ").joined(separator: " ")
        return words.isEmpty ? "the connection to the database is lost" : words
    }
}
