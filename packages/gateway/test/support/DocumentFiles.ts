/** The documents that people read, as they are in the repository. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

export const root = join(import.meta.dirname, "../../../..")

/** What the gateway serves, too: `README.md`, `docs/errors.md`, `docs/errors/not_found.md` … */
export const servedDocuments: ReadonlyArray<string> = [
  "README.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`)
    .toSorted()
]

/** Those, and what only the repository has. */
export const allDocuments: ReadonlyArray<string> = [
  ...servedDocuments,
  "CONTRIBUTING.md",
  ...readdirSync(join(root, "packages"))
    .map((name) => `packages/${name}/README.md`)
    .filter((name) => existsSync(join(root, name)))
]

export const readDocument = (name: string): string => readFileSync(join(root, name), "utf8")
