import ATPNetworking
import HTTPTypes
import Testing

@Suite("HTTPFields.onlyValue") struct OnlyValueTests {
    @Test("is the value of a field that there is once, whatever the case of its name") func once() throws {
        let lower = try #require(HTTPField.Name("retry-after"))
        let fields = HTTPFields([HTTPField(name: .age, value: "1"), HTTPField(name: lower, value: "7")])
        #expect(fields.onlyValue(of: .retryAfter) == "7")
        #expect(fields.onlyValue(of: .age) == "1")
    }

    @Test("is none of several, not even of equal ones", arguments: [["1", "2"], ["1", "1"], ["", ""]])
    func several(values: [String]) {
        #expect(HTTPFields(values.map { HTTPField(name: .age, value: $0) }).onlyValue(of: .age) == nil)
    }

    @Test("is none of what is not there, and the empty one where that is there") func none() {
        #expect(HTTPFields().onlyValue(of: .age) == nil)
        #expect(HTTPFields([HTTPField(name: .date, value: "x")]).onlyValue(of: .age) == nil)
        #expect(HTTPFields([HTTPField(name: .age, value: "")]).onlyValue(of: .age) == "")
    }
}
