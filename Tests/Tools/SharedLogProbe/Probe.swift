// SPDX-License-Identifier: Apache-2.0

import Glibc
import PostgresLog
import SigningCodecs
import SigningCore
import SigningStorage

/// Runs commands from lines of JSON on standard input on a shared log, and prints each result.
///
/// Arguments: the address, and the error of this machine's clock in seconds.
///
/// `{"do": "create"}`, `identity`, `giveback`, or `news` and `turn` with `sequence` and `hash`, or
/// `append` with those of the previous place, `hub`, `version`, `signature` and either `body` or
/// `size`, for a body of that many zeros. An answer is an object; a failure has the member `error`.
@main struct Probe {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let seconds = Int64(arguments[2]) else { exit(EX_USAGE) }
        do {
            let address = try PostgresAddress(arguments[1])
            let log = PostgresLog(address, clock: { timeOfDay() + seconds * 1_000 })
            while let line = readLine() { say(answer(line, log, address)) }
        } catch {
            say(failure(error))
        }
    }

    private static func say(_ object: JSON) {
        let line = object.write() + [UInt8(ascii: "\n")]
        var sent = 0
        // One unbuffered call, so that output before a kill is complete.
        while sent < line.count {
            let count = unsafe line[sent...].withUnsafeBytes {
                unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count)
            }
            guard count > 0 else { exit(EX_IOERR) }
            sent += count
        }
    }

    private static func answer(
        _ line: String, _ log: PostgresLog, _ address: PostgresAddress
    ) -> JSON {
        do {
            let request = try JSON.parse(Array(line.utf8).span)
            return try result(request, log, address)
        } catch {
            return failure(error)
        }
    }

    private static func failure(_ error: any Error) -> JSON {
        if let refused = error as? SharedLogAddressError {
            return refusal(refused.text, kind: "address")
        }
        return switch error as? LedgerError {
        case .unavailable(let text): refusal(text, kind: "unavailable")
        case .corrupt(let text), .corruptLog(let text): refusal(text, kind: "corrupt")
        default: refusal("\(error)", kind: "other")
        }
    }

    private static func refusal(_ text: String, kind: String) -> JSON {
        ["error": .string(text), "kind": .string(kind)]
    }

    private static func result(
        _ request: JSON, _ log: PostgresLog, _ address: PostgresAddress
    ) throws -> JSON {
        switch try text("do", in: request) {
        case "create":
            let ledger = try PostgresLog.create(at: address)
            return ["ledger": .string(Hex.encode(ledger.span))]
        case "identity":
            let ledger = try log.identity()
            return ["ledger": .string(Hex.encode(ledger.span))]
        case "news": return json(try log.news(after: try place(request)))
        case "turn": return json(try log.takeTurn(after: try place(request)))
        case "append": return try append(request, log)
        case "giveback":
            log.giveBack()
            return [:]
        default: throw Misunderstood()
        }
    }

    private static func append(_ request: JSON, _ log: PostgresLog) throws -> JSON {
        let previous = try place(request)
        let hub = try integer("hub", in: request)
        let version = try integer("version", in: request)
        let signature = try Hex.decode(try text("signature", in: request))
        let body = try body(request)
        let batch = LogBatch(
            previous: previous, hub: Int32(clamping: hub), version: Int32(clamping: version),
            body: body, signature: signature)
        try log.append(batch)
        let place = batch.place
        return ["sequence": .integer(place.sequence), "hash": .string(Hex.encode(place.hash.span))]
    }

    private static func place(_ request: JSON) throws -> LogPlace {
        let sequence = try integer("sequence", in: request)
        let hash = try Hex.decode(try text("hash", in: request))
        return LogPlace(sequence: sequence, hash: hash)
    }

    private static func body(_ request: JSON) throws -> [UInt8] {
        guard request["size"] != nil else { return try Hex.decode(try text("body", in: request)) }
        return [UInt8](repeating: 0, count: Int(try integer("size", in: request)))
    }

    private static func integer(_ name: String, in request: JSON) throws -> Int64 {
        guard let value = request[name]?.integerValue else { throw Misunderstood() }
        return value
    }

    private static func text(_ name: String, in request: JSON) throws -> String {
        guard let value = request[name]?.text else { throw Misunderstood() }
        return value
    }

    private static func json(_ news: LogNews) -> JSON {
        let batches = news.batches.map { batch -> JSON in
            [
                "sequence": .integer(batch.place.sequence),
                "hash": .string(Hex.encode(batch.place.hash.span)),
                "previous": .string(Hex.encode(batch.previous.hash.span)),
                "hub": .integer(Int64(batch.hub)), "version": .integer(Int64(batch.version)),
                "body": .string(Hex.encode(batch.body.span)),
                "signature": .string(Hex.encode(batch.signature.span)),
            ]
        }
        return ["batches": .array(batches), "end": .integer(news.end)]
    }

    private static func timeOfDay() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}

/// A line that the probe does not know.
private struct Misunderstood: Error {}
