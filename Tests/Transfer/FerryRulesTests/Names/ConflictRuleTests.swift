import FerryCore
import FerryRules
import Testing

@Suite struct `Conflict rule` {
    private typealias Holder = ConflictRule.Holder

    private func word(_ policy: ConflictPolicy, _ moment: ConflictRule.Moment, _ holder: Holder) -> String {
        switch ConflictRule(policy, at: moment).verdict(on: "/d/a.txt", heldBy: holder) {
        case .take: "take"
        case .useNextName: "next"
        case .keepExisting: "keep"
        case .refuse(let error): error.code == .destinationExists ? "refuse" : error.word
        }
    }

    @Test(arguments: ConflictPolicy.allCases, ConflictRule.Moment.allCases)
    func `a free name is taken`(policy: ConflictPolicy, moment: ConflictRule.Moment) {
        #expect(word(policy, moment, .nothing) == "take")
    }

    /// The effect of each policy on a file, folder or transfer with the same name.
    @Test(
        arguments: [
            (.unique, .beforeFetch, ["next", "next", "next"]),
            (.unique, .beforeFetchKeepingBytes, ["next", "next", "next"]),
            (.unique, .placement, ["next", "next", "next"]),
            (.unique, .rename, ["next", "next", "next"]),
            (.fail, .beforeFetch, ["refuse", "refuse", "refuse"]),
            (.fail, .beforeFetchKeepingBytes, ["take", "take", "refuse"]),
            (.fail, .placement, ["refuse", "refuse", "refuse"]),
            (.fail, .rename, ["refuse", "refuse", "refuse"]),
            (.replace, .beforeFetch, ["take", "refuse", "refuse"]),
            (.replace, .beforeFetchKeepingBytes, ["take", "take", "refuse"]),
            (.replace, .placement, ["take", "refuse", "refuse"]),
            (.replace, .rename, ["take", "refuse", "refuse"]),
            (.skip, .beforeFetch, ["keep", "keep", "refuse"]),
            (.skip, .beforeFetchKeepingBytes, ["keep", "keep", "refuse"]),
            (.skip, .placement, ["keep", "keep", "refuse"]),
            (.skip, .rename, ["refuse", "refuse", "refuse"]),
            (.update, .beforeFetch, ["take", "refuse", "refuse"]),
            (.update, .beforeFetchKeepingBytes, ["take", "take", "refuse"]),
            (.update, .placement, ["take", "refuse", "refuse"]),
            (.update, .rename, ["refuse", "refuse", "refuse"]),
        ] as [(ConflictPolicy, ConflictRule.Moment, [String])])
    func `a taken name is judged by policy and moment`(
        policy: ConflictPolicy, moment: ConflictRule.Moment, words: [String]
    ) {
        #expect([Holder.file, .folder, .transfer].map { word(policy, moment, $0) } == words)
    }

    @Test(arguments: ConflictRule.Moment.allCases)
    func `a file is replaced by replace, and by update where the server was asked`(moment: ConflictRule.Moment) {
        let replacing = ConflictPolicy.allCases.filter { ConflictRule($0, at: moment).replaces }
        #expect(replacing == (moment == .rename ? [.replace] : [.replace, .update]))
    }

    @Test func `the sentence says what has the name`() {
        func sentence(_ policy: ConflictPolicy, _ holder: Holder) -> String? {
            guard case .refuse(let error) = ConflictRule(policy, at: .beforeFetch).verdict(on: "/d/a", heldBy: holder)
            else { return nil }
            return error.message
        }
        #expect(sentence(.fail, .file) == "/d/a exists already; choose another name or another conflict policy.")
        #expect(sentence(.replace, .folder) == "/d/a is a folder and is not replaced.")
        #expect(sentence(.replace, .transfer) == "Another transfer is fetching to /d/a.")
    }

    @Test func `until the file is whole, a partial folder keeps bytes whatever has the name`() {
        var request = TransferRequest(url: "http://h/a", folder: "/d")
        request.file.onConflict = .fail
        #expect(request.admissionRule == ConflictRule(.fail, at: .beforeFetch))
        request.file.partialFolder = "/p"
        #expect(request.admissionRule == ConflictRule(.fail, at: .beforeFetchKeepingBytes))
    }

    @Test func `tries a name and its numbers for policy unique, and the name alone for all others`() {
        for policy in ConflictPolicy.allCases where policy != .unique {
            #expect(!ConflictRule(policy, at: .placement).numbersNames)
            #expect(ConflictRule(policy, at: .placement).names(of: "a.txt").map(\.name) == ["a.txt"])
            #expect(ConflictRule(policy, at: .placement).names(of: "a.txt", from: 1).isEmpty)
        }
        let names = ConflictRule(.unique, at: .placement).names(of: "a.txt")
        #expect(names.count == 10_000 && names.prefix(2).map(\.name) == ["a.txt", "a-1.txt"])
        #expect(names.last?.number == 9999 && names.last?.name == "a-9999.txt")
        let later = ConflictRule(.unique, at: .placement).names(of: "a.txt", from: 9999)
        #expect(later.map(\.number) == [9999])
        #expect(ConflictRule(.unique, at: .placement).names(of: "a.txt", from: 10_000).isEmpty)
    }
}
