import BackgroundURLSession
import TestAppKit

/// Steps that store responses in a disk cache and look them up.
struct CacheSteps {
    private static let capacity = 4 << 20
    private let cache: URLCache

    init(folder: String) {
        cache = URLCache(
            memoryCapacity: 0, diskCapacity: Self.capacity, directory: URL(fileURLWithPath: folder, isDirectory: true))
    }

    func store(_ count: Int, _ story: Story) {
        for number in 0..<count {
            guard let request = request(number), let url = request.url,
                let response = HTTPURLResponse(
                    url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: ["X-Number": "\(number)"])
            else { continue }
            let cached = CachedURLResponse(response: response, data: body(number))
            cache.storeCachedResponse(cached, for: request)
            if number % 100 == 0 { story.add("stored", number) }
        }
        story.add("stored", "all")
    }

    func look(_ count: Int, _ story: Story) {
        var (found, wrong) = (0, 0)
        for number in 0..<count {
            guard let cached = request(number).flatMap({ cache.cachedResponse(for: $0) }) else { continue }
            let response = cached.response as? HTTPURLResponse
            let isRight =
                cached.data == body(number) && response?.value(forHTTPHeaderField: "X-Number") == "\(number)"
            if isRight { found += 1 } else { wrong += 1 }
        }
        story.add("found", found > 0, "wrong", wrong, "fits", cache.currentDiskUsage <= Self.capacity)
    }

    private func request(_ number: Int) -> URLRequest? {
        URL(string: "http://h.example/?number=\(number)").map { URLRequest(url: $0) }
    }

    /// Returns a body of up to 5 kB that contains the number.
    private func body(_ number: Int) -> Data {
        Data(String(repeating: "\(number) ", count: 1 + number * 7919 % 1000).utf8)
    }
}
