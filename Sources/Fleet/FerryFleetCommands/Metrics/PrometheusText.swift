/// Figures in the text format of Prometheus (version 0.0.4).
struct PrometheusText {
    enum Kind: String { case counter, gauge }

    private(set) var text = ""

    /// The media type.
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Adds a figure without labels.
    mutating func add(_ kind: Kind, _ name: String, _ help: String, _ value: Double?) {
        guard let value else { return }
        add(kind, name, help, label: "", [("", value)])
    }

    /// Adds a figure with one label.
    mutating func add(
        _ kind: Kind, _ name: String, _ help: String, label: String, _ values: [(value: String, figure: Double)]
    ) {
        guard !values.isEmpty else { return }
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        for (value, figure) in values {
            text += name + (label.isEmpty ? "" : "{\(label)=\"\(Self.escaped(value))\"}") + " \(Self.number(figure))\n"
        }
    }

    /// Adds a figure with two labels.
    mutating func add(
        _ kind: Kind, _ name: String, _ help: String, labels: (String, String),
        _ values: [(first: String, second: String, figure: Double)]
    ) {
        guard !values.isEmpty else { return }
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        for (first, second, figure) in values {
            let both = "\(labels.0)=\"\(Self.escaped(first))\",\(labels.1)=\"\(Self.escaped(second))\""
            text += "\(name){\(both)} \(Self.number(figure))\n"
        }
    }

    private static func number(_ figure: Double) -> String {
        figure == figure.rounded() && abs(figure) < 1e15 ? String(Int64(figure)) : String(figure)
    }

    /// Label values may contain anything: logins and texts of errors are hostile.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
