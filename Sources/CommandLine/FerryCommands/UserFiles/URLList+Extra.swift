import ArgumentParser
import FerryCore

extension URLList.Extra {
    /// Applies the options of a file in aria2's names.
    ///
    /// - Returns: The ignored options.
    /// - Throws: ``ServiceError`` with the line of an invalid value.
    func apply(
        to request: inout TransferRequest, paths: TypedPath, of file: String?
    ) throws(ServiceError) -> [Option] {
        request.mirrors += mirrors
        var unknown: [Option] = []
        for option in options {
            do {
                if try !apply(option, to: &request, paths) { unknown.append(option) }
            } catch {
                let message = (error as? ValidationError)?.message ?? "\(error)"
                throw ServiceError(.invalidRequest, message).inLine(URLList.Origin(file: file ?? "", line: option.line))
            }
        }
        return unknown
    }

    private func apply(_ option: Option, to request: inout TransferRequest, _ paths: TypedPath) throws -> Bool {
        func number(_ range: SettingRange<Int>) throws -> Int {
            guard let number = Int(option.value), range.contains(number) else {
                throw ValidationError("“\(option.value.escapingControls)” is not a value of \(option.name).")
            }
            return number
        }
        func add(_ name: String, _ value: String) {
            request.headers.removeAll { $0.isNamed(name) }
            request.headers.append(HeaderField(name: name, value: value))
        }
        switch option.name {
        case "out": request.file.name = option.value
        case "dir": request.file.folder = try paths.folder(option.value)
        case "checksum": request.response.checksums.append(try RequestOptions.checksum(option.value))
        case "user-agent": add("User-Agent", option.value)
        case "referer": add("Referer", option.value)
        case "header":
            let halves = option.value.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2 else {
                throw ValidationError(
                    "“\(option.value.escapingControls)” is not a header field; write it as “Name: value”.")
            }
            let name = String(halves[0]).trimmingFieldSpace
            request.headers.append(HeaderField(name: name, value: String(halves[1]).trimmingFieldSpace))
        case "split", "max-connection-per-server": request.transport.connections = try number(.connections)
        case "max-tries":
            // aria2 counts all attempts, and 0 is unlimited.
            let attempts = try number(.retries)
            (request.timing.retries, request.timing.retryRule) = (attempts == 0 ? nil : attempts - 1, nil)
        case "max-download-limit": request.transport.rateLimit = try ByteAmount.parse(option.value)
        default: return false
        }
        return true
    }
}

extension ServiceError {
    /// The error with the line of a user's file that it is about.
    func inLine(_ origin: URLList.Origin) -> ServiceError {
        ServiceError(
            code, "Line \(origin.line) of “\(origin.file.escapingControls)”: \(message)", details: details,
            as: classOverride)
    }
}
