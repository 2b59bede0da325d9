/** The samples that are programs: compiled as a reader's would be, and run against a gateway where they need no more than that. */
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { root } from "../../support/DocumentFiles.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { pythonNotRun, typescriptNotRun, typescriptOnlyCompiled } from "./NotRun.ts"
import { ADDRESS, type Sample, samplesIn } from "./Samples.ts"

interface Ended {
  readonly code: number
  readonly output: string
}

const run = (
  program: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string | undefined>> }
): Effect.Effect<Ended> =>
  Effect.callback((resume) => {
    const child = execFile(program, args, { ...options, maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      resume(Effect.succeed({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr }))
    )
    return Effect.sync(() => child.kill())
  })

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "model-gateway-samples-"))
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  writeFileSync(join(folder, "package.json"), `{ "type": "module" }`)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const isHere = (program: string): boolean =>
  (process.env["PATH"] ?? "").split(delimiter).some((at) => existsSync(join(at, program)))

/** A gateway with the demo's models, and a reader's environment for it. */
const serving = Effect.gen(function* () {
  const { createKey, url } = yield* startGateway()
  const { secret } = yield* createKey()
  const env = { ...process.env, GATEWAY_API_KEY: secret, GATEWAY_BASE_URL: url }
  return { url, env }
})

const typescript = samplesIn("ts").filter(({ place }) => !typescriptNotRun.some(({ what }) => what.test(place)))

/** Samples that go on from a client which the reader has by then. */
const BEFORE = `import OpenAI from "openai"\nconst client = new OpenAI({ baseURL: "${ADDRESS}/v1", apiKey: process.env["GATEWAY_API_KEY"] })\n`

const programOf = ({ code }: Sample): string => (code.startsWith("import ") ? code : `${BEFORE}${code}`)

const isTest = ({ code }: Sample): boolean => code.includes("@effect/vitest")

const named = (sample: Sample): string => `${sample.place.replaceAll(/[^a-z0-9]+/gi, "-")}.ts`

describe("the samples in TypeScript", () => {
  it.live("compile under `strict`", () =>
    Effect.gen(function* () {
      const at = join(folder, "compiled")
      mkdirSync(at)
      for (const sample of typescript) writeFileSync(join(at, named(sample)), `${programOf(sample)}\nexport {}\n`)
      const compilerOptions = {
        target: "es2024",
        module: "nodenext",
        customConditions: ["model-gateway-source"],
        types: ["node"],
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        allowImportingTsExtensions: true
      }
      writeFileSync(join(at, "tsconfig.json"), JSON.stringify({ compilerOptions }))
      // The compiler has to find this one, and nothing else. What it says of the packages' own sources is not the reader's.
      writeFileSync(join(at, "wrong.ts"), `export const wrong: number = "text"\n`)
      const { output } = yield* run(join(root, "node_modules/.bin/tsc"), ["--project", at], { cwd: at })
      const found = output.split("\n").filter((line) => /^[\w-]+\.ts\(/.test(line))
      assert.lengthOf(found, 1, output)
      assert.include(found[0], "wrong.ts")
    })
  )

  it.live("run, each as it stands", () =>
    Effect.gen(function* () {
      const { env, url } = yield* serving
      const at = join(folder, "run")
      mkdirSync(at)
      const programs = typescript.filter(
        (sample) => !isTest(sample) && !typescriptOnlyCompiled.some(({ what }) => what.test(sample.code))
      )
      assert.isAbove(programs.length, 5)
      for (const sample of programs) {
        writeFileSync(join(at, named(sample)), programOf(sample).replaceAll(ADDRESS, url))
      }
      // In one process: each would load the same libraries again.
      const lines = programs.map(
        (sample) =>
          `await import("./${named(sample)}").catch((e) => { throw new Error("${sample.place}", { cause: e }) })`
      )
      writeFileSync(join(at, "all.ts"), lines.join("\n"))
      const args = ["--conditions=model-gateway-source", join(at, "all.ts")]
      const { code, output } = yield* run(process.execPath, args, { cwd: at, env })
      assert.strictEqual(code, 0, output)
    }).pipe(Effect.scoped)
  )
})

describe("the samples in Python", () => {
  const samples = samplesIn("python")
  const needs = ({ code }: Sample) => (code.includes("langchain") ? "langchain-python" : "python")
  const runs = samples.filter(({ code }) => !pythonNotRun.some(({ what }) => what.test(code)))
  /** Made by `npm test`, from the exact pins of each package, before these tests run. */
  const environmentOf = (sample: Sample) => join(root, "node_modules/.cache/model-gateway/python", needs(sample))
  const areMade = runs.every((sample) => existsSync(join(environmentOf(sample), "made-from")))

  it.live.skipIf(!isHere("python3"))("are Python", () =>
    Effect.gen(function* () {
      for (const { code, place } of samples) {
        const file = join(folder, "sample.py")
        writeFileSync(file, code)
        const parsed = yield* run("python3", ["-m", "py_compile", file], { cwd: folder })
        assert.strictEqual(parsed.code, 0, `${place}: ${parsed.output}`)
      }
    })
  )

  it.live.skipIf(!areMade)("run where they need what this repository has", () =>
    Effect.gen(function* () {
      const { env, url } = yield* serving
      for (const sample of runs) {
        const file = join(folder, "sample.py")
        writeFileSync(file, sample.code.replaceAll(ADDRESS, url))
        const { code, output } = yield* run(join(environmentOf(sample), "bin/python"), [file], { cwd: folder, env })
        assert.strictEqual(code, 0, `${sample.place}: ${output}`)
      }
    }).pipe(Effect.scoped)
  )
})

describe("the samples in Go", () => {
  it.live.skipIf(!isHere("go"))("run", () =>
    Effect.gen(function* () {
      const { env, url } = yield* serving
      for (const sample of samplesIn("go")) {
        const at = mkdtempSync(join(folder, "go-"))
        const module = "example.com/model-gateway/go"
        writeFileSync(join(at, "main.go"), sample.code.replaceAll(ADDRESS, url))
        writeFileSync(
          join(at, "go.mod"),
          `module sample\n\ngo 1.23\n\nrequire ${module} v0.0.0\n\nreplace ${module} => ${join(root, "packages/go")}\n`
        )
        const { code, output } = yield* run("go", ["run", "."], { cwd: at, env: { ...env, GOPROXY: "off" } })
        assert.strictEqual(code, 0, `${sample.place}: ${output}`)
      }
    }).pipe(Effect.scoped)
  )
})

describe("the excuses", () => {
  it("are needed, each of them", () => {
    const excused = [
      ...typescriptNotRun.map(({ what }) => samplesIn("ts").some(({ place }) => what.test(place))),
      ...typescriptOnlyCompiled.map(({ what }) => typescript.some(({ code }) => what.test(code))),
      ...pythonNotRun.map(({ what }) => samplesIn("python").some(({ code }) => what.test(code)))
    ]
    assert.notInclude(excused, false)
  })
})
