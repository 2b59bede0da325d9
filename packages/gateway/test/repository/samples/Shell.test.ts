/** Every sample for a shell, typed as it stands: against a demo gateway, and those of an error against a gateway that gives it. */
import { execFile } from "node:child_process"
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { gatewayProcess, jsonLine } from "../../support/GatewayProcess.ts"
import { root } from "../../support/DocumentFiles.ts"
import { call } from "../../support/RawHttp.ts"
import { masterKey, startGateway, temporaryStore } from "../../support/RunningGateway.ts"
import { type Commands, commandsIn } from "./Commands.ts"
import { gatewayOf, notShown, type Shown } from "./ErrorStates.ts"
import { commandsNotRun, documentsNotTyped } from "./NotRun.ts"
import { ADDRESS, codeOf, type Sample, samplesIn } from "./Samples.ts"

const shell = samplesIn("sh").filter(({ document }) => !documentsNotTyped.some(({ what }) => what.test(document)))

/** What readers have by then, and these samples only name. */
const files: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "docs/migrate-litellm.md": {
    "config.yaml": `model_list:
  - { model_name: fast, litellm_params: { model: openai/gpt-5-mini, api_key: os.environ/OPENAI_API_KEY } }
general_settings: { master_key: os.environ/GATEWAY_MASTER_KEY }
`,
    "keys.csv": `token,key_alias,spend,models,rpm_limit\n${"a1".repeat(32)},ci,0,{},60\n`
  }
}

interface Reader {
  readonly folder: string
  readonly commands: Commands
  readonly url: string
  readonly masterKey: string
  readonly virtualKey: string
  readonly keyId: string
  readonly receiptId: string
}

/** What stands for something of the reader's own: `key_…`, `rcpt_…`, `mgw_…`, `OPENAI_API_KEY=…`. */
const filledIn = (code: string, reader: Reader): string =>
  code
    .replaceAll(ADDRESS, reader.url)
    .replaceAll("key_…", reader.keyId)
    .replaceAll("rcpt_…", reader.receiptId)
    .replaceAll("req_…", reader.receiptId.replace("rcpt_", "req_"))
    .replaceAll("mgw_…", reader.virtualKey)
    .replaceAll("=…", "=sk-of-the-reader")

