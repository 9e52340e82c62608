// SPDX-License-Identifier: Apache-2.0

/// An adapter that can write a reply to a frame that the hub could not judge.
public protocol AnswersFailures: ProtocolAdapter {
    /// Returns the reply to such a frame; nil if the client cannot receive one.
    func failure(of frame: Span<UInt8>) -> [UInt8]?
}
