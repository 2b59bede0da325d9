/**
 * Builds the dashboard into `packages/gateway/dist/ui`, from where the gateway serves it and packages take it along. `setup.mjs` runs this
 * when the sources have changed since. Fails where the pages would become slow to load.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { gzipSync } from "node:zlib"
import { build } from "vite"
import { sourcesOf } from "./dashboard-sources.mjs"

const root = join(import.meta.dirname, "..")
const source = join(root, "packages", "dashboard")

/** Bytes of scripts and styles, compressed by gzip: of what every visit loads, and of each page that is loaded when it is opened. */
const MOST_FIRST = 40_000
const MOST_LAZY = 12_000

interface Size {
  readonly name: string
  readonly bytes: number
  /** Every visit loads it. */
  readonly isFirst: boolean
}

/** The files that a text names and the browser loads with it: not those of `import()`. */
const namedIn = (text: string): ReadonlyArray<string> =>
  Array.from(
    text.matchAll(/(?:src="|href="|from"|from "|import"|import ")\.\/(?:assets\/)?([\w.-]+)"/g),
    ([, name = ""]) => name
  )

export const sizesIn = (folder: string): ReadonlyArray<Size> => {
  const read = (name: string) => readFileSync(join(folder, "assets", name))
  const first = new Set<string>()
  const visit = (name: string): void => {
    if (first.has(name)) return
    first.add(name)
    namedIn(read(name).toString()).forEach(visit)
  }
  namedIn(readFileSync(join(folder, "index.html"), "utf8")).forEach(visit)
  return readdirSync(join(folder, "assets")).map((name) => ({
    name: name.replace(/-[\w-]{8}(?=\.\w+$)/, ""),
    bytes: gzipSync(read(name), { level: 9 }).length,
    isFirst: first.has(name)
  }))
}

export const sumOf = (sizes: ReadonlyArray<Size>): number => sizes.reduce((sum, { bytes }) => sum + bytes, 0)

/** What is too large, as a sentence. */
const tooLarge = (sizes: ReadonlyArray<Size>): string | undefined => {
  const first = sumOf(sizes.filter(({ isFirst }) => isFirst))
  if (first > MOST_FIRST) return `its first load has ${first} bytes compressed, more than ${MOST_FIRST}`
  const page = sizes.find(({ bytes, isFirst }) => !isFirst && bytes > MOST_LAZY)
  return page && `${page.name} has ${page.bytes} bytes compressed, more than ${MOST_LAZY}`
}

export const buildDashboard = async (out: string): Promise<void> => {
  const { digest } = sourcesOf(root)
  // Whoever reads meanwhile finds a whole one.
  const growing = join(root, "node_modules", ".cache", "model-gateway", "build", `dashboard-${process.pid}`)
  rmSync(growing, { recursive: true, force: true })
  await build({
    root: source,
    configFile: false,
    base: "./",
    logLevel: "error",
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: { outDir: growing, emptyOutDir: true, target: "es2023", modulePreload: false, assetsInlineLimit: 0 }
  })
  const problem = tooLarge(sizesIn(growing))
  if (problem !== undefined) throw new Error(`the dashboard would be slow to load: ${problem}`)
  writeFileSync(join(growing, ".sources"), digest)
  mkdirSync(dirname(out), { recursive: true })
  rmSync(out, { recursive: true, force: true })
  renameSync(growing, out)
}

if (import.meta.main) await buildDashboard(join(root, "packages", "gateway", "dist", "ui"))
