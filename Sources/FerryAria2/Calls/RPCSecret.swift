/// Whether a call may be made: what it says of the secret, and what is left of its parameters.
struct RPCSecret {
    /// nil: none is asked for.
    private let secret: String?

    init(_ secret: String?) { self.secret = secret }

    private static let mark = "token:"

    /// Takes the secret off the parameters.
    ///
    /// - Returns: nil if it is wrong or missing.
    func open(_ parameters: [RPCValue], isTrusted: Bool) -> [RPCValue]? {
        guard let token = Self.token(of: parameters) else {
            return isTrusted || secret == nil ? parameters : nil
        }
        guard isTrusted || secret.map({ Self.isSame(token, $0) }) ?? true else { return nil }
        return Array(parameters.dropFirst())
    }

    private static func token(of parameters: [RPCValue]) -> String? {
        guard let text = parameters.first?.text, text.utf8.starts(with: mark.utf8) else { return nil }
        return String(decoding: text.utf8.dropFirst(mark.utf8.count), as: UTF8.self)
    }

    /// Whether two texts have the same bytes; how long this takes depends on the first one's length alone.
    static func isSame(_ given: String, _ secret: String) -> Bool {
        let (given, secret) = (Array(given.utf8), Array(secret.utf8))
        var difference = given.count ^ secret.count
        for (place, byte) in given.enumerated() {
            difference |= Int(byte ^ (secret.isEmpty ? 0 : secret[place % secret.count]))
        }
        return difference == 0
    }
}
