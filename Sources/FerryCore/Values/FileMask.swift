// Ferry: FerryCore
// What new files are not permitted.

/// A umask: the permissions that a program's new files and folders do not get. Octal digits on the wire, such as `022`.
package struct FileMask: Hashable, Sendable {
    package let bits: UInt32

    /// The mask of a request that brings none to a service that was given none.
    package static let usual = FileMask(0o022)

    package init(_ bits: UInt32) { self.bits = bits & 0o777 }

    /// Reads one to four octal digits up to `0777`.
    package init?(octal text: some StringProtocol) {
        guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x37).contains($0) }),
            let bits = UInt32(text, radix: 8), bits <= 0o777
        else { return nil }
        self.init(bits)
    }

    /// Reads what Linux says of a process in `/proc/PID/status`: asking by `umask` would change it for every thread.
    package init?(processStatus text: String) {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("Umask:") }) else { return nil }
        self.init(octal: line.dropFirst(6).drop { $0 == " " || $0 == "\t" })
    }

    package var octal: String {
        let digits = String(bits, radix: 8)
        return String(repeating: "0", count: 3 - digits.utf8.count) + digits
    }

    /// The mode that a new file or folder gets which asks for this one.
    package func applied(to mode: UInt32) -> UInt32 { mode & ~bits }
}

extension FileMask: Codable {
    package init(from decoder: any Decoder) throws {
        let box = try decoder.singleValueContainer()
        let text = try box.decode(String.self)
        guard let mask = FileMask(octal: text) else {
            throw DecodingError.dataCorruptedError(
                in: box, debugDescription: "“\(text)” is no umask; write it in octal digits, such as 022")
        }
        self = mask
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.singleValueContainer()
        try box.encode(octal)
    }
}
