package import HTTPTypes

extension HTTPFields {
    /// The value of a field that appears once; nil if the field is missing or repeated. RFC 9110 §5.3 does not define which
    /// of several values counts.
    package func onlyValue(of name: HTTPField.Name) -> String? {
        let values = self[values: name]
        return values.count == 1 ? values[0] : nil
    }
}
