// SPDX-License-Identifier: Apache-2.0

public import SigningCrypto
package import SigningStorage

/// An act of the owner with its description.
public protocol DescribedAct: Sendable {
    /// The texts and the properties of the act.
    var description: ActDescription { get }
}

/// One act of the owner on an open home that needs no secret: its description and its body.
///
/// The command line performs it on the files of a home, and an agent performs the same act for the
/// HTTP API. A running agent sees its result in the record, from any process, and sends the event.
public struct OwnerAct<Input: Sendable, Output: Sendable>: DescribedAct {
    /// The texts and the properties of the act.
    public let description: ActDescription
    private let body: @Sendable (Input, ActPlace) throws -> Output

    /// Creates an act with its body.
    init(
        _ description: ActDescription,
        _ body: @escaping @Sendable (Input, ActPlace) throws -> Output
    ) {
        self.description = description
        self.body = body
    }

    /// Performs the act on the files of a home.
    public func perform(_ input: Input, in home: OpenHome) throws(ServiceError) -> Output {
        do { return try body(input, ActPlace(home: home)) } catch { throw ServiceError(error) }
    }

    /// Performs the act on a home whose ledger is open.
    package func perform(
        _ input: Input, in home: OpenHome, _ ledger: SQLiteLedger
    ) throws -> Output {
        try body(input, ActPlace(home: home, opened: ledger))
    }
}

/// One act of the owner on an open home that needs the passphrase: its description and its body.
public struct PassphraseAct<Input: Sendable, Output: Sendable & ~Copyable>: DescribedAct {
    /// The body of an act.
    typealias Body = @Sendable (Input, ActPlace, borrowing SecretBytes) throws -> Output

    /// The texts and the properties of the act.
    public let description: ActDescription
    private let body: Body

    /// Creates an act with its body.
    init(_ description: ActDescription, _ body: @escaping Body) {
        self.description = description
        self.body = body
    }

    /// Performs the act on the files of a home.
    public func perform(
        _ input: Input, in home: OpenHome, with passphrase: borrowing SecretBytes
    ) throws(ServiceError) -> Output {
        do {
            return try body(input, ActPlace(home: home), passphrase)
        } catch {
            throw ServiceError(error)
        }
    }
}

/// The home that an act is performed on.
struct ActPlace {
    let home: OpenHome
    /// The ledger if it is open already.
    var opened: SQLiteLedger?

    /// Opens the ledger if it is not open: an act that does not need it works without one.
    func ledger() throws -> SQLiteLedger {
        if let opened { return opened }
        return try home.openLedger()
    }
}

/// The acts of the owner.
public enum OwnerActs {
    /// The descriptions of all acts.
    public static let all = [
        grantList.description, grantRevoke.description, connectionList.description,
        connectionEnd.description, limitList.description, keyList.description,
        keyRename.description, keyTag.description, keyRemove.description, tokenNew.description,
        tokenList.description, tokenRevoke.description, bunkerList.description,
        bunkerRevoke.description, freeze.description, thaw.description, policyAttest.description,
        questionList.description, questionShow.description, questionDetails.description,
        questionAnswer.description, approvalList.description, approvalShow.description,
        approvalAnswer.description,
        auditList.description,
    ]
}
