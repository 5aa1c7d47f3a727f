import Testing

@testable import DownloadDemo

@Suite struct `Keys of the list` {
    private func keys(_ bytes: [UInt8]...) -> [Key] {
        var reader = KeyReader()
        return bytes.flatMap { reader.read($0) }
    }

    @Test func `are read from the bytes of a terminal, also where one comes in pieces`() {
        #expect(keys(Array("aP".utf8)) == [.character("a"), .character("P")])
        #expect(keys([0x1B, 0x5B, 0x41], [0x1B, 0x5B, 0x42]) == [.up, .down])
        #expect(keys([0x1B, 0x5B], [0x41, 0x0D]) == [.up, .enter])
        #expect(keys([0x1B]) == [.escape])
        #expect(keys([0xC3], [0xA9, 0x7F]) == [.character("é"), .backspace])
        // A key without a meaning here.
        #expect(keys([0x1B, 0x5B, 0x33, 0x7E, 0x01, 0x71]) == [.character("q")])
    }

    @Test func `choose a download that is there, and ask for what is done to it`() {
        var controls = Controls()
        let before = controls.press(.character("p"), rows: 0, limit: 3)
        #expect(before == nil && controls.chosen == 1)
        for _ in 0..<5 { _ = controls.press(.down, rows: 3, limit: 3) }
        #expect(controls.chosen == 3)
        let wishes = "prxPR+-Kq".map { controls.press(.character($0), rows: 3, limit: 2) }
        #expect(
            wishes == [
                .follow(.pause(.one(3))), .follow(.resume(.one(3))), .follow(.remove(.one(3))), .follow(.pause(.all)),
                .follow(.resume(.all)), .follow(.limit(3)), .follow(.limit(1)), .kill, .follow(.quit),
            ])
        let least = controls.press(.character("-"), rows: 3, limit: 1)
        #expect(least == nil)
        // Two downloads were removed meanwhile.
        let one = controls.press(.character("p"), rows: 1, limit: 2)
        #expect(one == .follow(.pause(.one(1))))
    }

    @Test func `type an address, which no key of the list disturbs`() {
        var controls = Controls()
        for character in "a q://x" { _ = controls.press(.character(character), rows: 1, limit: 1) }
        _ = controls.press(.backspace, rows: 1, limit: 1)
        #expect(controls.typed == " q://")
        let added = controls.press(.enter, rows: 1, limit: 1)
        #expect(added == .follow(.add("q://")) && controls.typed == nil)
        for key in [Key.character("a"), .character("z"), .escape] { _ = controls.press(key, rows: 1, limit: 1) }
        #expect(controls == Controls())
    }
}
