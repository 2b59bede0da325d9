/** `check --live` against providers on real ports. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Asked, type Reply, upstream } from "../../../gateway/test/support/Upstream.ts"
import { folder, run } from "../Support.ts"

const KEY = "k7Qm2ZxVt9Lp4RfWc8Jd1HsNb6GyTa3E"
const GOOD = "sk-good-0123456789abcdef"
const BAD = "sk-bad-0123456789abcdef"

const listed = (...ids: ReadonlyArray<string>): Reply => ({
  body: { object: "list", data: ids.map((id) => ({ id, object: "model" })) }
})

const checked = Effect.fnUntraced(function* (providers: string, deployments: string) {
  const cwd = yield* folder
  writeFileSync(
    join(cwd, "gateway.yaml"),
    `master_key: \${GATEWAY_MASTER_KEY}\nproviders: ${providers}\ndeployments: ${deployments}\n`
  )
  const { code, stderr, stdout } = yield* run(["check", "--live"], { cwd, env: { GATEWAY_MASTER_KEY: KEY } })
  for (const secret of [KEY, GOOD, BAD]) assert.notInclude(stdout + stderr, secret)
  return { code, stderr, live: stdout.slice(stdout.indexOf("WHAT")) }
})

const keyOf = ({ headers }: Asked): string | undefined => headers["authorization"]?.replace("Bearer ", "")

describe("check --live", () => {
  it.live("says which deployments there are, and that all is well", () =>
    Effect.gen(function* () {
      const { asked, baseUrl } = yield* upstream(() => listed("llama3:latest", "gpt-oss-120b", "models/gemini-pro"))
      const { code, live, stderr } = yield* checked(
        `{ up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: ${GOOD} }, demo: {} }`,
        "[up/gpt-oss-120b, up/llama3, up/gemini-pro, demo/mini]"
      )
      assert.strictEqual(code, 0, stderr)
      assert.match(live, /✓ {2}up +responds, and lists 3 models/)
      for (const id of ["gpt-oss-120b", "llama3", "gemini-pro"]) assert.match(live, new RegExp(`✓ +up/${id} +is there`))
      assert.match(live, /\? {2}demo +not called/)
      // One list for all deployments, and nothing that costs anything.
      assert.deepStrictEqual(
        asked.map((one) => [one.method, one.path, keyOf(one)]),
        [["GET", "/v1/models", GOOD]]
      )
    }).pipe(Effect.scoped)
  )

  it.live("says which are missing, and which key of a pool is refused, and fails", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* upstream((one) =>
        keyOf(one) === BAD
          ? { status: 401, body: { error: { message: `Incorrect API key provided: ${BAD}` } } }
          : listed("there")
      )
      const { code, live, stderr } = yield* checked(
        `{ up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: [${GOOD}, ${BAD}] } }`,
        "[up/there, up/gone]"
      )
      assert.strictEqual(code, 1)
      assert.match(live, /✓ {2}up, key 1 of 2 +responds, and lists 1 model\n/)
      assert.match(live, /✗ {2}up, key 2 of 2 +refuses the key \(401\)/)
      assert.match(live, /✓ +up\/there +is there/)
      assert.match(live, /✗ +up\/gone +up lists no model "gone"/)
      assert.strictEqual(stderr.trim(), "2 things are not as gateway.yaml has it.")
    }).pipe(Effect.scoped)
  )

  it.live("says which provider is down, answers garbage, requires a key, or has no list", () =>
    Effect.gen(function* () {
      const garbage = yield* upstream(() => ({ body: "<html>sign in</html>" }))
      const wants = yield* upstream(() => ({ status: 403, body: {} }))
      const none = yield* upstream(() => ({ status: 404, body: { error: { message: "no route" } } }))
      const busy = yield* upstream(() => ({ status: 429, body: {} }))
      const at = (name: string, url: string) => `${name}: { protocol: openai-chat, base_url: "${url}", api_key: none }`
      const { code, live } = yield* checked(
        `{ ${[at("down", "http://127.0.0.1:9/v1"), at("garbage", garbage.baseUrl), at("wants", wants.baseUrl), at("none", none.baseUrl), at("busy", busy.baseUrl)].join(", ")} }`,
        "[down/m, garbage/m, wants/m, none/m, busy/m]"
      )
      assert.strictEqual(code, 1)
      assert.match(live, /✗ {2}down +http:\/\/127\.0\.0\.1:9 refused the connection/)
      assert.match(live, /✗ {2}garbage +its response is not a list of models/)
      assert.match(live, /✗ {2}wants +requires a key \(403\): give it an api_key/)
      assert.match(live, /✓ {2}none +responds, but does not list its models/)
      assert.match(live, /\? {2}busy +rate-limited \(429\)/)
      assert.match(live, /\? +none\/m +not known whether it is there/)
    }).pipe(Effect.scoped)
  )

  it.live("gives up on a provider that never ends its answer", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* upstream(() => ({ body: ["{"], ending: "silence" }))
      const { code, live } = yield* checked(
        `{ up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none } }`,
        "[up/m]"
      )
      assert.strictEqual(code, 1)
      assert.match(live, /✗ {2}up +http:\/\/127\.0\.0\.1:\d+ sent nothing for 10000 ms/)
    }).pipe(Effect.scoped)
  )

  it.live("asks with what the vendor wants: Anthropic's header and version", () =>
    Effect.gen(function* () {
      const { asked, baseUrl } = yield* upstream(() => listed("claude-sonnet-5"))
      const { code } = yield* checked(
        `{ anthropic: { base_url: "${baseUrl}", api_key: ${GOOD} } }`,
        "[anthropic/claude-sonnet-5]"
      )
      assert.strictEqual(code, 0)
      assert.deepInclude(asked[0]?.headers, { "x-api-key": GOOD, "anthropic-version": "2023-06-01" })
      assert.strictEqual(asked[0]?.path, "/v1/models?limit=1000")
    }).pipe(Effect.scoped)
  )
})
