// SPDX-License-Identifier: Apache-2.0

import CZlib

/// One zlib stream, at a fixed address because zlib stores and compares its address.
@safe struct GzipStream: ~Copyable {
    enum Direction {
        case compress, decompress
    }

    enum Status {
        /// The member is complete and, when reading, its checksum is right.
        case ended
        /// More input or more room is needed.
        case unfinished
        case damaged
    }

    private let direction: Direction
    private let stream: UnsafeMutablePointer<z_stream>

    init(_ direction: Direction) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let size = unsafe Int32(MemoryLayout<z_stream>.size)
        let status =
            switch direction {
            case .compress:
                unsafe deflateInit2_(
                    stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, Self.gzipWindow, Self.memoryLevel,
                    Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
            case .decompress: unsafe inflateInit2_(stream, Self.gzipWindow, ZLIB_VERSION, size)
            }
        precondition(status == Z_OK, "there is no memory for zlib")
        self.direction = direction
        unsafe self.stream = stream
    }

    deinit {
        switch direction {
        case .compress: _ = unsafe deflateEnd(stream)
        case .decompress: _ = unsafe inflateEnd(stream)
        }
        unsafe stream.deallocate()
    }

    /// Returns an upper bound of the compressed size of an input.
    func countMax(for inputCount: Int) -> Int {
        Int(unsafe deflateBound(stream, UInt(inputCount)))
    }

    /// Reads input and fills `output` from `start`; returns the numbers of bytes read and written.
    func run(
        from input: Span<UInt8>, to output: inout [UInt8], at start: Int
    ) -> (status: Status, read: Int, written: Int) {
        unsafe input.withUnsafeBufferPointer { source in
            unsafe output.withUnsafeMutableBufferPointer { target in
                let room = target.count - start
                // zlib only reads the input; its type predates const.
                unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
                unsafe stream.pointee.avail_in = UInt32(source.count)
                unsafe stream.pointee.next_out = target.baseAddress.map { unsafe $0 + start }
                unsafe stream.pointee.avail_out = UInt32(room)
                let code =
                    direction == .compress
                    ? unsafe deflate(stream, Z_FINISH) : unsafe inflate(stream, Z_NO_FLUSH)
                return unsafe (
                    Self.status(code), source.count - Int(stream.pointee.avail_in),
                    room - Int(stream.pointee.avail_out)
                )
            }
        }
    }

    private static func status(_ code: Int32) -> Status {
        switch code {
        case Z_STREAM_END: .ended
        case Z_OK, Z_BUF_ERROR: .unfinished
        default: .damaged
        }
    }

    /// 15 bits of window; 16 more select gzip only.
    private static let gzipWindow: Int32 = 15 + 16
    /// The default of zlib.
    private static let memoryLevel: Int32 = 8
}
