/** Whether the dashboard's build is what its sources say. Plain JavaScript: `setup.mjs` runs on any Node. */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** @param {string} folder @returns {Array<string>} */
const filesBelow = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? filesBelow(path) : [path]
    })
    .sort()

/** @param {string} root @returns {{ digest: string, isBuilt: boolean }} What the build's `.sources` must say, and whether it does. */
export const sourcesOf = (root) => {
  const folder = join(root, "packages", "dashboard")
  const hash = createHash("sha256")
  const files = [...filesBelow(join(folder, "src")), join(folder, "index.html"), join(root, "scripts", "dashboard.ts")]
  for (const file of files) hash.update(file.slice(root.length)).update("\0").update(readFileSync(file)).update("\0")
  const digest = hash.digest("hex")
  let built = ""
  try {
    built = readFileSync(join(root, "packages", "gateway", "dist", "ui", ".sources"), "utf8")
  } catch {
    // There is none yet.
  }
  return { digest, isBuilt: built === digest }
}
