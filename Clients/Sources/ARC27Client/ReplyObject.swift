// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// An object of a reply, read by name and type; other members are ignored.
struct ReplyObject {
    /// The path of the object, such as `result.networks[0]`.
    let place: String
    private let object: JSONObject

    init(_ object: JSONObject, _ place: String) {
        self.object = object
        self.place = place
    }

    subscript(name: String) -> JSON? { object[name] }

    /// Returns an optional text.
    func optionalText(
        _ name: String, _ isAllowed: (String) -> Bool = { _ in true }
    ) throws(ARC27ClientError) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.text, isAllowed(text) else { throw wrong(name) }
        return text
    }

    /// Returns a required text.
    func text(
        _ name: String, _ isAllowed: (String) -> Bool = { _ in true }
    ) throws(ARC27ClientError) -> String {
        guard let text = try optionalText(name, isAllowed) else { throw missing(name) }
        return text
    }

    /// Returns an optional list of texts.
    func optionalTexts(
        _ name: String, _ isAllowed: (String) -> Bool
    ) throws(ARC27ClientError) -> [String]? {
        guard object[name] != nil else { return nil }
        return try texts(name, isAllowed)
    }

    /// Returns a required list of texts.
    func texts(
        _ name: String, _ isAllowed: (String) -> Bool
    ) throws(ARC27ClientError) -> [String] {
        var texts: [String] = []
        for element in try list(name) {
            guard let text = element.text, isAllowed(text) else { throw wrong(name) }
            texts.append(text)
        }
        return texts
    }

    /// Returns a required list of objects.
    func objects(_ name: String) throws(ARC27ClientError) -> [ReplyObject] {
        var objects: [ReplyObject] = []
        for element in try list(name) {
            guard let object = element.object else { throw wrong(name) }
            objects.append(ReplyObject(object, "\(place).\(name)[\(objects.count)]"))
        }
        return objects
    }

    /// Returns the elements of a required list.
    func list(_ name: String) throws(ARC27ClientError) -> [JSON] {
        guard let value = object[name] else { throw missing(name) }
        guard let list = value.list else { throw wrong(name) }
        guard list.count <= ARC27Client.itemCountMax else {
            throw .invalidReply(
                "\(place).\(name) has more than \(ARC27Client.itemCountMax) elements")
        }
        return list
    }

    private func missing(_ name: String) -> ARC27ClientError {
        .invalidReply("\(place).\(name) is missing")
    }

    private func wrong(_ name: String) -> ARC27ClientError {
        .invalidReply("\(place).\(name) does not have the form of ARC-27")
    }
}
