/**
 * Which part of the product may use which, checked on the syntax tree of every file under a package's `src`. The
 * rules are data: a new folder or package is a line here, and one that has no line is an error.
 *
 * Run by a test; by hand: `node scripts/check-imports.ts` prints what is wrong as `file:line: what and why`.
 */
import { globSync, readFileSync } from "node:fs"
import { join, posix, sep } from "node:path"
import { type ESTree, parseSync, Visitor } from "vite"

export interface SourceFile {
  /** From the repository's root, with `/`: `packages/gateway/src/core/Money.ts`. */
  readonly path: string
  readonly text: string
}

export interface Violation {
  readonly file: string
  /** From 1. */
  readonly line: number
  readonly message: string
}

interface Rule {
  /** Other folders of the same package; "all" where the parts are put together. */
  readonly folders: ReadonlyArray<string> | "all"
  /** Whether a package or built-in module may be imported, by its name as written. */
  readonly modules: (name: string) => boolean
  /** Says what is allowed. */
  readonly because: string
}

const scope = "@model-gateway/"
const isProduct = (name: string): boolean => name.startsWith(scope)
const isEffect = (name: string): boolean => name === "effect" || name.startsWith("effect/")
const usesProtocol = (name: string): boolean =>
  !isProduct(name) || name === `${scope}protocol` || name === `${scope}protocol/files`
/** What would tie the rules of the gateway to a server, a database or a vendor's connection. */
const isOuterWorld = (name: string): boolean =>
  /^(effect\/(http|http-api|sql|cli)(\/|$)|@effect\/|undici$|node:(http|https|http2|net|tls|sqlite)(\/|$))/.test(name)

const outer: Rule = {
  folders: ["core"],
  modules: usesProtocol,
  because: "a folder may import core and @model-gateway/protocol, never another folder"
}
const all: Rule = {
  folders: "all",
  modules: usesProtocol,
  because: "of the product's packages only @model-gateway/protocol"
}
const onTheWire: Rule = {
  folders: "all",
  modules: (name) =>
    name !== `${scope}protocol` && name !== `${scope}gateway` && !/^@model-gateway\/(protocol|gateway)\//.test(name),
  because: "a client knows the gateway by its wire format only"
}

/** A package that visits the gateway: it is built from the gateway's sources, never published as a library. */
const visitor = (...packages: ReadonlyArray<string>): Rule => ({
  folders: "all",
  modules: (name) =>
    usesProtocol(name) || ["gateway/internal", ...packages].some((one) => name.startsWith(`${scope}${one}/`)),
  because: `of the product's packages only ${["protocol", "gateway/internal", ...packages].join(", ")}`
})

/** The editor extension: VS Code is known where it is adapted and where everything is put together, nowhere else. */
const isOfTheExtension = (name: string): boolean => name === `${scope}client` || name === "node:crypto"
const inTheEditor: Rule = {
  folders: "all",
  modules: (name) => name === "vscode" || isOfTheExtension(name),
  because: "the extension asks through the client alone"
}

/** Package → folder → rule. The folder of a file directly in `src` is "". "*": every folder of that package. */
const rules: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  protocol: {
    files: { folders: [], modules: (name) => name === "node:zlib", because: "files may import node:zlib only" },
    "*": { folders: "all", modules: isEffect, because: "protocol may import effect only" }
  },
  gateway: {
    core: {
      folders: [],
      modules: (name) => usesProtocol(name) && !isOuterWorld(name),
      because:
        "core may import @model-gateway/protocol, no other folder, and knows no HTTP server, no SQL and no vendor"
    },
    classifier: outer,
    providers: outer,
    storage: outer,
    telemetry: outer,
    http: outer,
    config: outer,
    testing: all,
    "": all
  },
  "model-gateway": { "*": visitor("import-litellm", "router-lab") },
  "import-litellm": { "*": visitor() },
  "router-lab": { "*": visitor() },
  client: {
    effect: {
      ...onTheWire,
      modules: (name) => name !== `${scope}gateway`,
      because: "the effect entry may import the protocol"
    },
    "*": onTheWire
  },
  conformance: { "*": onTheWire },
  langchain: { "*": onTheWire },
  vscode: {
    adapter: inTheEditor,
    "": inTheEditor,
    "*": {
      folders: "all",
      modules: isOfTheExtension,
      because: "of the extension only the folder adapter knows VS Code, and it asks through the client alone"
    }
  },
  dashboard: {
    "*": {
      folders: "all",
      modules: (name) => name === `${scope}protocol` || /^preact(\/|$)/.test(name),
      because: "the dashboard is made of Preact, and knows the gateway by the protocol's types"
    }
  }
}

