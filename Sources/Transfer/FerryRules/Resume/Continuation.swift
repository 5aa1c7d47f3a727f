package import FerryCore

extension TransferFacts {
    /// Returns the number of bytes from byte 0 that another request can continue after, or `nil` if the download cannot
    /// be continued.
    package func continuableBytes(of request: TransferRequest) -> Int64? {
        let end = ranges.contiguousEnd(from: 0)
        guard end > 0, request.method == "GET", request.body == nil, !rangesOff, identity?.strongValidator != nil,
            isRefused || response?.allowsContinuation ?? true
        else { return nil }
        return end
    }

    /// Whether the response is the refusal of a later request. It shows nothing about the bytes on disk.
    private var isRefused: Bool {
        guard let response, !StatusRange.success.contains(response.status) else { return false }
        return !notes.contains(BodyNote.statusIsResult.rawValue)
    }
}

extension ResponseFacts {
    /// Whether the response shows range support (`Accept-Ranges` or a 206) and has no content coding.
    fileprivate var allowsContinuation: Bool {
        let coding = fields.first { $0.isNamed("Content-Encoding") }?.value ?? "identity"
        let ranges = fields.first { $0.isNamed("Accept-Ranges") }?.value.lowercased()
        return coding.lowercased() == "identity" && (status == 206 || ranges?.contains("bytes") ?? false)
    }
}
