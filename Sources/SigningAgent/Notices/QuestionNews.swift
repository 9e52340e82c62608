// SPDX-License-Identifier: Apache-2.0

/// The content of a notice: the kind of things that wait for a person, and their number.
enum QuestionNews: Hashable, Sendable {
    case nothing
    /// This number of requests waits for the owner.
    case waiting(UInt16)
    /// Clients get no answer until the vault is unlocked.
    case unanswered
    /// This number of questions to several people waits for an approver key of the home.
    case approvals(UInt16)

    /// Only the most urgent news is shown.
    init(_ waitingCount: Int, approvals: Int, unanswered: Int) {
        self =
            waitingCount > 0
            ? .waiting(UInt16(clamping: waitingCount))
            : approvals > 0
                ? .approvals(UInt16(clamping: approvals))
                : unanswered > 0 ? .unanswered : .nothing
    }

    /// Three bytes: the kind and a count.
    var message: [UInt8] {
        switch self {
        case .nothing: [0, 0, 0]
        case .waiting(let count): [1, UInt8(count >> 8), UInt8(count & 0xFF)]
        case .unanswered: [2, 0, 0]
        case .approvals(let count): [3, UInt8(count >> 8), UInt8(count & 0xFF)]
        }
    }

    init?(_ message: [UInt8]) {
        guard message.count == 3 else { return nil }
        let count = UInt16(message[1]) << 8 | UInt16(message[2])
        switch (message[0], count) {
        case (0, 0): self = .nothing
        case (1, 1...): self = .waiting(count)
        case (2, 0): self = .unanswered
        case (3, 1...): self = .approvals(count)
        default: return nil
        }
    }

    /// The text of the notification; nil for none.
    var text: String? {
        switch self {
        case .nothing: nil
        case .waiting(1): "One request waits for your answer: countersign inbox"
        case .waiting(let count): "\(count) requests wait for your answer: countersign inbox"
        case .approvals(1):
            "One question to several people waits for you: countersign approver pending"
        case .approvals(let count):
            "\(count) questions to several people wait for you: countersign approver pending"
        case .unanswered: "Clients over relays get no answer: countersign agent unlock"
        }
    }
    /// The value of `COUNTERSIGN_NEWS` for the owner's program.
    var word: String {
        switch self {
        case .nothing: "nothing"
        case .waiting: "waiting"
        case .unanswered: "unanswered"
        case .approvals: "approvals"
        }
    }

    /// The number of questions that wait.
    var count: UInt16 {
        switch self {
        case .nothing, .unanswered: 0
        case .waiting(let count), .approvals(let count): count
        }
    }
}
