/** The extension as it is installed: its files, its manifest, and that it starts in an editor that has little. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { inflateRawSync } from "node:zlib"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { makeVsix } from "../../../../scripts/vsix/Vsix.ts"
import { stubVscode } from "../support/StubVscode.ts"

const MOST_BYTES = 300_000

/** Name → text, read from the archive's directory. */
const unzipped = (archive: Buffer): ReadonlyMap<string, Buffer> => {
  const files = new Map<string, Buffer>()
  const end = archive.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"))
  let at = archive.readUInt32LE(end + 16)
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const [size, nameLength] = [archive.readUInt32LE(at + 20), archive.readUInt16LE(at + 28)]
    const local = archive.readUInt32LE(at + 42)
    const name = archive.toString("utf8", at + 46, at + 46 + nameLength)
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
    files.set(name, inflateRawSync(archive.subarray(start, start + size)))
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
  }
  return files
}

interface Manifest {
  readonly main: string
  readonly engines: { readonly vscode: string }
  readonly contributes: {
    readonly commands: ReadonlyArray<{ readonly command: string }>
    readonly menus: Readonly<Record<string, ReadonlyArray<{ readonly command: string }>>>
    readonly languageModelChatProviders: ReadonlyArray<{ readonly vendor: string; readonly managementCommand: string }>
    readonly viewsWelcome: ReadonlyArray<{ readonly contents: string }>
    readonly configuration: { readonly properties: Readonly<Record<string, { readonly scope: string }>> }
  }
  readonly [field: string]: unknown
}

let archive: Buffer
let files: ReadonlyMap<string, Buffer>
let manifest: Manifest

beforeAll(async () => {
  archive = readFileSync(await makeVsix())
  files = unzipped(archive)
  manifest = JSON.parse(files.get("extension/package.json")?.toString() ?? "")
})

const code = (): string => files.get("extension/dist/extension.cjs")?.toString() ?? ""

/** The extension, started in an editor of that kind. */
const started = (kind: Parameters<typeof stubVscode>[0]) => {
  const stub = stubVscode(kind)
  const require = createRequire(import.meta.url)
  const module: { exports: { activate?: (context: object) => void } } = { exports: {} }
  const load = new Function("require", "module", "exports", code())
  load((name: string) => (name === "vscode" ? stub.vscode : require(name)), module, module.exports)
  module.exports.activate?.(stub.context)
  return stub
}

describe("the .vsix", () => {
  it("is small, and holds one bundled file and what the editor shows", () => {
    assert.isBelow(archive.length, MOST_BYTES)
    assert.deepStrictEqual([...files.keys()].toSorted(), [
      "[Content_Types].xml",
      "extension.vsixmanifest",
      "extension/LICENSE.txt",
      "extension/README.md",
      "extension/dist/extension.cjs",
      "extension/media/chat.png",
      "extension/media/gateway.svg",
      "extension/media/icon.png",
      "extension/media/tree.png",
      "extension/package.json"
    ])
  })

  it("is the same when it is made again", async () => {
    assert.isTrue(readFileSync(await makeVsix()).equals(archive))
  })

  it("needs nothing but the editor and Node", () => {
    const needed = new Set(Array.from(code().matchAll(/require\(["'`]([^"'`]+)["'`]\)/g), ([, name]) => name))
    assert.deepStrictEqual([...needed].toSorted(), ["node:crypto", "vscode"])
    for (const field of ["dependencies", "devDependencies", "enabledApiProposals", "private", "scripts"]) {
      assert.notProperty(manifest, field)
    }
  })

  it("is described to the editor as its manifest says", () => {
    const described = files.get("extension.vsixmanifest")?.toString() ?? ""
    const { engines, name, publisher, version } = JSON.parse(
      readFileSync(join(import.meta.dirname, "..", "..", "package.json"), "utf8")
    )
    assert.include(described, `Id="${name}" Version="${version}" Publisher="${publisher}"`)
    assert.include(described, `Code.Engine" Value="${engines.vscode}"`)
    for (const [, path = ""] of described.matchAll(/Path="([^"]+)"/g)) assert.isTrue(files.has(path), path)
  })

  it("shows pictures that are in it", () => {
    const readme = files.get("extension/README.md")?.toString() ?? ""
    const pictures = Array.from(readme.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g), ([, path]) => `extension/${path}`)
    assert.isAbove(pictures.length, 1)
    for (const path of pictures) assert.isTrue(files.has(path), path)
  })
})

describe("the manifest", () => {
  it("has every command that the extension registers, and no other", () => {
    const { commands } = started("new")
    assert.deepStrictEqual(commands.toSorted(), manifest.contributes.commands.map(({ command }) => command).toSorted())
  })

  it("names no command that there is not", () => {
    const { commands, languageModelChatProviders, menus, viewsWelcome } = manifest.contributes
    const known = new Set(commands.map(({ command }) => command))
    const named = [
      ...Object.values(menus).flatMap((items) => items.map(({ command }) => command)),
      ...languageModelChatProviders.map(({ managementCommand }) => managementCommand),
      ...viewsWelcome.flatMap(({ contents }) => Array.from(contents.matchAll(/command:([\w.]+)/g), ([, name]) => name))
    ]
    assert.isAbove(named.length, 5)
    for (const name of named) assert.isTrue(known.has(name ?? ""), name)
  })

  it("lets no folder that somebody opens choose the gateway", () => {
    for (const { scope } of Object.values(manifest.contributes.configuration.properties)) {
      assert.strictEqual(scope, "application")
    }
  })

  it("registers its models under the vendor that it names", () => {
    const [provider] = manifest.contributes.languageModelChatProviders
    assert.deepStrictEqual(started("new").vendors, [provider?.vendor])
  })
})

describe("an editor that takes no models from extensions", () => {
  it("says so, and has the rest", () => {
    const { commands, said, vendors } = started("without models")
    assert.deepStrictEqual(vendors, [])
    assert.isAbove(commands.length, 10)
    assert.match(said[0] ?? "", /takes no models from extensions; VS Code does from 1\.104 on/)
  })
})
