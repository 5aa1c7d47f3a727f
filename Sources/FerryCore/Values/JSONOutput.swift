// Ferry: FerryCore
// What the encoders of one value share.

import Foundation

/// The text that the encoders of one value write to.
final class JSONOutput {
    // Each call below is one access: the many steps inside it are not checked one by one.
    private(set) var text: JSONText
    private let dateForm: JSONWriter.DateForm

    init(date: JSONWriter.DateForm, sortsKeys: Bool) {
        dateForm = date
        text = JSONText(sortsKeys: sortsKeys)
    }

    var depth: Int { text.depth }

    func begin(isObject: Bool) { text.begin(isObject: isObject) }
    func close(to depth: Int) { text.close(to: depth) }
    func next(in depth: Int) { text.next(in: depth) }
    func key(_ name: String, in depth: Int) { text.key(name, in: depth) }
    func raw(_ raw: String) { text.raw(raw) }
    func number(_ value: some BinaryInteger) { text.number(value) }
    func number(_ value: Double, _ path: [any CodingKey]) throws { try text.number(value, path) }
    func string(_ value: String) { text.string(value) }

    func date(_ date: Date) {
        switch dateForm {
        case .number(let form): text.number(form(date))
        case .text(let form): text.string(form(date))
        }
    }
}
