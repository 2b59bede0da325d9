import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { providersDocument } from "../../src/providers/catalogue/ProvidersDocument.ts"

it("docs/providers.md says what the vendors' files say: `npm run providers` writes it", () => {
  const written = readFileSync(join(import.meta.dirname, "../../../../docs/providers.md"), "utf8")
  assert.strictEqual(written, providersDocument())
})
