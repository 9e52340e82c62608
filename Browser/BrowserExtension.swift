// SPDX-License-Identifier: Apache-2.0

/// The extension for browsers; its files stand beside this one.
public enum BrowserExtension {
    /// The name of the native messaging host that the extension talks to.
    public static let hostName = "io.countersign.hub"
    /// Chromium's id of the extension: the hash of `key` in its manifest.
    public static let chromiumID = "eogdeaaobaedbhjhlkkkmbmhphibdcnb"
    /// Firefox's id of the extension, from its manifest.
    public static let firefoxID = "hub@countersign.example"

    /// All files, by their names.
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
