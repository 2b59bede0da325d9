/**
 * VS Code reads `chatLanguageModels.json` by the schema that its own "Custom Endpoint" contributes; code-server brings that editor, whole,
 * to npm. It is read here, not started.
 */
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Ajv } from "ajv"
import { Effect } from "effect"
import type { Client } from "../Client.ts"
import { demoGateway } from "../Gateways.ts"
import { npm } from "../Install.ts"
import { printed } from "./Printed.ts"

const CODE_SERVER = "4.139.1"
const contribution = "node_modules/code-server/lib/vscode/extensions/copilot/package.json"

interface Provider {
  readonly vendor: string
  readonly configuration: {
    readonly properties: { readonly models: { readonly items: { readonly properties: object } } }
  }
}

interface Group {
  readonly name: string
  readonly vendor: string
  readonly models: ReadonlyArray<object>
}

export const vscode: Client = {
  name: "code-server",
  version: CODE_SERVER,
  needs: ["node"],
  // Nothing of it runs, so nothing is built.
  install: npm({ "code-server": CODE_SERVER }, { scripts: "none" }),
  parts: ["connect"],
  run: (room) =>
    Effect.gen(function* () {
      const gateway = yield* demoGateway(room.scratch)
      const test = Effect.sync(() => {
        const groups: ReadonlyArray<Group> = JSON.parse(printed(gateway, "vscode", "demo/mini"))
        const manifest = JSON.parse(readFileSync(join(room.folder, contribution), "utf8"))
        const providers: ReadonlyArray<Provider> = manifest.contributes.languageModelChatProviders
        assert.equal(groups.length, 1)
        for (const { name, vendor, ...configuration } of groups) {
          const provider = providers.find((one) => one.vendor === vendor)
          assert.ok(provider, `VS Code has no provider ${vendor}.`)
          assert.equal(name, "Gateway")
          const validate = new Ajv({ strict: false, allErrors: true }).compile(provider.configuration)
          assert.ok(validate(configuration), JSON.stringify(validate.errors))
          const known = Object.keys(provider.configuration.properties.models.items.properties)
          for (const field of configuration.models.flatMap(Object.keys)) assert.ok(known.includes(field), field)
        }
      })
      yield* room.checks.check("the file is one by the editor's own schema", test)
    })
}
