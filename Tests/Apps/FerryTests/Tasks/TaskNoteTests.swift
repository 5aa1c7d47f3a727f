@testable import Ferry
import Foundation
import Testing

struct `The note of a task` {
    @Test(arguments: [
        "one", "", "a\"b", "a\\b", "line\nbreak", "tab\t", "\u{0}", "\u{7F}", "grün 下载 🎬", "a/b",
        "https://h/ä?b=\"c\"",
    ])
    func `is the same after it was text`(word: String) throws {
        let plain = TaskNote(id: word, url: "https://example.org/" + word)
        var full = plain
        full.kind = .chain
        full.isNamedByURL = false
        full.metadata = [word: word]
        full.validation = TaskNote.Validation(code: word, type: .sha256, result: 2)
        for note in [plain, full] {
            #expect(TaskNote(text: note.text) == note)
            let written = try JSONSerialization.jsonObject(with: Data(note.text.utf8)) as? NSDictionary
            let encoded = try JSONSerialization.jsonObject(with: JSONEncoder().encode(note)) as? NSDictionary
            #expect(written != nil && written == encoded)
        }
    }

    @Test func `has an identifier of its own`() {
        let ids = (0..<1000).map { _ in TaskNote(url: "").id }
        #expect(Set(ids).count == ids.count && ids.allSatisfy { UUID(uuidString: $0) != nil })
        for id in ids {
            let bits = Array(id)
            #expect(bits[14] == "4" && "89ab".contains(bits[19]))
        }
    }

    @Test func `may be written with its keys in any order, and with space between them`() {
        let note = TaskNote(id: "a b", url: "https://h/c,d:{e}")
        #expect(note.text == #"{"id":"a b","url":"https://h/c,d:{e}"}"#)
        #expect(TaskNote(text: #"{"url":"https://h/c,d:{e}","id":"a b"}"#) == note)
        #expect(TaskNote(text: #"{ "id" : "a b", "url": "https:\/\/h\/c,d:{e}" }"#) == note)
    }

    @Test(arguments: [
        "", "{}", "[]", #"{"id":"one"}"#, #"{"id":1,"url":"a"}"#, "nonsense",
        "{\"id\":\"a\nb\",\"url\":\"c\"}", #"{"id":"a","url":"b"}}"#, #"{"id":"a","url":"b"#,
    ])
    func `is none of another text`(text: String) {
        #expect(TaskNote(text: text) == nil)
    }
}
