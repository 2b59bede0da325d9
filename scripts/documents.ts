/** The documents travel with what is built: a gateway serves them (`/llms.txt`, `/docs/errors.md` …). */
import { cpSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")

/** `folder`: where the code that reads them is. */
export const copyDocuments = (folder: string): void => {
  const target = join(folder, "documents")
  cpSync(join(root, "README.md"), join(target, "README.md"))
  cpSync(join(root, "docs"), join(target, "docs"), {
    recursive: true,
    filter: (file) => !/\.[a-z]+$/.test(file) || file.endsWith(".md")
  })
}
