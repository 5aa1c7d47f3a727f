public import Foundation

/// Provides the `tr` namespace of Tiercel.
public protocol TiercelCompatible {}

extension TiercelCompatible {
    public var tr: TiercelWrapper<Self> { TiercelWrapper(base: self) }
}

/// The `tr` namespace of a value.
public struct TiercelWrapper<Base> {
    let base: Base
}

extension Int64: TiercelCompatible {}
extension Double: TiercelCompatible {}
extension String: TiercelCompatible {}
extension FileManager: TiercelCompatible {}

extension TiercelWrapper where Base == Int64 {
    /// Bytes per second as text, for example `1.5 MB/s`.
    public func convertSpeedToString() -> String { SpeedText.text(base) }
    /// Seconds as text: `mm:ss`, from an hour on `h:mm:ss`.
    public func convertTimeToString() -> String { TimeText.text(base) }
    /// Bytes as text, for example `1.5 MB`.
    public func convertBytesToString() -> String {
        ByteCountFormatter.string(fromByteCount: base, countStyle: .file)
    }
}

extension TiercelWrapper where Base == Double {
    /// Seconds since 1970 as `yyyy-MM-dd HH:mm:ss`. Empty for 0.
    public func convertTimeToDateString() -> String { DateText.text(base) }
}

extension TiercelWrapper where Base == String {
    public var md5: String { code(.md5) }
    public var sha1: String { code(.sha1) }
    public var sha256: String { code(.sha256) }
    public var sha512: String { code(.sha512) }

    private func code(_ type: FileChecksumHelper.VerificationType) -> String {
        FileCode.hex(of: Data(base.utf8), type)
    }
}

extension TiercelWrapper where Base == FileManager {
    /// Free space on the file system of the user's files, in bytes. 0 if unknown.
    public var freeDiskSpaceInBytes: Int64 {
        let facts = try? base.attributesOfFileSystem(forPath: NSHomeDirectory())
        return (facts?[.systemFreeSize] as? NSNumber)?.int64Value ?? 0
    }
}

extension Array {
    /// Returns the element at an index, or nil if out of range.
    public func safeObject(at index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
