import FerryCore
import FerryRules
import Testing

@testable import FerryEngine

@Suite struct `Places of workers` {
    private func places(_ count: Int) throws -> WorkerPlaces {
        let url = try HTTPURL(parsing: "http://h.example/f")
        let course = RequestCourse(from: url, ConversationTerms(home: url.origin))
        return WorkerPlaces(
            (0..<count).map { WorkerPlace(number: $0, course: course, rank: nil, isProven: $0 == 0) })
    }

    @Test func `S9 the first place is asked as long as it serves parts`() throws {
        let places = try places(1)
        #expect(places.order([:], asksHome: true, now: 0) == [0])
        #expect(places.order([:], asksHome: false, now: 0) == [])
    }

    @Test func `S11 one worker finds out whether a mirror has the file`() throws {
        var places = try places(2)
        #expect(Set(places.order([0: 1], asksHome: true, now: 0)) == [0, 1])
        #expect(places.order([0: 1, 1: 1], asksHome: true, now: 0) == [0])
        places.proved(1)
        #expect(Set(places.order([0: 1, 1: 1], asksHome: true, now: 0)) == [0, 1])
    }

    @Test func `S11 S12 a mirror of another file is not asked again, and a failed one waits`() throws {
        var places = try places(3)
        #expect(places.drop(1) == 1)
        #expect(places.drop(1) == nil)
        places.failed(2, now: 100)
        #expect(places.order([:], asksHome: true, now: 100) == [0])
        #expect(Set(places.order([:], asksHome: true, now: 161)) == [0, 2])
        places.rest(2, for: 30, now: 200)
        #expect(places.order([:], asksHome: false, now: 229) == [])
        #expect(places.order([:], asksHome: false, now: 231) == [2])
    }

    @Test func `X11 one worker asks the original URL, and the others wait for it`() async throws {
        var places = try places(1)
        let url = try HTTPURL(parsing: "http://h.example/signed/2")
        let renewed = RequestCourse(from: url, ConversationTerms(home: url.origin))
        #expect(places.beginRenewal(of: 0) == true)
        #expect(places.beginRenewal(of: 0) == false)
        await withCheckedContinuation { waiter in
            places.wait(for: 0, waiter)
            places.renewed(0, renewed)
            places.endRenewal(of: 0)
        }
        #expect(places[0].course.url.path == "/signed/2" && places[0].courseNumber == 1)
        // A later caller does not wait.
        await withCheckedContinuation { waiter in places.wait(for: 0, waiter) }
        #expect(places.beginRenewal(of: 0) == true)
    }
}
