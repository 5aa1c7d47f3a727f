import FerryCore

/// Options that help against an error, for the user of `ferry get`.
enum Advice {
    /// - Returns: A sentence; nil where no option helps.
    static func of(_ error: TransferError) -> String? {
        guard error.code == .tlsCertificate else { return nil }
        return switch error.details.urlError {
        // Expired, or not valid yet.
        case -1201, -1204: "See whether this machine's clock is right; -k leaves certificates unverified."
        case -1203: "--cacert FILE names the authority to trust; -k leaves certificates unverified."
        default: "-k leaves certificates unverified; --cacert FILE names a self-signed one, or an authority, to trust."
        }
    }

    /// The sentences for all transfers that failed, each once.
    static func of(_ transfers: some Sequence<Transfer>) -> [String] {
        var sentences: [String] = []
        for transfer in transfers where transfer.state == .failed {
            guard let sentence = transfer.error.flatMap(of), !sentences.contains(sentence) else { continue }
            sentences.append(sentence)
        }
        return sentences
    }
}
