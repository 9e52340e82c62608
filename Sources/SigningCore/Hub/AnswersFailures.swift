// SPDX-License-Identifier: Apache-2.0

/// A wire whose clients can receive a reply to a request that could not be judged.
public protocol AnswersFailures: ProtocolAdapter {
    /// Returns the reply to a frame that could not be judged; nil if the client cannot receive one.
    func failure(of frame: Span<UInt8>) -> [UInt8]?
}
