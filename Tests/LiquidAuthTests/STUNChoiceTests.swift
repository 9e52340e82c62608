// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import SigningCore
import Testing

@testable import LiquidAuth

/// A local socket that answers binding requests, or stays silent.
private final class STUNServer: Sendable {
    let port: UInt16
    private let socket: Int32

    init(answering answer: @escaping @Sendable ([UInt8]) -> [UInt8]?) throws {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = unsafe withUnsafeMutablePointer(to: &place) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(socket, pointer, length) | getsockname(socket, pointer, &length)
            }
        }
        try #require(status == 0)
        port = UInt16(bigEndian: place.sin_port)
        self.socket = socket
        DispatchQueue(label: "stun").async {
            while let (request, peer) = Self.receive(socket) {
                if let reply = answer(request) { Self.send(reply, to: peer, socket) }
            }
        }
    }

    private static func receive(_ socket: Int32) -> ([UInt8], sockaddr_in)? {
        var buffer = [UInt8](repeating: 0, count: 1_500)
        var peer = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let count = unsafe withUnsafeMutablePointer(to: &peer) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe recvfrom(socket, &buffer, buffer.count, 0, $0, &size)
            }
        }
        return count > 0 ? (Array(buffer.prefix(count)), peer) : nil
    }

    private static func send(_ reply: [UInt8], to peer: sockaddr_in, _ socket: Int32) {
        var peer = peer
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = unsafe withUnsafeMutablePointer(to: &peer) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe sendto(socket, reply, reply.count, 0, $0, size)
            }
        }
    }

    deinit {
        shutdown(socket, Int32(SHUT_RDWR))
        close(socket)
    }

    static func good(_ request: [UInt8]) -> [UInt8] { [1, 1, 0, 0] + request.dropFirst(4) }
}

@Suite("Which of several stun: servers is taken") struct STUNChoiceTests {
    private let transaction = [UInt8](0..<12)

    private func server(_ port: UInt16) throws -> ICEServer {
        try #require(ICEServer("stun:127.0.0.1:\(port)"))
    }

    @Test("a server is one that answers this request")
    func probe() throws {
        let good = try STUNServer { STUNServer.good($0) }
        #expect(STUNProbe.answers(try server(good.port), transaction))
        let replies: [@Sendable ([UInt8]) -> [UInt8]?] = [
            { _ in nil }, { _ in [1] }, { $0 },
            { STUNServer.good($0).dropLast() + [0xff] },
            { [1, 1, 0, 0, 0, 0, 0, 0] + $0.dropFirst(8) },
        ]
        for reply in replies {
            let bad = try STUNServer(answering: reply)
            #expect(!STUNProbe.answers(try server(bad.port), transaction))
        }
        #expect(!STUNProbe.answers(try #require(ICEServer("stun:host.invalid")), transaction))
    }

    @Test("the first in order that answers is taken, however late the others are")
    func order() async {
        let race = ServerRace(3)
        race.note(2, true)
        race.note(0, false)
        race.note(1, true)
        #expect(await race.first() == 1)
        let none = ServerRace(2)
        none.note(1, false)
        none.note(0, false)
        #expect(await none.first() == nil)
        // The first server never answers.
        let slow = ServerRace(2)
        slow.note(1, true)
        #expect(await slow.first() == 1)
    }

    @Test("hosts and ports are distinguished")
    func parts() throws {
        for (uri, host, port) in [
            ("stun:a.example", "a.example", nil), ("stun:a.example:5", "a.example", "5"),
            ("stun:[2001:db8::1]:7", "2001:db8::1", "7"), ("stun:[::1]", "::1", nil),
        ] as [(String, String, String?)] {
            let found = try #require(ICEServer(uri)).hostAndPort
            #expect(found.host == host && found.port == port)
        }
    }
}
