import FerryFleet
import Testing

@Suite struct `Job tokens` {
    @Test func `are written as UUIDs and read back`() throws {
        let token = JobToken(high: 0x0123_4567_89ab_cdef, low: 0x0011_2233_4455_6677)
        #expect(token.description == "01234567-89ab-cdef-0011-223344556677")
        #expect(JobToken(token.description) == token)
    }

    @Test(arguments: [
        "", "01234567-89ab-cdef-0011-22334455667", "0123456789abcdef00112233445566770000",
        "01234567-89ab-cdef-0011-22334455667g",
    ])
    func `other text is none`(text: String) { #expect(JobToken(text) == nil) }
}
