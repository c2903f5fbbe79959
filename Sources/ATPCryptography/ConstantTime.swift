/// Comparison of secrets. The time does not depend on where the values differ.
package enum ConstantTime {
    package static func equals(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe Memory.equals(left, right, left.count)
    }
}
