/**
 * The model catalogue, for maintainers.
 *
 *   npm run catalogue -- build              formats the vendors' files, and makes the shipped file and the JSON Schema of them
 *   npm run catalogue -- compare FILE…      prints where public tables differ: litellm's JSON, or what genai_table.py writes
 */
import { writeFileSync } from "node:fs"
import { relative } from "node:path"
import { differences } from "./Compare.ts"
import {
  builtCatalogue,
  JSON_SCHEMA,
  jsonSchemaText,
  printed,
  readVendor,
  SHIPPED,
  shippedText,
  sorted,
  vendorFiles
} from "./Files.ts"

const commands: { readonly [name: string]: (...files: ReadonlyArray<string>) => void } = {
  build: () => {
    for (const file of vendorFiles()) writeFileSync(file, `${printed(sorted(readVendor(file)))}\n`)
    const catalogue = builtCatalogue()
    const text = shippedText(catalogue)
    writeFileSync(SHIPPED, text)
    writeFileSync(JSON_SCHEMA, jsonSchemaText())
    const models = Object.keys(catalogue.models).length
    console.log(`wrote ${relative(".", SHIPPED)}: ${models} models, ${Buffer.byteLength(text)} bytes`)
  },
  compare: (...tables) => {
    for (const table of tables) {
      const found = differences(table, Date.now())
      console.log(`${table}: ${found.length} differences\n${found.join("\n")}`)
    }
  }
}

const [command = "", ...files] = process.argv.slice(2)
const run = commands[command]
if (run === undefined) {
  console.error(`npm run catalogue -- ${Object.keys(commands).join("|")}`)
  process.exitCode = 2
} else run(...files)
