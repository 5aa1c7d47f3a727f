import FerryCore

/// Options that help against an error, for the user of `ferry get`.
enum Advice {
    /// - Returns: A sentence, or nil if no option helps.
    static func of(_ error: ServiceError) -> String? {
        guard error.code == .tlsCertificate else { return nil }
        let way =
            switch error.details.certificate {
            case .expired, .notYetValid: "Check this machine's clock; "
            case .selfSigned: "--cacert FILE names the certificate to trust; "
            case .unknownIssuer: "--cacert FILE names the authority to trust; "
            case .otherHost, .wrongPurpose, .noAuthorities, .unknown, nil: ""
            }
        return way + "-k leaves certificates unverified."
    }

    /// The distinct sentences for all finished transfers.
    static func of(_ transfers: some Sequence<Transfer>) -> [String] {
        var seen: Set<String> = []
        var sentences: [String] = []
        for transfer in transfers {
            for sentence in of(transfer) where seen.insert(sentence).inserted { sentences.append(sentence) }
        }
        guard sentences.count > mostSentences else { return sentences }
        return sentences.prefix(mostSentences) + [
            "ferry info shows the same of \(sentences.count - mostSentences) others."
        ]
    }

    private static let mostSentences = 10

    private static func of(_ transfer: Transfer) -> [String] {
        switch transfer.state {
        case .succeeded: return transfer.isWebPage ? [webPage(transfer)] : []
        case .failed:
            let reason = ServerReason.of(transfer.error).map { "\(transfer.displayName): the server said: \($0)" }
            let restart = transfer.notes.first { $0 == noValidator }.map {
                "\(transfer.displayName): \($0.escapingControls)"
            }
            return [reason, restart, transfer.error.flatMap(of)].compactMap(\.self)
        case .waiting, .running, .suspended, .canceled, .unknown: return []
        }
    }

    private static let noValidator = TransferNotes.noValidator

    private static func webPage(_ transfer: Transfer) -> String {
        "\(transfer.displayName): saved, but the server sent a web page. If it is a login page, -u USER with "
            + "--auth-no-challenge sends a password at once, and -b cookies.txt a browser's cookies."
    }
}
