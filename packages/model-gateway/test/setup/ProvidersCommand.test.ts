import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { knownVendors } from "../../../gateway/src/providers/vendors/Vendors.ts"
import { folder, run } from "../Support.ts"

const ran = (...args: ReadonlyArray<string>) =>
  Effect.scoped(Effect.flatMap(folder, (cwd) => run(["providers", ...args], { cwd })))

describe("providers", () => {
  it.live("lists all vendors, one a line", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* ran()
      assert.strictEqual(code, 0)
      for (const { name } of knownVendors) assert.match(stdout, new RegExp(`^${name} `, "m"))
      assert.match(stdout, /^groq +recorded +GROQ_API_KEY +- +chat, /m)
      assert.match(stdout, /^cloudflare +documented +CLOUDFLARE_API_KEY +account_id /m)
    })
  )

  it.live("shows one with its settings and sources", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* ran("azure")
      assert.strictEqual(code, 0)
      for (const part of ["api_version", "AZURE_CLIENT_SECRET", "https://learn.microsoft.com/", "base_model: gpt-5"])
        assert.include(stdout, part)
    })
  )

  it.live("gives programs the same as JSON", () =>
    Effect.gen(function* () {
      const all = JSON.parse((yield* ran("--json")).stdout).providers
      assert.includeMembers(
        all.map(({ name }: { readonly name: string }) => name),
        knownVendors.map(({ name }) => name)
      )
      assert.deepInclude(JSON.parse((yield* ran("groq", "--json")).stdout), {
        name: "groq",
        keyVariable: "GROQ_API_KEY"
      })
    })
  )

  it.live("names the nearest where there is none", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* ran("azzure")
      assert.strictEqual(code, 1)
      assert.include(stderr, 'There is no vendor "azzure"; did you mean azure?')
    })
  )
})
