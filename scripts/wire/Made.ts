/** The files that are made from the API's description: path → text. */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { openApiJson } from "@model-gateway/protocol"
import { go } from "./Go.ts"
import { readDocument } from "./Operations.ts"
import { python } from "./Python.ts"
import { typescript } from "./TypeScript.ts"
import { wireList } from "./WireList.ts"

export const made = (root: string): ReadonlyMap<string, string> => {
  const openapi = openApiJson()
  const document = readDocument(openapi)
  const files = new Map([
    [join(root, "packages", "protocol", "openapi.json"), openapi],
    [
      join(root, "packages", "conformance", "wire.json"),
      formatted(root, "wire.json", JSON.stringify(wireList(document)))
    ]
  ])
  for (const [name, text] of typescript(document)) {
    files.set(join(root, "packages", "client", "src", "wire", name), formatted(root, name, text))
  }
  for (const [name, text] of python(document)) {
    files.set(join(root, "packages", "python", "src", "model_gateway_client", "wire", name), text)
  }
  for (const [name, text] of go(document)) files.set(join(root, "packages", "go", name), text)
  return files
}

/** As `npm run format` would leave it. */
const formatted = (root: string, name: string, text: string): string => {
  const { error, status, stderr, stdout } = spawnSync(
    join(root, "node_modules", ".bin", "oxfmt"),
    ["--stdin-filepath", name],
    { cwd: root, input: text, encoding: "utf8" }
  )
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`oxfmt ${name}: ${stderr}`)
  return stdout
}
