/// Base58 with Bitcoin's alphabet, the `z` of multibase.
enum Base58 {
    static func encode(_ bytes: [UInt8]) -> String {
        let digits = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")
        var number: [Int] = []
        for byte in bytes {
            var carry = Int(byte)
            for index in number.indices {
                carry += number[index] << 8
                number[index] = carry % 58
                carry /= 58
            }
            while carry > 0 {
                number.append(carry % 58)
                carry /= 58
            }
        }
        let zeros = bytes.prefix { $0 == 0 }.count
        return String(repeating: "1", count: zeros) + String(number.reversed().map { digits[$0] })
    }
}
