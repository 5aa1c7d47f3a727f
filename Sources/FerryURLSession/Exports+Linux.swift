// What this module shows of Foundation and FoundationNetworking.

@_exported public import Foundation
// One by one: FoundationNetworking's own URLSession and its family stay out of sight.
@_exported public import class FoundationNetworking.CachedURLResponse
@_exported public import class FoundationNetworking.HTTPCookie
@_exported public import class FoundationNetworking.HTTPCookieStorage
@_exported public import class FoundationNetworking.HTTPURLResponse
@_exported public import class FoundationNetworking.NSMutableURLRequest
@_exported public import class FoundationNetworking.NSURLRequest
@_exported public import class FoundationNetworking.URLAuthenticationChallenge
@_exported public import class FoundationNetworking.URLCache
@_exported public import class FoundationNetworking.URLCredential
@_exported public import class FoundationNetworking.URLCredentialStorage
@_exported public import class FoundationNetworking.URLProtectionSpace
@_exported public import class FoundationNetworking.URLProtocol
@_exported public import class FoundationNetworking.URLResponse
@_exported public import let FoundationNetworking.NSURLAuthenticationMethodDefault
@_exported public import let FoundationNetworking.NSURLAuthenticationMethodHTMLForm
@_exported public import let FoundationNetworking.NSURLAuthenticationMethodHTTPBasic
@_exported public import let FoundationNetworking.NSURLAuthenticationMethodHTTPDigest
@_exported public import let FoundationNetworking.NSURLAuthenticationMethodNTLM
@_exported public import let FoundationNetworking.NSURLAuthenticationMethodNegotiate
@_exported public import let FoundationNetworking.NSURLProtectionSpaceHTTP
@_exported public import let FoundationNetworking.NSURLProtectionSpaceHTTPS
@_exported public import let FoundationNetworking.NSURLProtectionSpaceFTP
@_exported public import let FoundationNetworking.NSURLProtectionSpaceHTTPProxy
@_exported public import let FoundationNetworking.NSURLProtectionSpaceHTTPSProxy
@_exported public import let FoundationNetworking.NSURLProtectionSpaceFTPProxy
@_exported public import let FoundationNetworking.NSURLProtectionSpaceSOCKSProxy
@_exported public import protocol FoundationNetworking.URLAuthenticationChallengeSender
@_exported public import protocol FoundationNetworking.URLProtocolClient
@_exported public import struct FoundationNetworking.HTTPCookiePropertyKey
@_exported public import struct FoundationNetworking.URLRequest
@_exported public import enum FoundationNetworking.tls_ciphersuite_t
@_exported public import enum FoundationNetworking.tls_protocol_version_t
