// SPDX-License-Identifier: Apache-2.0

internal import CMicrohttpd

/// The callbacks of the library, on the server's thread.
///
/// They are not isolated: an isolated function would end the process when a C thread calls it.
nonisolated enum HTTPCallbacks {
    /// Called for the head of a request, for each part of its body, at its end, and when it is
    /// resumed.
    static func answer(
        _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
        _ url: UnsafePointer<CChar>?, _ method: UnsafePointer<CChar>?,
        _: UnsafePointer<CChar>?, _ part: UnsafePointer<CChar>?,
        _ partSize: UnsafeMutablePointer<Int>?,
        _ number: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> MHD_Result {
        guard let server = unsafe server(context), let connection = unsafe connection,
            let number = unsafe number, let partSize = unsafe partSize
        else { return microhttpd_shim_result(0) }
        let isKnown = unsafe number.pointee != nil
        guard isKnown else {
            let head = unsafe HTTPHead(
                method: text(method), path: text(url),
                query: pairs { unsafe microhttpd_shim_query(connection, $0, $1) },
                headers: pairs { unsafe microhttpd_shim_headers(connection, $0, $1) })
            let (new, isGoingOn) = unsafe server.begin(head, on: connection)
            unsafe number.pointee = UnsafeMutableRawPointer(bitPattern: new)
            return microhttpd_shim_result(isGoingOn ? 1 : 0)
        }
        let id = unsafe Int(bitPattern: number.pointee)
        let count = unsafe partSize.pointee
        if count > 0 {
            unsafe partSize.pointee = 0
            let bytes = unsafe UnsafeRawBufferPointer(start: part, count: count)
            return unsafe microhttpd_shim_result(server.take(Array(bytes), of: id) ? 1 : 0)
        }
        return unsafe microhttpd_shim_result(server.goOn(id, on: connection) ? 1 : 0)
    }

    /// Called when a request is over, however it ended.
    static func completed(
        _ context: UnsafeMutableRawPointer?, _: OpaquePointer?,
        _ number: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
        _: MHD_RequestTerminationCode
    ) {
        guard let server = unsafe server(context), let number = unsafe number else { return }
        server.complete(unsafe Int(bitPattern: number.pointee))
        unsafe number.pointee = nil
    }

    /// Called when a connection begins and when it ends.
    static func notified(
        _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
        _ number: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
        _ code: MHD_ConnectionNotificationCode
    ) {
        guard let server = unsafe server(context), let number = unsafe number,
            let connection = unsafe connection
        else { return }
        if microhttpd_shim_is_start(code) != 0 {
            let new = server.open(unsafe microhttpd_shim_socket(connection))
            unsafe number.pointee = UnsafeMutableRawPointer(bitPattern: new)
        } else {
            server.close(unsafe Int(bitPattern: number.pointee))
            unsafe number.pointee = nil
        }
    }

    /// The stream that the library reads, and its server.
    private final class StreamPlace {
        let id: Int
        let server: HTTPServer

        init(_ id: Int, _ server: HTTPServer) {
            self.id = id
            self.server = server
        }
    }

    /// Makes a response that is read in parts.
    static func stream(of id: Int, _ server: HTTPServer) -> OpaquePointer? {
        let place = unsafe Unmanaged.passRetained(StreamPlace(id, server)).toOpaque()
        let made = unsafe microhttpd_shim_stream(
            { unsafe HTTPCallbacks.read($0, $1, $2, $3) }, { unsafe HTTPCallbacks.release($0) },
            place)
        if unsafe made == nil { unsafe release(place) }
        return unsafe made
    }

    private static func read(
        _ context: UnsafeMutableRawPointer?, _: UInt64, _ buffer: UnsafeMutablePointer<CChar>?,
        _ countMax: Int
    ) -> Int {
        guard let context = unsafe context, let buffer = unsafe buffer else {
            return microhttpd_shim_end()
        }
        let place = unsafe Unmanaged<StreamPlace>.fromOpaque(context).takeUnretainedValue()
        guard let bytes = place.server.part(of: place.id, countMax: countMax) else {
            return microhttpd_shim_end()
        }
        let target = unsafe UnsafeMutableRawBufferPointer(start: buffer, count: countMax)
        unsafe target.copyBytes(from: bytes)
        return bytes.count
    }

    private static func release(_ context: UnsafeMutableRawPointer?) {
        guard let context = unsafe context else { return }
        unsafe Unmanaged<StreamPlace>.fromOpaque(context).release()
    }

    private static func server(_ context: UnsafeMutableRawPointer?) -> HTTPServer? {
        guard let context = unsafe context else { return nil }
        return unsafe Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
    }

    private static func text(_ text: UnsafePointer<CChar>?) -> String {
        guard let text = unsafe text else { return "" }
        return unsafe String(cString: text)
    }

    private final class Pairs {
        var list: [(name: String, value: String)] = []
    }

    private static func pairs(
        _ read: (MHD_KeyValueIterator, UnsafeMutableRawPointer) -> Void
    ) -> [(name: String, value: String)] {
        let pairs = Pairs()
        let context = unsafe Unmanaged.passUnretained(pairs).toOpaque()
        unsafe read({ unsafe HTTPCallbacks.pair($0, $1, $2, $3) }, context)
        return withExtendedLifetime(pairs) { pairs.list }
    }

    private static func pair(
        _ context: UnsafeMutableRawPointer?, _: MHD_ValueKind, _ name: UnsafePointer<CChar>?,
        _ value: UnsafePointer<CChar>?
    ) -> MHD_Result {
        guard let context = unsafe context else { return microhttpd_shim_result(0) }
        let pairs = unsafe Unmanaged<Pairs>.fromOpaque(context).takeUnretainedValue()
        pairs.list.append(unsafe (text(name), text(value)))
        return microhttpd_shim_result(1)
    }
}
