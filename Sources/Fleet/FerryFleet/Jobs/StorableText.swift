package import FerryCore

extension ServiceError {
    /// Maximum length of a stored text in bytes.
    private static let longestText = 1024

    /// The error with texts that every database can store and everybody can list: at most 1 KiB each, without control
    /// characters. Servers decide what is in them.
    package var storable: ServiceError {
        var error = ServiceError(code, Self.storable(message), details: details)
        error.details.body = details.body.map(Self.storable)
        error.details.url = details.url.map(Self.storable)
        return error
    }

    private static func storable(_ text: String) -> String {
        let isClean = text.utf8.count <= longestText && !text.hasControls
        guard !isClean else { return text }
        var short = ""
        for scalar in text.unicodeScalars {
            let clean = scalar.properties.generalCategory == .control ? " " : scalar
            guard short.utf8.count + clean.utf8.count <= longestText else { return short + "…" }
            short.unicodeScalars.append(clean)
        }
        return short
    }
}
