// SPDX-License-Identifier: Apache-2.0

/// Exchanges the offer and the answer of a channel over a server, until the channel is open.
public struct ChannelMeeting: Sendable {
    /// The progress of the exchange.
    public enum Stage: Hashable, Sendable {
        /// The offer is sent repeatedly until a page answers.
        case waiting
        /// A page has answered.
        case answered
    }

    /// The time limits of the exchange.
    public struct Patience: Hashable, Sendable {
        /// The interval of repeated offers, in seconds: servers do not store them.
        public let repeatSeconds: Int64
        /// The maximum time, in seconds.
        public let secondsMax: Int64

        /// Creates time limits.
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

    /// Prepares an exchange over `signals`, which stay open after it.
    public init(
        _ own: any ChannelOffer, over signals: any Signalling, patience: Patience = Patience()
    ) {
        self.own = own
        self.signals = signals
        self.patience = patience
    }

    /// Returns the open channel; `report` is called with the progress.
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
                // After the answer, the channel can open without more signals.
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
            : "a page answered, but no connection to it was made in \(patience.secondsMax) s"
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

    /// Returns false if the signals have ended; `listen` reports that error.
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
                // Our own signals, which some servers send back.
                case .offer, .offerCandidate: continue
                case .answer(let sdp):
                    // A second answer is from another page or from an attacker.
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

    /// The interval of checks for late candidates.
    private static let pause = Duration.milliseconds(500)
}

extension SignallingError {
    fileprivate var words: String {
        switch self {
        case .closed: "the connection to the server ended"
        case .refused(let text): "the server refuses the connection: \(text)"
        case .tooLong: "the message to the server is too long"
        case .busy: "the server accepts no messages"
        case .missingLibrary: "the library for WebSockets is not installed"
        case .cancelled: "the connection was cancelled"
        }
    }
}
