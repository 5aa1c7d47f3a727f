public import Foundation
public import FoundationNetworking

/// The asynchronous methods without a delegate. They exist beside those with one, so that `URLSession` conforms to an
/// app's protocol that has them.
extension URLSession {
    public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        try await data(for: request, delegate: nil)
    }

    public func data(from url: URL) async throws -> (Data, URLResponse) { try await data(from: url, delegate: nil) }

    public func upload(for request: URLRequest, fromFile fileURL: URL) async throws -> (Data, URLResponse) {
        try await upload(for: request, fromFile: fileURL, delegate: nil)
    }

    public func upload(for request: URLRequest, from bodyData: Data) async throws -> (Data, URLResponse) {
        try await upload(for: request, from: bodyData, delegate: nil)
    }

    public func upload(resumeFrom resumeData: Data) async throws -> (Data, URLResponse) {
        try await upload(resumeFrom: resumeData, delegate: nil)
    }

    public func download(for request: URLRequest) async throws -> (URL, URLResponse) {
        try await download(for: request, delegate: nil)
    }

    public func download(from url: URL) async throws -> (URL, URLResponse) {
        try await download(from: url, delegate: nil)
    }

    public func download(resumeFrom resumeData: Data) async throws -> (URL, URLResponse) {
        try await download(resumeFrom: resumeData, delegate: nil)
    }

    public func bytes(for request: URLRequest) async throws -> (AsyncBytes, URLResponse) {
        try await bytes(for: request, delegate: nil)
    }

    public func bytes(from url: URL) async throws -> (AsyncBytes, URLResponse) {
        try await bytes(from: url, delegate: nil)
    }
}