/** The folders of `core`: each may import from itself and from those before it. */
export const coreFolders = [
  "collections",
  "media",
  "domain",
  "operations",
  "bounds",
  "grants",
  "keys",
  "limits",
  "kept",
  "ledger",
  "pool",
  "routing",
  "receipts",
  "admin",
  "responses",
  "guardrails",
  "cache",
  "call"
] as const

/** `packages/gateway/src/core/ledger/Spend.ts` → its place among them; -1: none; undefined: not in `core`. */
const coreFolderOf = (path: string): number | undefined => {
  const [, folder] = /^packages\/gateway\/src\/core\/(?:([^/]+)\/)?/.exec(path) ?? []
  return path.startsWith("packages/gateway/src/core/") ? coreFolders.indexOf(folder as never) : undefined
}

/** What packages export beside their own `src/index.ts`. */
const entries: ReadonlySet<string> = new Set([
  "packages/client/src/ai/index.ts",
  "packages/client/src/effect/index.ts",
  "packages/client/src/openai/index.ts",
  "packages/gateway/src/testing/index.ts",
  "packages/protocol/src/files/index.ts"
])

/** These may use the process's own clock, chance and environment: nothing of Effect's is at hand, or it is where it comes from. */
const mayTouchGlobals = (packageName: string): boolean =>
  ["client", "conformance", "dashboard", "langchain", "model-gateway", "vscode"].includes(packageName)

const insteadOf: Readonly<Record<string, string>> = {
  "process.env": "take it from Config or the configuration file",
  console: "log with Effect",
  "Date.now": "use Clock",
  "new Date()": "use Clock or DateTime.now",
  "Math.random": "use Random",
  setTimeout: "use Effect.sleep or Schedule",
  setInterval: "use Schedule"
}
/** Modules that hold the same things under other names. */
const sameThings: Readonly<Record<string, string>> = {
  "node:timers": "setTimeout",
  "node:timers/promises": "setTimeout",
  "node:console": "console"
}

/** Imported as a module it loads what `fetch` and `WebSocket` need. */
const isHttpOfNode = (node: ESTree.ImportDeclaration): boolean =>
  node.source.value === "node:http" &&
  node.importKind !== "type" &&
  node.specifiers.some((specifier) => specifier.type !== "ImportSpecifier" || specifier.importKind !== "type")

/** `packages/gateway/src/core/Money.ts` → gateway, core; undefined outside of a package's `src`. */
const placeOf = (path: string): { readonly packageName: string; readonly folder: string } | undefined => {
  const [packages, packageName, src, ...rest] = path.split("/")
  if (packages !== "packages" || packageName === undefined || src !== "src" || rest.length === 0) return undefined
  return { packageName, folder: rest.length > 1 ? (rest[0] ?? "") : "" }
}

const isNamed = (node: ESTree.Node | null, name: string): boolean =>
  node?.type === "Identifier"
    ? node.name === name
    : node?.type === "MemberExpression" && isNamed(node.object, "globalThis") && propertyOf(node) === name

const propertyOf = (node: ESTree.MemberExpression): string | undefined => {
  if (!node.computed) return node.property.type === "Identifier" ? node.property.name : undefined
  return node.property.type === "Literal" && typeof node.property.value === "string" ? node.property.value : undefined
}

