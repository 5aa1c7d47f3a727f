import FerryCore
import FerryDisk
import FerryEngine
import FerryQueue
import FerryRules

/// Destination checks of many requests at once.
extension FolderChecks {
    /// Does the same as `check` for several items of a batch. Each folder is searched once for all its free names.
    mutating func check(
        _ items: [AdmittedBatch.Item], of batch: AdmittedBatch
    ) async -> [Result<DestinationFinding, ServiceError>] {
        let free = await freeNames(of: items, in: batch)
        var results: [Result<DestinationFinding, ServiceError>] = []
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

    /// Returns the paths of the items with free names, or with names from the response. Other items get `nil`.
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
                let place = try? await place(
                    folder, makes: template.file.createFolders, allowed: template.file.allowedFolders)
            else { continue }
            let names = group.map(\.name)
            let inspected = await disk.at(.folder(folder)).result { system throws(DiskError) -> [Bool] in
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
            guard case .success(let found) = inspected,
                (try? await make(place, mode: Destination.folderMode(of: template, umask: umask))) != nil
            else { continue }
            for (one, isFree) in zip(group, found) where isFree {
                guard let name = one.name else {
                    free[one.index] = []
                    continue
                }
                let path = folder.appendingPathPart(name)
                let numbersNames = numbersNames[items[one.index].template]
                // Another item of the batch has the same name: the conflict policy decides about the later item.
                guard used.insert(path).inserted || !numbersNames else { continue }
                free[one.index] = [path]
                if numbersNames { unique.append((one.index, path)) }
            }
        }
        // Items with paths that other transfers reserve get numbers. A journal read error surfaces in the transaction.
        let held = unique.isEmpty ? [] : (try? await taken(unique.map(\.path))) ?? []
        for (index, path) in unique where held.contains(path) { free[index] = nil }
        return free
    }

    private struct Named {
        let index: Int
        /// The file's name in its folder, or `nil` if the response names it.
        let name: String?
    }

    /// Groups the items by folder, in order of first appearance.
    private func groups(of items: [AdmittedBatch.Item]) -> [(folder: String, group: [Named])] {
        var places: [PathKey: Int] = [:]
        var groups: [(folder: String, group: [Named])] = []
        for (index, item) in items.enumerated() {
            let folder = Destination.folder(item.folder, name: item.name)
            let place = Named(index: index, name: item.name?.lastPathPart)
            // Most items have the same folder as their predecessor.
            if groups.last?.folder.isPath(folder) == true {
                groups[groups.count - 1].group.append(place)
            } else if let known = places[PathKey(folder)] {
                groups[known].group.append(place)
            } else {
                places[PathKey(folder)] = groups.count
                groups.append((folder, [place]))
            }
        }
        return groups
    }
}