interface Typed {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Each document's samples have a folder of their own. */
const folderOf = ({ document }: Pick<Sample, "document">, folder: string): string =>
  join(folder, document.replaceAll("/", "-"))

const typed = ({ code, document }: Sample, reader: Reader): Effect.Effect<Typed> =>
  Effect.callback((resume) => {
    const environment = {
      PATH: reader.commands.path,
      HOME: reader.folder,
      SAMPLE_COMMANDS: reader.commands.url,
      GATEWAY_URL: reader.url,
      GATEWAY_MASTER_KEY: reader.masterKey,
      GATEWAY_API_KEY: reader.virtualKey,
      OPENAI_API_KEY: "sk-of-the-reader",
      DATABASE_URL: "postgres://litellm@db.example.com/litellm"
    }
    const cwd = folderOf({ document }, reader.folder)
    mkdirSync(cwd, { recursive: true })
    for (const [name, text] of Object.entries(files[document] ?? {})) writeFileSync(join(cwd, name), text)
    const data = join(cwd, ".model-gateway")
    mkdirSync(data, { recursive: true })
    for (const name of ["gateway.db", "master-key", "virtual-key"]) {
      try {
        symlinkSync(join(reader.folder, "demo", name), join(data, name))
      } catch {
        // An earlier sample of this document has done so.
      }
    }
    execFile(
      join(reader.commands.path, "sh"),
      ["-euc", filledIn(code, reader)],
      { cwd, env: environment, maxBuffer: 1 << 26 },
      (error, stdout, stderr) => {
        resume(Effect.succeed({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }))
      }
    )
  })

const assertTyped = (sample: Sample, { code, stderr, stdout }: Typed): void => {
  assert.strictEqual(code, 0, `${sample.place} ended with ${code}:\n${stdout.slice(-2_000)}\n${stderr.slice(-2_000)}`)
  const wanted = codeOf(sample.document)
  if (wanted === undefined) assert.notMatch(stdout, /"error":\s*\{/, sample.place)
  else assert.include(stdout, `"code":"${wanted}"`, sample.place)
}

/** Documents at a time; the samples of one are typed one after the other. */
const AT_ONCE = { concurrency: 3, discard: true }

const byDocument = (samples: ReadonlyArray<Sample>): Iterable<ReadonlyArray<Sample>> =>
  Map.groupBy(samples, ({ document }) => document).values()

describe("the samples for a shell", () => {
  it.live("work as they stand", () =>
    Effect.gen(function* () {
      const folder = dirname(yield* temporaryStore)
      const commands = yield* commandsIn(folder)
      const demo = yield* gatewayProcess(["demo", "--port", "0", "--json", "--data", join(folder, "demo")], jsonLine)
      const { master_key, url, virtual_key } = demo.ready
      const ask = (path: string, key: string, body: object) => call(url, { method: "POST", path, key, body })
      const chat = { model: "auto", messages: [{ role: "user", content: "Hello" }] }
      const usual = shell.filter(({ document }) => codeOf(document) === undefined)
      const read = Effect.forEach(
        byDocument(usual),
        Effect.fnUntraced(function* (samples) {
          for (const sample of samples) {
            const answered = yield* ask("/v1/chat/completions", virtual_key, chat)
            const made = yield* ask("/admin/keys", master_key, { name: "of a sample" })
            const receiptId = String(answered.headers["x-gateway-receipt-id"])
            const ids = { keyId: String(made.json.id), receiptId }
            const reader = { folder, commands, url, masterKey: master_key, virtualKey: virtual_key, ...ids }
            assertTyped(sample, yield* typed(sample, reader))
          }
        }),
        AT_ONCE
      )
      yield* read
      const needless = commandsNotRun.filter(({ what }) => !commands.excused.has(String(what)))
      assert.deepStrictEqual(needless, [])
    }).pipe(Effect.scoped)
  )
})

describe("the samples of the pages of errors", () => {
  /** Pages that need a configuration of their own have it as a sample. */
  const yamlOf = ({ document }: Sample) => samplesIn("yaml").find((one) => one.document === document)?.code
  const shown = shell.filter(({ document }) => codeOf(document) !== undefined)

  const type = Effect.fnUntraced(function* (sample: Sample, folder: string, gateway: Shown) {
    const commands = yield* commandsIn(folder)
    const key = yield* gateway.createKey()
    const ids = { virtualKey: key.secret, keyId: key.id, receiptId: "rcpt_none" }
    assertTyped(sample, yield* typed(sample, { folder, commands, url: gateway.url, masterKey, ...ids }))
  }, Effect.scoped)

  it("are on every page, but of those that can't be shown", () => {
    const pages = readdirSync(join(root, "docs", "errors")).map((name) => name.replace(".md", ""))
    const seen = new Set(shown.map(({ document }) => codeOf(document)))
    assert.deepStrictEqual(
      pages.filter((code) => !seen.has(code)),
      Object.keys(notShown)
    )
  })

  const gatewayFor = (sample: Sample, folder: string) =>
    gatewayOf(codeOf(sample.document) ?? "", yamlOf(sample), folderOf(sample, folder))
  const folder = Effect.map(temporaryStore, dirname)

  it.live("get those errors", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway()
      yield* Effect.forEach(
        shown.filter((sample) => gatewayFor(sample, "") === undefined),
        (sample) => Effect.scoped(Effect.flatMap(folder, (own) => type(sample, own, gateway))),
        AT_ONCE
      )
    }).pipe(Effect.scoped)
  )

  for (const sample of shown) {
    if (gatewayFor(sample, "") === undefined) continue
    it.live(`${sample.place} gets that error, where it is so as its page says`, () =>
      Effect.gen(function* () {
        const own = yield* folder
        const gateway = yield* gatewayFor(sample, own) ?? startGateway()
        yield* type(sample, own, gateway)
      }).pipe(Effect.scoped)
    )
  }
})