/** The entry of `insteadOf` that `object.property` is, if any. */
const forbiddenMember = (object: ESTree.Node | null, property: string | undefined): string | undefined => {
  if (isNamed(object, "console")) return "console"
  const name = (["process", "Date", "Math"] as const).find((candidate) => isNamed(object, candidate))
  const key = `${name}.${property}`
  return key in insteadOf ? key : undefined
}

/** Everything in one file that breaks a rule, in the order of its lines. */
const checkFile = ({ path, text }: SourceFile): ReadonlyArray<Violation> => {
  const violations: Array<Violation> = []
  const report = (offset: number, message: string): void => {
    violations.push({ file: path, line: text.slice(0, offset).split("\n").length, message })
  }
  const place = placeOf(path)
  if (place === undefined) return []
  const { packageName, folder } = place
  const rule = rules[packageName]?.[folder] ?? rules[packageName]?.["*"]
  if (rule === undefined) {
    report(0, `no import rule for ${packageName}/src/${folder}: add one to scripts/check-imports.ts`)
    return violations
  }
  const coreFolder = coreFolderOf(path)
  if (coreFolder === -1) report(0, `is in no folder of core: ${coreFolders.join(", ")}`)
  const parsed = parseSync(path, text)
  for (const error of parsed.errors) report(error.labels[0]?.start ?? 0, `can't be read: ${error.message}`)

  const checkImport = (name: string, offset: number): void => {
    if (!name.startsWith(".")) {
      const global = mayTouchGlobals(packageName) ? undefined : sameThings[name]
      if (global !== undefined) report(offset, `imports ${name}: ${insteadOf[global]}`)
      if (!rule.modules(name)) report(offset, `imports ${name}: ${rule.because}`)
      return
    }
    const target = posix.join(posix.dirname(path), name)
    const to = placeOf(target)
    if (to === undefined || to.packageName !== packageName) {
      report(offset, `imports ${target}: only a package's own src may be imported by path`)
    } else if (to.folder !== folder && rule.folders !== "all" && !rule.folders.includes(to.folder)) {
      report(offset, `imports ${to.folder === "" ? posix.basename(target) : to.folder}: ${rule.because}`)
    } else if (coreFolder !== undefined && coreFolder >= 0 && (coreFolderOf(target) ?? 0) > coreFolder) {
      const because = `core/${coreFolders[coreFolder]} may import from the folders before it only: ${coreFolders.join(", ")}`
      report(offset, `imports ${target}: ${because}`)
    }
  }

  const isBarrel = /\/src\/.+\/index\.ts$/.test(path) && !entries.has(path)
  const checkBarrel = (offset: number): void => {
    if (isBarrel) report(offset, "re-exports below src/index.ts: import the module that defines it instead")
  }
  const checkGlobal = (key: string | undefined, offset: number): void => {
    if (key !== undefined && !mayTouchGlobals(packageName)) report(offset, `${key}: ${insteadOf[key]}`)
  }

  const imported = new Set<string>()
  new Visitor({
    ImportDeclaration(node) {
      checkImport(node.source.value, node.start)
      if (packageName === "gateway" && isHttpOfNode(node)) {
        report(
          node.start,
          "imports node:http: take its values from http/node/NodeHttp.ts, which says why; types may be imported"
        )
      }
      for (const specifier of node.specifiers) {
        imported.add(specifier.local.name)
        if (specifier.type !== "ImportSpecifier" || specifier.imported.type !== "Identifier") continue
        if (node.source.value === "node:process" && specifier.imported.name === "env")
          checkGlobal("process.env", node.start)
      }
    },
    ExportAllDeclaration(node) {
      checkImport(node.source.value, node.start)
      checkBarrel(node.start)
    },
    ExportNamedDeclaration(node) {
      if (node.source !== null) checkImport(node.source.value, node.start)
      const passesOn = node.specifiers.some(({ local }) => local.type === "Identifier" && imported.has(local.name))
      if (node.source !== null || passesOn) checkBarrel(node.start)
    },
    ImportExpression(node) {
      if (node.source.type === "Literal" && typeof node.source.value === "string")
        checkImport(node.source.value, node.start)
    },
    TSImportType(node) {
      checkImport(node.source.value, node.start)
    },
    MemberExpression(node) {
      checkGlobal(forbiddenMember(node.object, propertyOf(node)), node.start)
    },
    VariableDeclarator(node) {
      if (node.id.type !== "ObjectPattern") return
      for (const property of node.id.properties) {
        if (property.type !== "Property" || property.key.type !== "Identifier") continue
        checkGlobal(forbiddenMember(node.init, property.key.name), property.start)
      }
    },
    NewExpression(node) {
      if (isNamed(node.callee, "Date") && node.arguments.length === 0) checkGlobal("new Date()", node.start)
    },
    CallExpression(node) {
      // Called without `new`, Date ignores its arguments and tells the time.
      if (isNamed(node.callee, "Date")) checkGlobal("new Date()", node.start)
      checkGlobal(
        ["setTimeout", "setInterval"].find((timer) => isNamed(node.callee, timer)),
        node.start
      )
    }
  }).visit(parsed.program)
  return violations.toSorted((a, b) => a.line - b.line)
}

