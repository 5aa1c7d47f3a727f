import FerryCore
import Foundation

/// Many ids as one value of eight bytes each, the highest first.
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

    /// The ids of a value; what is left over at its end is none.
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
