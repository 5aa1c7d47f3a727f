// Ferry: FerryService
// What the disk says to many requests.

import FerryCore
import FerryEngine

extension FolderChecks {
    /// What `check` finds for each of many requests; a folder is asked once for all names in it that nothing has.
    mutating func check(_ requests: [TransferRequest]) async -> [Result<Finding, TransferError>] {
        let free = await freeNames(of: requests)
        var results: [Result<Finding, TransferError>] = []
        results.reserveCapacity(requests.count)
        for (index, request) in requests.enumerated() {
            if let paths = free[index] {
                results.append(.success(.free(paths)))
                continue
            }
            do throws(TransferError) {
                results.append(.success(try await check(request)))
            } catch {
                results.append(.failure(error))
            }
        }
        return results
    }

    /// The paths of those requests whose names are free, or come from the response, by their places.
    private mutating func freeNames(of requests: [TransferRequest]) async -> [Int: [String]] {
        var free: [Int: [String]] = [:]
        var used: Set<String> = []
        var unique: [(index: Int, path: String)] = []
        for (folder, group) in groups(of: requests) {
            guard let first = group.first,
                let opened = try? await open(
                    folder, makes: requests[first.index].createFolders,
                    mode: Destination.folderMode(of: requests[first.index]))
            else { continue }
            let names = group.map { $0.path?.lastPathPart }
            let looked = await disk.result { system throws(DiskError) -> [Bool] in
                var free: [Bool] = []
                free.reserveCapacity(names.count)
                for name in names {
                    guard let name else {
                        free.append(true)
                        continue
                    }
                    free.append(try system.identity(of: name, in: opened) == nil)
                }
                return free
            }
            guard case .success(let found) = looked else { continue }
            for (one, isFree) in zip(group, found) where isFree {
                guard let path = one.path else {
                    free[one.index] = []
                    continue
                }
                let isUnique = requests[one.index].onConflict == .unique
                // Two of the batch with one name: the policy decides about the later one.
                guard used.insert(path).inserted || !isUnique else { continue }
                free[one.index] = [path]
                if isUnique { unique.append((one.index, path)) }
            }
        }
        // Those that other transfers have reserved get numbers; what cannot be read fails in the transaction.
        let held = (try? await taken(unique.map(\.path))) ?? []
        for (index, path) in unique where held.contains(path) { free[index] = nil }
        return free
    }

    private struct Place {
        let index: Int
        /// nil where the name comes from the response.
        let path: String?
    }

    /// The requests by their folders, each folder where it first comes.
    private func groups(of requests: [TransferRequest]) -> [(folder: String, group: [Place])] {
        var order: [String] = []
        var groups: [String: [Place]] = [:]
        for (index, request) in requests.enumerated() {
            let folder = Destination.folder(of: request)
            if groups[folder] == nil { order.append(folder) }
            groups[folder, default: []].append(Place(index: index, path: Destination.path(of: request)))
        }
        return order.map { ($0, groups[$0] ?? []) }
    }
}
