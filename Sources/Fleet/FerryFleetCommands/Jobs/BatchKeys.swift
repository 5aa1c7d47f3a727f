import Crypto
import FerryCore
import FerryFleet
import FerryFoundation

/// Keys for the jobs of a batch, so that adding the same list again adds what is missing.
///
/// A key is made of the URL and the destination, not of the place in the list: lines may come and go.
enum BatchKeys {
    static func keyed(_ jobs: [JobRequest], batch: String) -> [JobRequest] {
        var seen: [String: Int] = [:]
        return jobs.map { job in
            var job = job
            let digest = SHA256.hash(data: Data((job.transfer.url + "\n" + job.path).utf8))
            let name = digest.prefix(16).hexDigits
            // The same line twice is two jobs.
            let count = seen[name, default: 0]
            seen[name] = count + 1
            job.batch = batch
            job.key = "\(batch)/\(name)" + (count == 0 ? "" : "-\(count)")
            return job
        }
    }
}
