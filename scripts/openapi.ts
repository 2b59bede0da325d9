/**
 * Writes the OpenAPI document of the HTTP API, `packages/protocol/openapi.json`, from its description. The document is
 * committed, so that others can generate clients from it; a test fails when it is not what the description says.
 */
import { writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { openApiJson } from "@model-gateway/protocol"

const root = join(import.meta.dirname, "..")
const file = join(root, "packages", "protocol", "openapi.json")
const text = openApiJson()
writeFileSync(file, text)
console.log(`wrote ${relative(root, file)}: ${Object.keys(JSON.parse(text).paths).length} paths`)
