/// Numbers that look random and are the same for the same seed.
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    /// The numbers of neighbouring seeds have nothing in common.
    init(seed: UInt64) { state = Self.mixed(Self.mixed(seed) ^ 0x6A09_E667_F3BC_C909) }

    mutating func next() -> UInt64 {
        state = state &+ 0x9E37_79B9_7F4A_7C15
        return Self.mixed(state)
    }

    private static func mixed(_ number: UInt64) -> UInt64 {
        var word = number
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    mutating func below(_ count: Int) -> Int { Int(next() % UInt64(max(1, count))) }

    /// True once in so many times.
    mutating func once(in count: Int) -> Bool { below(count) == 0 }

    mutating func one<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }
}
