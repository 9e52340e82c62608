// SPDX-License-Identifier: Apache-2.0

/// Brings an offer to the other side and its answer back, until a channel is open.
public struct ChannelMeeting: Sendable {
    /// How far it is.
    public enum Stage: Hashable, Sendable {
        /// The offer is sent, again and again, until a page answers.
        case waiting
        /// A page has answered.
        case answered
    }

    /// How long it tries.
    public struct Patience: Hashable, Sendable {
        /// Until the same offer is sent again, in seconds: servers keep none.
        public let repeatSeconds: Int64
        /// Until it is given up, in seconds.
        public let secondsMax: Int64

        /// Sets the times.
        public init(repeatSeconds: Int64 = 10, secondsMax: Int64 = 300) {
            self.repeatSeconds = repeatSeconds
            self.secondsMax = secondsMax
        }
    }

    private enum Step: Sendable {
        case open(any DataChannel)
        case failed(ChannelError)
        case ended(String)
        case timedOut
        case done
    }

    private let own: any ChannelOffer
    private let signals: any Signalling
    private let patience: Patience
    private let answered = Once<Bool>()

    /// Meets over `signals`, which stay open.
    public init(
        _ own: any ChannelOffer, over signals: any Signalling, patience: Patience = Patience()
    ) {
        self.own = own
        self.signals = signals
        self.patience = patience
    }

    /// The channel, once it is open; `report` hears how far it is.
    public func channel(
        _ report: @escaping @Sendable (Stage) -> Void = { _ in }
    ) async throws(ChannelError) -> any DataChannel {
        let found: Result<any DataChannel, ChannelError> = await withTaskGroup(of: Step.self) {
            group in
            group.addTask { await offer(report) }
            group.addTask { await listen(report) }
            group.addTask { await open() }
            group.addTask {
                try? await Task.sleep(for: .seconds(patience.secondsMax))
                return .timedOut
            }
            defer { group.cancelAll() }
            for await step in group {
                switch step {
                case .open(let channel): return .success(channel)
                case .failed(let error): return .failure(error)
                case .timedOut:
                    return .failure(Task.isCancelled ? .cancelled : .timedOut(waitedFor))
                // The connection comes about without more words, or does not.
                case .ended where answered.now != nil: continue
                case .ended(let reason): return .failure(.closed(reason))
                case .done: continue
                }
            }
            return .failure(.cancelled)
        }
        return try found.get()
    }

    private var waitedFor: String {
        answered.now == nil
            ? "no page answered in \(patience.secondsMax) s"
            : "a page answered, but no connection to it came about in \(patience.secondsMax) s"
    }

    private func offer(_ report: @Sendable (Stage) -> Void) async -> Step {
        do throws(ChannelError) {
            let sdp = try await own.offer()
            report(.waiting)
            while !Task.isCancelled {
                var sentCount = 0
                guard await send(.offer(sdp)) else { return .done }
                let again = ContinuousClock.now + .seconds(patience.repeatSeconds)
                while ContinuousClock.now < again, !Task.isCancelled {
                    let found = own.candidates
                    for candidate in found.dropFirst(sentCount) {
                        guard await send(.offerCandidate(candidate)) else { return .done }
                    }
                    sentCount = found.count
                    if await answered.value(within: Self.pause) != nil { return .done }
                }
            }
            return .done
        } catch {
            return .failed(error)
        }
    }

    /// Whether it was sent; what cannot be told is told by whoever listens.
    private func send(_ signal: Signal) async -> Bool {
        do throws(SignallingError) {
            try await signals.send(signal)
            return true
        } catch {
            return error == .busy
        }
    }

    private func listen(_ report: @Sendable (Stage) -> Void) async -> Step {
        var early: [ICECandidate] = []
        var count = 0
        do throws(SignallingError) {
            while let signal = try await signals.next() {
                switch signal {
                // One's own, as some servers send them back.
                case .offer, .offerCandidate: continue
                case .answer(let sdp):
                    // A second one belongs to another page, or to somebody in between.
                    guard answered.now == nil else { continue }
                    await own.take(answer: sdp)
                    for candidate in early { await own.take(candidate) }
                    early = []
                    answered.set(true)
                    report(.answered)
                case .answerCandidate(let candidate):
                    count += 1
                    guard count <= Signal.candidatesMax else { continue }
                    if answered.now == nil {
                        early.append(candidate)
                    } else {
                        await own.take(candidate)
                    }
                }
            }
            return .ended("the server ended the connection")
        } catch {
            return error == .cancelled ? .done : .ended(error.words)
        }
    }

    private func open() async -> Step {
        do throws(ChannelError) {
            return .open(try await own.opened())
        } catch {
            return error == .cancelled ? .done : .failed(error)
        }
    }

    /// How often candidates that were found late are looked for.
    private static let pause = Duration.milliseconds(500)
}

extension SignallingError {
    fileprivate var words: String {
        switch self {
        case .closed: "the connection to the server ended"
        case .refused(let text): "the server refuses the connection: \(text)"
        case .tooLong: "what is to be signalled is too long"
        case .busy: "the server takes nothing"
        case .missingLibrary: "the library for WebSockets is not installed"
        case .cancelled: "it was given up"
        }
    }
}
