/// The correct response to a request, and incorrect responses to a range.
extension OriginResponse {
    /// Returns the response of the resource itself: whole, partial, not modified or not satisfiable (RFC 9110 §13,
    /// §14).
    package static func answering(
        _ exchange: OriginExchange, _ resource: OriginResource, _ modes: [OriginMode]
    ) -> OriginResponse {
        let request = exchange.request
        if isUnmodified(request, resource) {
            var response = OriginResponse(status: 304, fields: resource.fields)
            response.framing = .none
            return response
        }
        if request.value("Range") != nil, let fault = modes.unsatisfiableFault {
            return unsatisfiable(resource, fault)
        }
        guard resource.answersRanges, let range = request.range(in: resource.body.size),
            ifRangeHolds(request, resource, modes)
        else { return whole(resource) }
        return switch range {
        case .satisfiable(let range): part(resource, range, modes)
        case .unsatisfiable: unsatisfiable(resource, .complete)
        }
    }

    private static func whole(_ resource: OriginResource) -> OriginResponse {
        var response = OriginResponse(
            status: 200, fields: resource.fields, content: [.seeded(resource.body, 0..<resource.body.size)])
        if resource.isGenerated { response.framing = .chunked }
        return response
    }

    private static func unsatisfiable(_ resource: OriginResource, _ fault: UnsatisfiableFault) -> OriginResponse {
        var response = OriginResponse(status: 416, text: "No such range.\n")
        switch fault {
        case .complete: response.set("Content-Range", "bytes */\(resource.body.size)")
        case .other: response.set("Content-Range", "bytes */\(resource.body.size + 1000)")
        case .bare: break
        }
        return response
    }

    private static func part(
        _ resource: OriginResource, _ asked: Range<Int64>, _ modes: [OriginMode]
    ) -> OriginResponse {
        var range = asked
        var complete = resource.body.size
        var contentRange: String?? = .none
        var isMultipart = false
        for mode in modes {
            switch mode {
            case .rangeFromZero: range = 0..<asked.upperBound
            case .rangeSubset(let length): range = asked.lowerBound..<min(asked.lowerBound + length, asked.upperBound)
            case .rangeExcess(let length):
                range = asked.lowerBound..<min(asked.upperBound + length, resource.body.size)
            case .completeLength(let length): complete = length
            case .contentRange(let fault): contentRange = .some(fault.value(for: range, complete: complete))
            case .multipartRange: isMultipart = true
            default: break
            }
        }
        let value = contentRange ?? "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(complete)"
        var response = OriginResponse(status: 206, fields: resource.fields, content: [.seeded(resource.body, range)])
        if isMultipart {
            response.wrapInMultipart(contentRange: value ?? "", type: resource.contentType ?? "text/plain")
        } else {
            response.set("Content-Range", value)
        }
        return response
    }

    private mutating func wrapInMultipart(contentRange: String, type: String) {
        let boundary = "ferry-origin"
        let opening = "--\(boundary)\r\nContent-Type: \(type)\r\nContent-Range: \(contentRange)\r\n\r\n"
        set("Content-Type", "multipart/byteranges; boundary=\(boundary)")
        content.insert(.bytes(Array(opening.utf8)), at: 0)
        content.append(.bytes(Array("\r\n--\(boundary)--\r\n".utf8)))
    }

    private static func isUnmodified(_ request: RecordedRequest, _ resource: OriginResource) -> Bool {
        if let tags = request.value("If-None-Match") {
            // Weak comparison (RFC 9110 §13.1.2).
            func opaque(_ tag: some StringProtocol) -> String {
                let trimmed = String(tag.filter { $0 != " " })
                return trimmed.hasPrefix("W/") ? String(trimmed.dropFirst(2)) : trimmed
            }
            guard let etag = resource.etag else { return false }
            return tags == "*" || tags.split(separator: ",").contains { opaque($0) == opaque(etag) }
        }
        guard let date = request.value("If-Modified-Since") else { return false }
        return date == resource.lastModified
    }

    /// Strong comparison of If-Range (RFC 9110 §13.1.5). True if the request has no such field.
    private static func ifRangeHolds(
        _ request: RecordedRequest, _ resource: OriginResource, _ modes: [OriginMode]
    ) -> Bool {
        guard let validator = request.value("If-Range") else { return true }
        if validator.hasPrefix("\"") || validator.hasPrefix("W/") {
            return validator == resource.etag && validator.hasPrefix("\"") && !modes.isIfRangeBlind
        }
        return validator == resource.lastModified
    }
}

extension [OriginMode] {
    fileprivate var unsatisfiableFault: UnsatisfiableFault? {
        for case .unsatisfiable(let fault) in self { return fault }
        return nil
    }

    fileprivate var isIfRangeBlind: Bool {
        for case .ifRangeBlind in self { return true }
        return false
    }
}
