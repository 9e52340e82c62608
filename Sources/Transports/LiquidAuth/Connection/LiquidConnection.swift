// SPDX-License-Identifier: Apache-2.0

internal import LiquidCeremony
public import SigningCore
internal import Synchronization

/// One connection to a page, from the login to the end of its channel.
public struct LiquidConnection: Sendable {
    private let order: LiquidOrder
    private let offer: any ChannelOffer

    /// Prepares a connection; the offer is closed when it ends.
    public init(_ order: LiquidOrder, offering offer: any ChannelOffer) {
        self.order = order
        self.offer = offer
    }

    /// Prepares a connection whose channel is maintained by `program`.
    ///
    /// The program makes its offer during the login.
    public init(_ order: LiquidOrder, by program: ChannelProgram) throws(LiquidConnectionError) {
        do throws(ChannelError) {
            let process = try ChannelProcess(
                program, servers: order.servers, addresses: order.addresses)
            self.init(order, offering: process)
        } catch {
            throw LiquidConnectionError(error)
        }
    }

    /// Logs in with `signer`, connects to the page, and lets `channels` serve it until either side
    /// closes.
    public func run(
        by signer: some Signer, over channels: ChannelTransport,
        _ report: @escaping @Sendable (LiquidStage) -> Void
    ) async throws(LiquidConnectionError) -> ChannelClosure {
        do throws(LiquidConnectionError) {
            let server = try await logIn(signer, report)
            report(.loggedIn)
            let channel = try await openChannel(server, report)
            report(.open)
            return await channels.serve(channel, of: order.peer, patience: order.patience) {
                report(.counted($0))
            }
        } catch {
            await offer.close()
            throw Task.isCancelled ? .cancelled : error
        }
    }

    // MARK: The login

    private func logIn(
        _ signer: some Signer, _ report: @escaping @Sendable (LiquidStage) -> Void
    ) async throws(LiquidConnectionError) -> LiquidServer {
        let last = LastResult()
        do throws(LiquidError) {
            let server = try LiquidServer(
                at: order.uri, allowsInsecure: order.allowsInsecure,
                authorities: order.authorities?.path)
            let login = LiquidLogin(at: server, for: order.uri.requestID) { [order] frame in
                let answer = await signer.answer(
                    Frame(bytes: frame, peer: order.peer), over: .liquid)
                last.ending.withLock { $0 = answer.ending }
                guard case .message(let bytes) = answer.reply else { return nil }
                return bytes
            }
            try await login.enter(order.user) { report(.unknownPasskey) }
            return server
        } catch {
            throw LiquidConnectionError(error, last.ending.withLock { $0 })
        }
    }

    /// The result of the hub's last answer to the login.
    private final class LastResult: Sendable {
        let ending = Mutex<Answer.Result?>(nil)
    }

    // MARK: The channel

    private func openChannel(
        _ server: LiquidServer, _ report: @escaping @Sendable (LiquidStage) -> Void
    ) async throws(LiquidConnectionError) -> any DataChannel {
        let signals: SignalClient
        do throws(SignallingError) {
            signals = try SignalClient(
                at: server.origin, for: order.uri.requestID, cookie: server.cookie ?? "",
                userAgent: LiquidServer.userAgent, certificates: order.authorities?.path)
        } catch {
            throw LiquidConnectionError(error)
        }
        let relays = Task { [offer] in
            if await offer.isWithoutRelay() { report(.withoutRelay) }
        }
        defer { relays.cancel() }
        let found: Result<any DataChannel, ChannelError>
        do throws(ChannelError) {
            let meeting = ChannelMeeting(offer, over: signals)
            found = .success(
                try await meeting.channel { report($0 == .waiting ? .waiting : .connecting) })
        } catch {
            found = .failure(error)
        }
        await signals.close()
        do throws(ChannelError) { return try found.get() } catch {
            throw LiquidConnectionError(error)
        }
    }
}
