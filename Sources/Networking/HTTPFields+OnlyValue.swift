package import HTTPTypes

extension HTTPFields {
    /// The value of a field that there is once. nil where it is missing, and where there are several: which of them
    /// counts is not said (RFC 9110 §5.3).
    ///
    /// The subscript joins several to one, for which the runtime looks through all types of the program.
    package func onlyValue(of name: HTTPField.Name) -> String? {
        var found: String?
        for field in self where field.name == name {
            guard found == nil else { return nil }
            found = field.value
        }
        return found
    }
}
