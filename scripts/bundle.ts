/**
 * Makes the package `model-gateway` of the gateway's sources: one program with nothing to install beside it. Split, so that what few
 * runs need (the tokenizer's table, the page of `/docs`, exporters, credentials of the clouds) is read by those only: one
 * single file took half as long again to start.
 */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join, relative } from "node:path"
import { type Plugin, rolldown } from "rolldown"
import { copyDocuments } from "./documents.ts"
import { billOf, type Manifest } from "./sbom.ts"

const root = join(import.meta.dirname, "..")
const folder = join(root, "packages", "model-gateway")

/** Directly below the package's `package.json`, as `src` is: the command reads its version there. */
const FILES = { entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" }

/** Files that are no modules, which a bundle has beside its code. */
const READ_AT_RUN_TIME = [
  "packages/gateway/assets/o200k.bin",
  "packages/gateway/assets/catalogue.json",
  "packages/gateway/assets/docs.html",
  "packages/gateway/assets/docs.js",
  "packages/gateway/assets/docs.css",
  "packages/gateway/src/storage/migrations/sqlite.sql",
  "packages/gateway/src/storage/migrations/postgres.sql"
]

/** Packages that are in such a file. */
const PACKAGES_OF_FILES = ["node_modules/gpt-tokenizer"]

/** What CommonJS inside asks for by name. */
const REQUIRE = `import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);`

/** `node_modules/@scope/name` of a bundled file; undefined for the product's own. */
const packageOf = (file: string): string | undefined => {
  const parts = relative(root, file).split("/")
  const start = parts.lastIndexOf("node_modules")
  if (start === -1) return undefined
  return parts.slice(0, start + (parts[start + 1]?.startsWith("@") === true ? 3 : 2)).join("/")
}

const manifestIn = (path: string): Manifest => JSON.parse(readFileSync(join(root, path, "package.json"), "utf8"))

/** Builds the pages, and is not in them. */
const BUILDS_PAGES = "vite"

/** Built into the pages of `/ui`, which are a bundle of their own. */
const packagesOfPages = (): ReadonlyArray<string> => {
  const { dependencies = {} }: { readonly dependencies?: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(root, "packages", "dashboard", "package.json"), "utf8")
  )
  return Object.keys(dependencies)
    .filter((name) => !name.startsWith("@model-gateway/") && name !== BUILDS_PAGES)
    .map((name) => `node_modules/${name}`)
}

const licenceText = (path: string): string =>
  readdirSync(join(root, path))
    .filter((name) => /^(licen[cs]e|copying|notice)/i.test(name))
    .map((name) => readFileSync(join(root, path, name), "utf8").trim())
    .join("\n\n")

const licences = (paths: ReadonlyArray<string>): string =>
  paths
    .map((path) => {
      const { name, version, license } = manifestIn(path)
      return `${name} ${version}\nLicence: ${license ?? "see below"}\n\n${licenceText(path)}`.trim()
    })
    .join(`\n\n${"-".repeat(80)}\n\n`)

/**
 * `export *` of CommonJS has no names that a bundler can see: the module of Effect that lets its clients load undici late would be empty, and
 * whatever calls another gateway would break. Its names are those that Node sees.
 */
const undiciByName: Plugin = {
  name: "undici-by-name",
  load: async (id) => {
    if (!id.endsWith("/@effect/platform-node/dist/Undici.js")) return undefined
    const names = Object.keys(await import("undici")).filter((name) => name !== "default" && /^\w+$/.test(name))
    return `import undici from "undici"\nexport default undici\nexport const { ${names.join(", ")} } = undici\n`
  }
}

/** HTTP/2 is 6 MB of a process, and files and webhooks need none: undici loads it with its first connection that speaks it. */
const http2Late: Plugin = {
  name: "http2-late",
  transform: (code, id) => {
    if (!id.endsWith("/undici/lib/dispatcher/client.js")) return undefined
    const early = "const connectH2 = require('./client-h2.js')"
    if (!code.includes(early)) throw new Error(`${id} loads HTTP/2 in another way: see http2Late`)
    return code.replace(early, "const connectH2 = (...given) => require('./client-h2.js')(...given)")
  }
}

/**
 * With one letter beyond Latin-1 in it, V8 keeps the text of a whole file in two bytes a letter. In strings, templates and regular
 * expressions an escape means the same, but for `String.raw` and behind a backslash.
 */
const inAscii: Plugin = {
  name: "in-ascii",
  generateBundle: (_options, output) => {
    for (const chunk of Object.values(output)) {
      if (chunk.type !== "chunk") continue
      const [found] = /String\.raw`[^`]*[\u0080-\uffff]|(?<!\\)(?:\\\\)*\\[\u0080-\uffff]/.exec(chunk.code) ?? []
      if (found !== undefined) throw new Error(`${chunk.fileName}: an escape would mean something else in ${found}`)
      const escaped = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`
      chunk.code = chunk.code.replaceAll(/[\u0080-\uffff]/g, escaped)
    }
  }
}

export const bundle = async (): Promise<void> => {
  const out = join(folder, "dist")
  rmSync(out, { recursive: true, force: true })
  const build = await rolldown({
    input: {
      main: join(root, "packages", "model-gateway", "src", "main.ts"),
      // Its own thread begins with this file.
      MediaThread: join(root, "packages", "gateway", "src", "core", "media", "MediaThread.ts")
    },
    platform: "node",
    resolve: { conditionNames: ["model-gateway-source", "node", "import", "default"] },
    plugins: [undiciByName, http2Late, inAscii],
    // Warnings are for the authors of the packages; an error ends the build.
    logLevel: "silent"
  })
  const { output } = await build.write({
    dir: out,
    format: "esm",
    minify: true,
    banner: REQUIRE,
    ...FILES
  })
  await build.close()
  const files = output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []))
  const bundled = files.map(packageOf).filter((path) => path !== undefined)
  const packages = [...new Set([...bundled, ...packagesOfPages(), ...PACKAGES_OF_FILES])].toSorted()
  writeFileSync(join(folder, "THIRD-PARTY-LICENSES"), `${licences(packages)}\n`)
  writeFileSync(join(folder, "sbom.cdx.json"), billOf(root, manifestIn("packages/model-gateway"), packages))
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"))
  // The bundle's files are in one folder, whatever folder their sources are in.
  copyDocuments(out)
  for (const file of READ_AT_RUN_TIME) cpSync(join(root, file), join(out, basename(file)))
  const ui = join(root, "packages", "gateway", "dist", "ui")
  if (existsSync(ui)) cpSync(ui, join(out, "ui"), { recursive: true })
}
