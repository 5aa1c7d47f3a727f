import FerryAPI
import FerryAria2

/// A code that is good for one minute, for one client, and for a few tries.
struct Pairing: Sendable {
    static let lifetime = 60.0
    static let length = 8
    /// Wrong codes after which the right one is good no more: one of them is right by chance once in 2^37 times.
    static let tries = 5
    /// Characters that are hard to mistake for each other, 32 of them.
    static let alphabet = Array("23456789ABCDEFGHJKLMNPQRSTUVWXYZ")

    private var code: String?
    private var end = ContinuousClock.now
    private var attemptsLeft = 0

    /// Makes a code; the one before is good no more.
    mutating func offer(
        at now: ContinuousClock.Instant, using random: inout some RandomNumberGenerator
    ) -> PairingOffer {
        let code = String((0..<Self.length).map { _ in Self.alphabet.randomElement(using: &random) ?? "2" })
        self.code = code
        end = now + .seconds(Self.lifetime)
        attemptsLeft = Self.tries
        return PairingOffer(code: code, seconds: Self.lifetime)
    }

    /// Whether a client has shown the code; a right one is used up.
    mutating func take(_ given: String, at now: ContinuousClock.Instant) -> Bool {
        guard let code, now < end, attemptsLeft > 0 else { return false }
        guard RPCSecret.isSame(Self.plain(given), code) else {
            attemptsLeft -= 1
            return false
        }
        self.code = nil
        return true
    }

    /// A code as it is compared: people may write it in small letters, and with a gap.
    private static func plain(_ text: String) -> String {
        String(text.prefix(32).uppercased().filter { $0 != " " && $0 != "-" })
    }
}
