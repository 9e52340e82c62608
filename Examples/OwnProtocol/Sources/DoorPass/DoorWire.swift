// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// The signed data: the holder may open a door until a time.
///
/// They are a prefix that no other domain has, the time in Unix seconds as eight big-endian bytes,
/// and the name of the door.
struct Pass: Hashable {
    static let prefix = Array("door pass v1\0".utf8)
    static let doorBytesMax = 64
    /// The name that means all doors.
    static let anyDoor = "*"

    let door: String
    let until: Timestamp

    init?(door: String, until: Int64) {
        let isName = door.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "-")
        }
        guard (1...Self.doorBytesMax).contains(door.utf8.count), isName || door == Self.anyDoor,
            until >= 0
        else { return nil }
        self.door = door
        self.until = Timestamp(seconds: until)
    }

    /// Parses the bytes; the key store calls this before it signs.
    init?(preimage: [UInt8]) {
        guard preimage.starts(with: Self.prefix) else { return nil }
        let rest = preimage.dropFirst(Self.prefix.count)
        let seconds = rest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard rest.count > 8, let until = Int64(exactly: seconds),
            let door = try? UTF8Text.decode(Array(rest.dropFirst(8)).span)
        else { return nil }
        self.init(door: door, until: until)
    }

    var preimage: [UInt8] {
        let seconds = UInt64(until.seconds)
        return Self.prefix + (0..<8).reversed().map { UInt8(seconds >> (8 * $0) & 0xFF) }
            + Array(door.utf8)
    }
}

/// A request on the wire: `{"door", "until"}`.
struct DoorWire {
    static let frameBytesMax = 256

    let pass: Pass

    /// Parses a request; throws for unknown members and for a pass that has expired.
    init(_ frame: Span<UInt8>, now: Timestamp) throws(Refusal) {
        guard let json = try? JSON.parse(frame, limits: JSONLimits(depthMax: 1, valuesMax: 3)),
            let object = json.object, Set(object.names) == ["door", "until"],
            let door = json["door"]?.text, let until = json["until"]?.integerValue,
            let pass = Pass(door: door, until: until)
        else { throw .malformed }
        guard pass.until > now else { throw .ranOut }
        self.pass = pass
    }
}

/// Every refusal of this wire, written as `{"closed": why}`.
enum Refusal: String, Error {
    case malformed
    case ranOut = "ran-out"
    case noKey = "no-key"
    case denied
    case later
    case broken

    /// Converts the reason of the hub; a new reason code does not compile until it has a case here.
    init(_ reason: ReasonCode) {
        switch reason {
        case .policyDenied, .personDenied, .unknownFact, .replayed: self = .denied
        case .approvalUnavailable, .approvalTimedOut, .withdrawn, .limitExceeded,
            .tooManyQuestions, .frozen, .policyChanged, .pendingConflict, .policyUnavailable,
            .ledgerUnavailable, .keyUnavailable:
            self = .later
        case .domainRefused, .undecryptable, .invalidPeer, .keyFailed, .lookupFailed,
            .undeliverable:
            self = .broken
        }
    }

    var reply: Reply {
        let answer: JSON = ["closed": .string(rawValue)]
        return .message(answer.write())
    }

    var adapterError: AdapterError {
        AdapterError(code: rawValue, reason: text, reply: reply)
    }

    private var text: String {
        switch self {
        case .malformed: "send one JSON object with a door and until when, in seconds"
        case .ranOut: "the pass would have run out already"
        case .noKey: "there is not just one key of doors"
        case .denied, .later, .broken: "the hub made no pass"
        }
    }
}
