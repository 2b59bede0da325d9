/**
 * The editor extension as one `.vsix`: the sources and the client in one file, with the manifest that VS Code reads. What
 * `@vscode/vsce` would do with some hundred packages more, of which most sign in and publish.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { rolldown } from "rolldown"
import { zip, type ZipFile } from "./Zip.ts"

const root = join(import.meta.dirname, "..", "..")
const folder = join(root, "packages", "vscode")

interface Manifest {
  readonly name: string
  readonly displayName: string
  readonly version: string
  readonly description: string
  readonly publisher: string
  readonly main: string
  readonly icon: string
  readonly categories: ReadonlyArray<string>
  readonly keywords: ReadonlyArray<string>
  readonly engines: { readonly vscode: string }
  readonly extensionKind: ReadonlyArray<string>
}

/** The bundle is the only code; CommonJS, which every VS Code loads. */
const bundle = async (file: string): Promise<void> => {
  const build = await rolldown({
    input: join(folder, "src", "extension.ts"),
    platform: "node",
    external: ["vscode"],
    resolve: { conditionNames: ["model-gateway-source", "node", "import", "default"] }
  })
  await build.write({ file, format: "cjs", minify: true, codeSplitting: false })
  await build.close()
}

/** What only this repository needs is left out: the extension has no dependency. */
const published = (manifest: Manifest): object => {
  const { devDependencies: _, private: __, type: ___, ...rest } = manifest as Manifest & Record<string, unknown>
  return rest
}

const xml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll(`"`, "&quot;")

/** https://code.visualstudio.com/api/working-with-extensions/publishing-extension: what the editor and the marketplace list it by. */
const packageManifest = (manifest: Manifest): string => {
  const { categories, description, displayName, engines, extensionKind, icon, keywords, name, publisher, version } =
    manifest
  const property = (id: string, value: string) => `<Property Id="Microsoft.VisualStudio.${id}" Value="${xml(value)}" />`
  const asset = (type: string, path: string) =>
    `<Asset Type="Microsoft.VisualStudio.${type}" Path="extension/${xml(path)}" Addressable="true" />`
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${xml(name)}" Version="${xml(version)}" Publisher="${xml(publisher)}" />
    <DisplayName>${xml(displayName)}</DisplayName>
    <Description xml:space="preserve">${xml(description)}</Description>
    <Tags>${xml(keywords.join(","))}</Tags>
    <Categories>${xml(categories.join(","))}</Categories>
    <Properties>
      ${property("Code.Engine", engines.vscode)}
      ${property("Code.ExtensionDependencies", "")}
      ${property("Code.ExtensionPack", "")}
      ${property("Code.ExtensionKind", extensionKind.join(","))}
    </Properties>
    <License>extension/LICENSE.txt</License>
    <Icon>extension/${xml(icon)}</Icon>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code" /></Installation>
  <Dependencies />
  <Assets>
    ${asset("Code.Manifest", "package.json")}
    ${asset("Services.Content.Details", "README.md")}
    ${asset("Services.Content.License", "LICENSE.txt")}
    ${asset("Services.Icons.Default", icon)}
  </Assets>
</PackageManifest>
`
}

const TYPES = [".json", ".vsixmanifest", ".cjs", ".md", ".txt", ".png", ".svg"]
const mimeOf: Readonly<Record<string, string>> = {
  ".json": "application/json",
  ".vsixmanifest": "text/xml",
  ".cjs": "application/javascript",
  ".md": "text/markdown",
  ".txt": "text/plain",
  ".png": "image/png",
  ".svg": "image/svg+xml"
}

const contentTypes = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${TYPES.map(
  (type) => `<Default Extension="${type}" ContentType="${mimeOf[type]}" />`
).join("")}</Types>
`

/** → its path. */
export const makeVsix = async (): Promise<string> => {
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const dist = join(folder, "dist")
  mkdirSync(dist, { recursive: true })
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"))
  await bundle(join(folder, manifest.main))
  const text = (name: string, content: string): ZipFile => ({ name, bytes: Buffer.from(content) })
  const file = (name: string, path = name): ZipFile => ({
    name: `extension/${name}`,
    bytes: readFileSync(join(folder, path))
  })
  const main = manifest.main.replace("./", "")
  const archive = zip([
    text("[Content_Types].xml", contentTypes),
    text("extension.vsixmanifest", packageManifest(manifest)),
    text("extension/package.json", `${JSON.stringify(published(manifest), null, 2)}\n`),
    file("README.md"),
    file("LICENSE.txt", "LICENSE"),
    file(main),
    ...readdirSync(join(folder, "media"))
      .toSorted()
      .map((name) => file(`media/${name}`))
  ])
  const path = join(dist, `${manifest.name}-${manifest.version}.vsix`)
  writeFileSync(path, archive)
  return path
}
