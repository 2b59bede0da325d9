/**
 * Builds the dashboard into `packages/gateway/dist/ui`, from where the gateway serves it and packages take it along. `setup.mjs` runs this
 * when the sources have changed since. Fails where the pages would become slow to load.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, extname, join } from "node:path"
import { gzipSync } from "node:zlib"
import { build } from "vite"
import { sourcesOf } from "./dashboard-sources.mjs"

const root = join(import.meta.dirname, "..")
const source = join(root, "packages", "dashboard")

/** Bytes of scripts and styles, compressed by gzip, of the whole dashboard. */
const MOST_BYTES = 40_000

export const sizesIn = (folder: string): ReadonlyArray<{ readonly name: string; readonly bytes: number }> =>
  readdirSync(join(folder, "assets")).map((name) => ({
    name: name.replace(/-[\w-]{8}(?=\.\w+$)/, "").replace(extname(name), "") + extname(name),
    bytes: gzipSync(readFileSync(join(folder, "assets", name)), { level: 9 }).length
  }))

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
  const bytes = sizesIn(growing).reduce((sum, one) => sum + one.bytes, 0)
  if (bytes > MOST_BYTES) throw new Error(`the dashboard has ${bytes} bytes compressed, more than ${MOST_BYTES}`)
  writeFileSync(join(growing, ".sources"), digest)
  mkdirSync(dirname(out), { recursive: true })
  rmSync(out, { recursive: true, force: true })
  renameSync(growing, out)
}

if (import.meta.main) await buildDashboard(join(root, "packages", "gateway", "dist", "ui"))
