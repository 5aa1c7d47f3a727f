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

    /// The distinct sentences for all failed transfers.
    static func of(_ transfers: some Sequence<Transfer>) -> [String] {
        var sentences: [String] = []
        for transfer in transfers where transfer.state == .failed {
            guard let sentence = transfer.error.flatMap(of), !sentences.contains(sentence) else { continue }
            sentences.append(sentence)
        }
        return sentences
    }
}
