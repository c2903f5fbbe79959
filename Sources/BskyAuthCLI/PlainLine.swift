internal import ATPJSON
internal import ArgumentParser

/// A command line with only words, the options of every command and the commonest flags of `call`, in their usual forms.
///
/// Some commands are made directly from it, because the parser takes almost as long as the rest of a call.
struct PlainLine {
    private var words: ArraySlice<String> = []
    private(set) var global: GlobalOptions
    private var (include, items) = (false, false)

    /// Nil if the line has anything else.
    init?(_ arguments: [String]) {
        guard let none = try? GlobalOptions(from: PlainDecoder()) else { return nil }
        global = none
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "-a", "--account":
                guard let name = rest.popFirst(), !name.hasPrefix("-") else { return nil }
                global.account = name
            case "--json": global.json = true
            case "-q", "--quiet": global.quiet = true
            case "-v", "--verbose": global.verbose = true
            case "--no-input": global.noInput = true
            case "--no-pager": global.noPager = true
            case "-i" where !words.isEmpty, "--include" where !words.isEmpty: include = true
            case "--items" where !words.isEmpty: items = true
            default:
                guard !argument.hasPrefix("-") || argument == "-" else { return nil }
                words.append(argument)
            }
        }
    }

    /// The command that the words make; nil for another command, or if the parser must report an error.
    var command: (any ContextCommand)? {
        let (first, rest) = (words.first, words.dropFirst())
        if first == "call" || first == "xrpc" {
            var command = make(CallCommand.self, rest)
            command?.include = include
            command?.paging.items = items
            return command
        }
        guard !include, !items else { return nil }
        switch (first, rest.first) {
        case ("accounts", "current"): return make(AccountsCurrentCommand.self, rest.dropFirst())
        case ("accounts", let word):
            return make(AccountsListCommand.self, word == "list" ? rest.dropFirst() : rest)
        case ("switch", _): return make(SwitchCommand.self, rest)
        default: return nil
        }
    }

    /// The command with these arguments and the options of every command; nil if the parser must make it.
    func make<Command: ContextCommand>(_: Command.Type, _ words: ArraySlice<String>) -> Command? {
        let decoder = PlainDecoder()
        (decoder.words, decoder.global) = (words, global)
        guard var command = try? Command(from: decoder), decoder.words.isEmpty else { return nil }
        return (try? command.validate()).map { command }
    }
}

/// Gives each property of a command its value on a line without its option: false, nil or an empty list.
///
/// For a type that it doesn't know it throws, and the parser makes the command. It validates no group of options.
private final class PlainDecoder: Decoder {
    var words: ArraySlice<String> = []
    var global: GlobalOptions?
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    func container<K>(keyedBy: K.Type) -> KeyedDecodingContainer<K> {
        .init(PlainContainer<K>(decoder: self))
    }
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Unread() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Unread() }

    /// Types are compared, because a cast to a protocol searches all conformances of the program.
    func value<Value: Decodable>(_ type: Value.Type) throws -> Value? {
        if type == Flag<Bool>.self { return flag(Flag(wrappedValue: false), false) as? Value }
        if type == Option<String?>.self { return option(String?.none) as? Value }
        if type == Option<TimeLength?>.self { return option(TimeLength?.none) as? Value }
        if type == Option<ColorChoice>.self { return option(ColorChoice.auto) as? Value }
        if type == OptionGroup<GlobalOptions>.self, let global { return group(global) as? Value }
        if type == Argument<String?>.self { return argument(words.popFirst()) as? Value }
        if type == OptionGroup<GetOption>.self { return group(try GetOption(from: self)) as? Value }
        if type == Option<JSONPath?>.self { return option(JSONPath?.none) as? Value }
        if type == Option<Int?>.self { return option(Int?.none) as? Value }
        if type == Argument<String>.self { return words.popFirst().flatMap { argument($0) as? Value } }
        if type == Argument<[String]>.self {
            defer { words = [] }
            return argument(Array(words)) as? Value
        }
        if type == Option<[String]>.self { return option([String]()) as? Value }
        if type == Option<CallCommand.Method?>.self { return option(CallCommand.Method?.none) as? Value }
        typealias Service = ServiceOptions.WellKnown?
        if type == Flag<Service>.self { return flag(Flag(help: nil), Service.none) as? Value }
        if type == OptionGroup<ServiceOptions>.self { return group(try ServiceOptions(from: self)) as? Value }
        if type == OptionGroup<AudienceOption>.self { return group(try AudienceOption(from: self)) as? Value }
        if type == OptionGroup<PagingOptions>.self { return group(try PagingOptions(from: self)) as? Value }
        if type == OptionGroup<RetryOptions>.self { return group(try RetryOptions(from: self)) as? Value }
        if type == OptionGroup<MirrorOptions>.self { return group(try MirrorOptions(from: self)) as? Value }
        if type == OptionGroup<BundleOptions>.self { return group(try BundleOptions(from: self)) as? Value }
        return try Value(from: self)
    }

    private func flag<Value>(_ flag: consuming Flag<Value>, _ value: Value) -> Flag<Value> {
        flag.wrappedValue = value
        return flag
    }

    private func option<Value: SendableMetatype>(_ value: Value) -> Option<Value> {
        var option = Option(wrappedValue: value, transform: { _ in throw Unread() })
        option.wrappedValue = value
        return option
    }

    private func argument<Value: SendableMetatype>(_ value: Value) -> Argument<Value> {
        var argument = Argument(wrappedValue: value, transform: { _ in throw Unread() })
        argument.wrappedValue = value
        return argument
    }

    private func group<Value>(_ value: Value) -> OptionGroup<Value> {
        var group = OptionGroup<Value>(title: "")
        group.wrappedValue = value
        return group
    }
}

private struct PlainContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: PlainDecoder
    let codingPath: [any CodingKey] = []
    let allKeys: [Key] = []

    func contains(_: Key) -> Bool { true }
    func decodeNil(forKey: Key) -> Bool { false }
    func decode<Value: Decodable>(_ type: Value.Type, forKey: Key) throws -> Value {
        if let value = try decoder.value(type) { value } else { throw Unread() }
    }
    func nestedContainer<K>(keyedBy type: K.Type, forKey: Key) -> KeyedDecodingContainer<K> {
        decoder.container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey: Key) throws -> any UnkeyedDecodingContainer { throw Unread() }
    func superDecoder() -> any Decoder { decoder }
    func superDecoder(forKey: Key) -> any Decoder { decoder }
}

private struct Unread: Error {}
