import FerryCore
import FerryEngine

/// What the disk says to many requests.
extension FolderChecks {
    /// What `check` finds for each of some items of a batch; a folder is asked once for all names in it that nothing has.
    mutating func check(
        _ items: [AdmittedBatch.Item], of batch: AdmittedBatch
    ) async -> [Result<Finding, ServiceError>] {
        let free = await freeNames(of: items, in: batch)
        var results: [Result<Finding, ServiceError>] = []
        results.reserveCapacity(items.count)
        for (item, paths) in zip(items, free) {
            if let paths {
                results.append(.success(.free(paths)))
                continue
            }
            do throws(ServiceError) {
                results.append(.success(try await check(batch.request(item))))
            } catch {
                results.append(.failure(error))
            }
        }
        return results
    }

    /// The paths of the items whose names are free, or come from the response; nil for the other items.
    private mutating func freeNames(
        of items: [AdmittedBatch.Item], in batch: AdmittedBatch
    ) async -> [[String]?] {
        let templates = batch.templates.map { try? $0.get() }
        let numbersNames = templates.map { $0?.admissionRule.numbersNames == true }
        var free = [[String]?](repeating: nil, count: items.count)
        var used: Set<String> = []
        var unique: [(index: Int, path: String)] = []
        for (folder, group) in groups(of: items) {
            guard let first = group.first, let template = templates[items[first.index].template],
                let place = try? await place(folder, makes: template.createFolders)
            else { continue }
            let names = group.map(\.name)
            let looked = await disk.at(.folder(folder)).result { system throws(DiskError) -> [Bool] in
                var free: [Bool] = []
                free.reserveCapacity(names.count)
                for name in names {
                    guard let name else {
                        free.append(true)
                        continue
                    }
                    free.append(try place.identity(of: name, system) == nil)
                }
                return free
            }
            guard case .success(let found) = looked,
                (try? await make(place, mode: Destination.folderMode(of: template, umask: umask))) != nil
            else { continue }
            for (one, isFree) in zip(group, found) where isFree {
                guard let name = one.name else {
                    free[one.index] = []
                    continue
                }
                let path = folder.appendingPathPart(name)
                let numbersNames = numbersNames[items[one.index].template]
                // Two items of the batch have one name: the policy decides about the later one.
                guard used.insert(path).inserted || !numbersNames else { continue }
                free[one.index] = [path]
                if numbersNames { unique.append((one.index, path)) }
            }
        }
        // Items whose paths other transfers have reserved get numbers; a journal that cannot be read fails in the transaction.
        let held = unique.isEmpty ? [] : (try? await taken(unique.map(\.path))) ?? []
        for (index, path) in unique where held.contains(path) { free[index] = nil }
        return free
    }

    private struct Named {
        let index: Int
        /// The file's name in its folder; nil where it comes from the response.
        let name: String?
    }

    /// The items by their folders, each folder where it first comes.
    private func groups(of items: [AdmittedBatch.Item]) -> [(folder: String, group: [Named])] {
        var places: [String: Int] = [:]
        var groups: [(folder: String, group: [Named])] = []
        for (index, item) in items.enumerated() {
            let folder = Destination.folder(item.folder, name: item.name)
            let place = Named(index: index, name: item.name?.lastPathPart)
            // Most items have the same folder as the one before.
            if groups.last?.folder == folder {
                groups[groups.count - 1].group.append(place)
            } else if let known = places[folder] {
                groups[known].group.append(place)
            } else {
                places[folder] = groups.count
                groups.append((folder, [place]))
            }
        }
        return groups
    }
}
