// Ferry: FerryCore
// What became of one submitted request.

/// What became of one submitted request.
package enum SubmissionResult: Hashable, Sendable {
    case accepted(Transfer)
    case refused(TransferError)
}

extension SubmissionResult: Codable {
    private enum CodingKeys: String, CodingKey { case transfer, error }

    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        if let error = try box.decodeIfPresent(TransferError.self, forKey: .error) {
            self = .refused(error)
        } else {
            self = .accepted(try box.decode(Transfer.self, forKey: .transfer))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .accepted(let transfer): try box.encode(transfer, forKey: .transfer)
        case .refused(let error): try box.encode(error, forKey: .error)
        }
    }
}
