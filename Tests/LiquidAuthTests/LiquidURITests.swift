// SPDX-License-Identifier: Apache-2.0

import LiquidAuth
import SigningCodecs
import Testing
import VectorFiles

@Suite("Addresses of Liquid Auth")
struct LiquidURITests {
    @Test("are read as the vectors say")
    func vectors() throws {
        let rows = try #require(
            VectorFile.read("Vectors/algorand/liquid_auth.json")["uris"]?.list)
        #expect(rows.count > 6)
        for row in rows {
            let text = try #require(row["uri"]?.text)
            let uri = try? LiquidURI(text)
            #expect(uri?.origin.text == row["origin"]?.text, "\(text)")
            #expect(uri?.requestID == row["requestId"]?.text, "\(text)")
        }
    }

    @Test(
        "other forms are refused with their reason",
        arguments: [
            ("liquid://a.example/?requestId=1&requestId=2", LiquidURI.ParseError.requestID),
            ("liquid://a.example/?requestId=", .requestID),
            ("liquid://a.example/?requestId=%00%zz", .requestID),
            ("liquid://a.example/#?requestId=1", .requestID),
            ("liquid://user@a.example/?requestId=1", .host),
            ("liquid://a.example:0/?requestId=1", .host),
            ("liquid://a b/?requestId=1", .malformed),
            ("liquid:a.example?requestId=1", .scheme),
        ])
    func faults(text: String, fault: LiquidURI.ParseError) {
        #expect(throws: fault) { try LiquidURI(text) }
    }

    @Test("are bounded, and keep escaped characters")
    func bounds() throws {
        let id = String(repeating: "x", count: LiquidURI.requestIDBytesMax)
        #expect(try LiquidURI("liquid://a.example/?requestId=\(id)").requestID == id)
        #expect(throws: LiquidURI.ParseError.requestID) {
            try LiquidURI("liquid://a.example/?requestId=\(id)x")
        }
        let path = String(repeating: "p", count: LiquidURI.bytesMax)
        #expect(throws: LiquidURI.ParseError.malformed) {
            try LiquidURI("liquid://a.example/\(path)?requestId=1")
        }
        let uri = try LiquidURI("LIQUID://A.example:443/?x=1&requestId=a%2Bb%20c#end")
        #expect(uri.requestID == "a+b c" && uri.origin.text == "https://a.example")
        #expect(try LiquidURI("liquid://http://[::1]:3000/?requestId=1").isLoopback)
    }

    @Test("an unencrypted server is contacted only if allowed and on this machine")
    func insecure() throws {
        let local = try LiquidURI("liquid://http://localhost:3000/?requestId=1")
        #expect(throws: LiquidError.insecure) { try LiquidServer(at: local, allowsInsecure: false) }
        #expect(try LiquidServer(at: local, allowsInsecure: true).origin.port == 3000)
        let far = try LiquidURI("liquid://http://a.example/?requestId=1")
        #expect(throws: LiquidError.insecure) { try LiquidServer(at: far, allowsInsecure: true) }
    }
}
