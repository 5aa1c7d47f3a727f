import FerryCore

/// Digests of a whole file, divided by agreement with the expected ones.
struct JudgedDigests: Hashable, Sendable {
    /// Expected digests that match the file.
    var verified: [Checksum]
    /// The file's digests that differ from the expected ones.
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

    /// Returns whether all of the expected digests have been compared.
    func cover(_ expected: [Checksum]) -> Bool {
        expected.allSatisfy { one in
            verified.contains(one) || mismatched.contains { $0.algorithm == one.algorithm && $0 != one }
        }
    }
}