/** The files that each file imports by path, type-only imports included. */
const importsOf = ({ path, text }: SourceFile): ReadonlyArray<string> => {
  const found = new Set<string>()
  const add = (name: string): void => {
    if (name.startsWith(".")) found.add(posix.join(posix.dirname(path), name))
  }
  new Visitor({
    ImportDeclaration: (node) => add(node.source.value),
    ExportAllDeclaration: (node) => add(node.source.value),
    ExportNamedDeclaration: (node) => {
      if (node.source !== null) add(node.source.value)
    },
    TSImportType: (node) => add(node.source.value)
  }).visit(parseSync(path, text).program)
  return [...found]
}

/** Files that import each other, over whatever way: types that two files need belong below both. One violation for each circle. */
const circlesIn = (files: ReadonlyArray<SourceFile>): ReadonlyArray<Violation> => {
  const graph = new Map(files.map((file) => [file.path, importsOf(file)]))
  const violations: Array<Violation> = []
  const done = new Set<string>()
  const trail: Array<string> = []
  const visit = (path: string): void => {
    const at = trail.indexOf(path)
    if (at >= 0) {
      const circle = [...trail.slice(at), path].map((one) => posix.basename(one)).join(" → ")
      violations.push({ file: path, line: 1, message: `is in a circle: ${circle}` })
      return
    }
    if (done.has(path)) return
    trail.push(path)
    for (const next of graph.get(path) ?? []) visit(next)
    trail.pop()
    done.add(path)
  }
  for (const path of graph.keys()) visit(path)
  return violations
}

/** Everything in `files` that breaks a rule. Reads nothing but its argument. */
export const checkImports = (files: ReadonlyArray<SourceFile>): ReadonlyArray<Violation> => [
  ...files.flatMap(checkFile),
  ...circlesIn(files)
]

/** `file:line: what and why`. */
export const formatViolation = ({ file, line, message }: Violation): string => `${file}:${line}: ${message}`

/** All source files of all packages under `root`. */
export const readSources = (root: string): ReadonlyArray<SourceFile> =>
  globSync("packages/*/src/**/*.{ts,tsx}", { cwd: root })
    .toSorted()
    .map((path) => ({ path: path.split(sep).join("/"), text: readFileSync(join(root, path), "utf8") }))

if (import.meta.main) {
  const violations = checkImports(readSources(join(import.meta.dirname, "..")))
  for (const violation of violations) console.log(formatViolation(violation))
  process.exitCode = violations.length === 0 ? 0 : 1
}
