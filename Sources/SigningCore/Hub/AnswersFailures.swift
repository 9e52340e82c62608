// SPDX-License-Identifier: Apache-2.0

/// A wire whose clients can be told of a request that could not even be judged.
public protocol AnswersFailures: ProtocolAdapter {
    /// What the client of a frame is told; nil where nobody can be.
    func failure(of frame: Span<UInt8>) -> [UInt8]?
}
