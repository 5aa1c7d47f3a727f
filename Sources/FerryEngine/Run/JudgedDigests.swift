import FerryCore

/// The digests of a whole file, by whether the expected ones agree.
struct JudgedDigests: Hashable, Sendable {
    /// Expected digests that the file has.
    var verified: [Checksum]
    /// Digests that the file has in place of the expected ones.
    var mismatched: [Checksum]

    init(verified: [Checksum], mismatched: [Checksum]) {
        self.verified = verified
        self.mismatched = mismatched
    }

    init(_ computed: [Checksum], expected: [Checksum]) {
        let wrong = Set(expected).subtracting(computed)
        verified = Array(Set(expected).subtracting(wrong))
        mismatched = computed.filter { found in wrong.contains { $0.algorithm == found.algorithm } }
    }

    /// Whether every one of some expected digests has been compared.
    func cover(_ expected: [Checksum]) -> Bool {
        expected.allSatisfy { one in
            verified.contains(one) || mismatched.contains { $0.algorithm == one.algorithm && $0 != one }
        }
    }
}
