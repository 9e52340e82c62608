// SPDX-License-Identifier: Apache-2.0

/// The files about applications that the owner added, by their names.
public struct ABIFiles: Hashable, Sendable {
    package var contracts: [String: ABIContract] = [:]

    /// The maximum number of files.
    package static let countMax = 64

    /// Creates a set without files.
    public init() {}

    /// Reads a call by the first file about its application; nil if there is none, or if the
    /// transaction calls none.
    ///
    /// `before` are the transactions before it in its group, the first one first.
    package func read(
        _ transaction: Transaction, after before: [Transaction], on network: AlgorandNetwork
    ) -> ABICall? {
        guard !contracts.isEmpty, case .applicationCall(let call) = transaction.body else {
            return nil
        }
        for (name, contract) in contracts.sorted(by: { $0.key < $1.key }) {
            let read = ABICall(
                call, of: transaction.sender, after: before, on: network, by: contract, named: name)
            if let read { return read }
        }
        return nil
    }
}
