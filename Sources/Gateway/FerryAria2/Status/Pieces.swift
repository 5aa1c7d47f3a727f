import FerryCore

/// The pieces that aria2's clients draw a download with. Ferry's ranges are not divided into pieces.
struct Pieces: Equatable {
    /// Size of each piece in bytes. The last one may be shorter.
    let length: Int64
    let count: Int
    private let total: Int64

    private static let shortest: Int64 = 1 << 20
    private static let most: Int64 = 1 << 14

    /// - Parameter total: Size of the file in bytes. 0 or less if unknown.
    init(total: Int64) {
        self.total = max(0, total)
        var length = Self.shortest
        while self.total / length >= Self.most { length = length.multipliedSaturated(by: 2) }
        self.length = length
        count = Int(self.total / length) + (self.total % length > 0 ? 1 : 0)
    }

    /// Returns the complete pieces in hexadecimal digits, with the first piece in the highest bit.
    func bitfield(_ ranges: ByteRangeSet) -> String {
        var bytes = [UInt8](repeating: 0, count: (count + 7) / 8)
        for piece in 0..<count {
            let start = Int64(piece) * length
            guard ranges.contains(start..<min(total, start.addingSaturated(length))) else { continue }
            bytes[piece / 8] |= 0x80 >> UInt8(piece % 8)
        }
        return bytes.hexDigits
    }
}
