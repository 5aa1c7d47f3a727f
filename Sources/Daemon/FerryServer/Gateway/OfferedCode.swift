import FerryAPI
import FerryAria2

/// A code that works once. It is valid for one minute and a few attempts.
struct OfferedCode: Sendable {
    static let lifetime = 60.0
    static let length = 8
    /// Number of wrong codes that invalidate the right one. The chance that one of them is right is 1 in 2^37.
    static let attempts = 5
    /// 32 characters that are hard to confuse.
    static let alphabet = Array("23456789ABCDEFGHJKLMNPQRSTUVWXYZ")

    private var code: String?
    private var end = ContinuousClock.now
    private var attemptsLeft = 0

    /// Creates a code and invalidates the previous one.
    mutating func offer(
        at now: ContinuousClock.Instant, using random: inout some RandomNumberGenerator
    ) -> OneTimeCode {
        let code = String((0..<Self.length).map { _ in Self.alphabet.randomElement(using: &random) ?? "2" })
        self.code = code
        end = now + .seconds(Self.lifetime)
        attemptsLeft = Self.attempts
        return OneTimeCode(code: code, seconds: Self.lifetime)
    }

    /// Whether the given code is right. A right code is used up.
    mutating func take(_ given: String, at now: ContinuousClock.Instant) -> Bool {
        guard let code, now < end, attemptsLeft > 0 else { return false }
        guard RPCSecret.isSame(Self.plain(given), code) else {
            attemptsLeft -= 1
            return false
        }
        self.code = nil
        return true
    }

    /// Normalizes a code for comparison. Lowercase letters and a gap are accepted.
    private static func plain(_ text: String) -> String {
        String(text.prefix(32).uppercased().filter { $0 != " " && $0 != "-" })
    }
}
