// SPDX-License-Identifier: Apache-2.0

/// Asks in several places at once; the first answer counts, and the other questions end.
public struct FirstAnswer: Approval {
    /// The most places to ask in.
    public static let placesMax = 16

    private let places: [any Approval]

    /// Asks in these places; the places beyond `placesMax` are ignored.
    public init(_ places: [any Approval]) {
        self.places = Array(places.prefix(Self.placesMax))
    }

    /// True if at least one place can ask.
    public var canAsk: Bool { places.contains(where: \.canAsk) }

    /// Returns the first answer of any place.
    ///
    /// Throws only if every place fails: `timedOut` if any place timed out, else `unavailable`.
    public func decide(
        _ question: ApprovalQuestion
    ) async throws(ApprovalError) -> ApprovalAnswer {
        let asked = places.filter(\.canAsk)
        let first = await withTaskGroup(
            of: Result<ApprovalAnswer, ApprovalError>.self,
            returning: Result<ApprovalAnswer, ApprovalError>.self
        ) { group in
            for place in asked {
                group.addTask {
                    do throws(ApprovalError) {
                        return .success(try await place.decide(question))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            var last = ApprovalError.unavailable
            for await result in group {
                switch result {
                case .success:
                    group.cancelAll()
                    return result
                case .failure(let error): if error == .timedOut { last = error }
                }
            }
            return .failure(last)
        }
        return try first.get()
    }
}
