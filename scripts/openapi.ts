/**
 * Writes the OpenAPI document of the HTTP API, `packages/protocol/openapi.json`, from its description, and what the clients are
 * measured by or made of: the list of operations and fields, and the TypeScript client's types. All of it is committed, so that
 * others can generate clients from it; tests fail when it is not what the description says.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { made } from "./wire/Made.ts"

const root = join(import.meta.dirname, "..")
for (const [file, text] of made(root)) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  console.log(`wrote ${relative(root, file)}`)
}
