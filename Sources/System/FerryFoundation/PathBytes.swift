// Paths are bytes.
//
// On Linux a name may have any bytes but NUL and the slash, while a Swift string is always valid Unicode. So each byte that is not
// part of valid UTF-8 becomes one scalar of a private range, and system calls get the byte back. The texts of paths can be
// compared, stored and sent as JSON like any other text.

extension Unicode.Scalar {
    /// Scalar of the byte 0x80. Those up to 0xFF follow.
    private static let firstOfBytes: UInt32 = 0x10FE80

    /// The byte that the scalar stands for in the text of a path, or `nil` if it stands for itself.
    package var pathByte: UInt8? {
        (Self.firstOfBytes..<Self.firstOfBytes + 0x80).contains(value) ? UInt8(value - Self.firstOfBytes + 0x80) : nil
    }

    /// - Parameter byte: 0x80 to 0xFF.
    fileprivate init(pathByte byte: UInt8) {
        // SAFETY: All values of the range are scalars.
        self = unsafe Unicode.Scalar(Self.firstOfBytes + UInt32(byte & 0x7F)).unsafelyUnwrapped
    }
}

extension String {
    /// Creates the text of a path from its bytes. Every sequence of bytes has a text of its own.
    package init(path bytes: some Collection<UInt8>) {
        if let text = String(validating: bytes, as: UTF8.self), !text.hasPathBytes {
            self = text
            return
        }
        var scalars = UnicodeScalarView()
        var rest = Array(bytes)[...]
        while let first = rest.first {
            let length = first.utf8Length
            let part = rest.prefix(length)
            if let scalar = String(validating: part, as: UTF8.self)?.unicodeScalars.first, part.count == length,
                scalar.pathByte == nil
            {
                scalars.append(scalar)
                rest = rest.dropFirst(length)
            } else {
                scalars.append(Unicode.Scalar(pathByte: first))
                rest = rest.dropFirst()
            }
        }
        self = String(scalars)
    }

    /// Whether some scalars stand for bytes that are no UTF-8.
    package var hasPathBytes: Bool {
        // The first byte of plane 16 in UTF-8.
        utf8.contains(0xF4) && unicodeScalars.contains { $0.pathByte != nil }
    }

    /// The bytes of a path.
    package var pathBytes: [UInt8] {
        guard hasPathBytes else { return Array(utf8) }
        return unicodeScalars.flatMap { scalar in scalar.pathByte.map { [$0] } ?? Array(UTF8.encode(scalar) ?? .init())
        }
    }

    /// The text that ``init(path:)`` gives the bytes of this path. Another text may stand for the same bytes.
    package var canonicalPath: String { hasPathBytes ? String(path: pathBytes) : self }

    /// Calls a closure with the bytes of a path as a C string, as system calls take them.
    @safe package func withPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        guard hasPathBytes else { return unsafe withCString(body) }
        return unsafe (pathBytes + [0]).withUnsafeBufferPointer { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
                // SAFETY: The buffer has at least the final zero.
                unsafe body(bytes.baseAddress.unsafelyUnwrapped)
            }
        }
    }

    /// Calls a closure with the bytes of two paths as C strings.
    @safe package func withPaths<Result>(
        _ other: String, _ body: (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Result
    ) -> Result {
        withPath { first in other.withPath { second in unsafe body(first, second) } }
    }
}

extension UInt8 {
    /// Number of bytes of a scalar in UTF-8 that begins with this byte, or 1 if none does.
    fileprivate var utf8Length: Int {
        switch self {
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 1
        }
    }
}
