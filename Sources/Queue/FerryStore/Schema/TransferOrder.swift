import FerryCore
import Foundation

/// Encodes many ids as one value: eight bytes each, most significant byte first.
enum TransferOrder {
    static func data(_ ids: [TransferID]) -> Data {
        var data = Data(capacity: ids.count * 8)
        for id in ids {
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                data.append(UInt8(truncatingIfNeeded: id.rawValue >> shift))
            }
        }
        return data
    }

    /// Decodes the ids of a value. Ignores an incomplete id at the end.
    static func ids(_ data: Data) -> [TransferID] {
        var ids: [TransferID] = []
        ids.reserveCapacity(data.count / 8)
        var value: UInt64 = 0
        for (index, byte) in data.enumerated() {
            value = value << 8 | UInt64(byte)
            if index % 8 == 7 {
                ids.append(TransferID(rawValue: value))
                value = 0
            }
        }
        return ids
    }
}
