// SPDX-License-Identifier: Apache-2.0

/// The browser extension; its files are in this folder.
public enum BrowserExtension {
    /// The name of the native messaging host that the extension talks to.
    public static let hostName = "io.countersign.hub"
    /// The id of the extension in Chromium: the hash of `key` in its manifest.
    public static let chromiumID = "eogdeaaobaedbhjhlkkkmbmhphibdcnb"
    /// The id of the extension in Firefox, from its manifest.
    public static let firefoxID = "hub@countersign.example"

    /// All files of the extension, with their names.
    public static let files: [(name: String, bytes: [UInt8])] = [
        ("manifest.json", PackageResources.manifest_json),
        ("provider.js", PackageResources.provider_js),
        ("bridge.js", PackageResources.bridge_js),
        ("worker.js", PackageResources.worker_js),
        ("options.html", PackageResources.options_html),
        ("options.css", PackageResources.options_css),
        ("options.js", PackageResources.options_js),
        ("icon16.png", PackageResources.icon16_png),
        ("icon32.png", PackageResources.icon32_png),
        ("icon48.png", PackageResources.icon48_png),
        ("icon128.png", PackageResources.icon128_png),
    ]
}
