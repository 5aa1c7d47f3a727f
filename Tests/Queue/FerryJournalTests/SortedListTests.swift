@testable import FerryQueue
@testable import FerryService
import Testing

@Suite struct `A sorted list` {
    /// Compared with a set, in a reproducible pseudorandom order.
    @Test(arguments: [10, 3000]) func `has what a sorted set has`(range: UInt64) {
        var list = SortedList<Int>()
        var set: Set<Int> = []
        var number: UInt64 = 7
        for step in 0..<8000 {
            number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let element = Int(number >> 33 % range)
            // The list grows at first and shrinks later.
            if (number >> 20) % 10 < (step < 4000 ? 7 : 2) {
                let (isNew, isExpected) = (list.insert(element), set.insert(element).inserted)
                #expect(isNew == isExpected)
            } else {
                let (wasThere, isExpected) = (list.remove(element), set.remove(element) != nil)
                #expect(wasThere == isExpected)
            }
            if step % 500 == 0 { compare(list, set, around: element) }
        }
        for element in set {
            let wasThere = list.remove(element)
            #expect(wasThere)
        }
        #expect(list.isEmpty && list.count == 0 && list.last == nil)
    }

    private func compare(_ list: SortedList<Int>, _ set: Set<Int>, around element: Int) {
        let sorted = set.sorted()
        #expect(list.count == sorted.count && list.last == sorted.last && list.isEmpty == sorted.isEmpty)
        #expect(list.contains(element) == set.contains(element))
        for bound in [nil, -1, element, element + 1, 5000] {
            #expect(all { list.forEach(after: bound, $0) } == sorted.filter { $0 > bound ?? .min })
            #expect(all { list.forEachReversed(before: bound, $0) } == sorted.reversed().filter { $0 < bound ?? .max })
        }
        var first: [Int] = []
        list.forEach { element in
            first.append(element)
            return first.count < 3
        }
        #expect(first == Array(sorted.prefix(3)))
    }

    private func all(_ walk: ((Int) -> Bool) -> Void) -> [Int] {
        var found: [Int] = []
        walk { element in
            found.append(element)
            return true
        }
        return found
    }
}
