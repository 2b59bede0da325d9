/** Writes `docs/providers.md` from the vendors' data. A test fails when it is not what the data says. */
import { writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { providersDocument } from "../packages/gateway/src/providers/catalogue/ProvidersDocument.ts"

const root = join(import.meta.dirname, "..")
const file = join(root, "docs", "providers.md")
const text = providersDocument()
writeFileSync(file, text)
console.log(`wrote ${relative(root, file)}: ${text.split("\n## ").length - 2} vendors`)
