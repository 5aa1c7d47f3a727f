extension Int64 {
    /// Parses 1 to 18 decimal digits and nothing else.
    package init?(digits text: some StringProtocol) { self.init(digits: text.utf8) }

    /// Parses 1 to 18 decimal digits and nothing else.
    package init?(digits bytes: some Sequence<UInt8>) {
        var number: Int64 = 0
        var count = 0
        for byte in bytes {
            count += 1
            guard 0x30...0x39 ~= byte, count <= 18 else { return nil }
            number = number * 10 + Int64(byte - 0x30)
        }
        guard count > 0 else { return nil }
        self = number
    }
}
