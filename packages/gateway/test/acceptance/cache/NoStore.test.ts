/** No cache between the gateway and its callers may share a response. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Answered, call } from "../../support/RawHttp.ts"
import { say } from "../../support/RawSocket.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { templatesFor } from "../fuzz/Templates.ts"

const { paths } = JSON.parse(readFileSync(join(import.meta.dirname, "../../../../protocol/openapi.json"), "utf8")) as {
  readonly paths: { readonly [path: string]: object }
}

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  /^\/v1(beta)?\//.test(path) ? Object.keys(methods).map((method) => [method.toUpperCase(), path] as const) : []
)

const assertPrivate = ({ headers, status }: Answered, name: string) =>
  assert.strictEqual(headers["cache-control"], "private, no-store", `${name}: ${status}`)

it.live("every response and error of /v1 says that it is private and must not be stored", () =>
  Effect.gen(function* () {
    const { createKey, url } = yield* startGateway()
    const { secret } = yield* createKey()
    assert.isAbove(operations.length, 25)
    const statuses = new Set<number>()
    for (const [method, path] of [...operations, ["GET", "/v1/nothing"], ["PUT", "/v1/models"]] as const) {
      const target = path.replaceAll(/\{[^}]+\}/g, "demo")
      for (const key of ["wrong", secret]) {
        const answer = yield* call(url, { method, path: target, key, ...(method === "GET" ? {} : { body: {} }) })
        statuses.add(answer.status)
        assertPrivate(answer, `${method} ${path}`)
      }
    }
    const world = { host: "x", masterKey: "", key: secret, poorKey: "", victims: ["key_1"] }
    const served = templatesFor(world).filter(({ credential }) => credential === "virtual")
    for (const { body, headers = [], method, name, target } of served) {
      const given = { method, path: target, key: secret, headers: Object.fromEntries(headers) }
      const answer = yield* call(url, { ...given, ...(body === undefined ? {} : { body: body as object }) })
      statuses.add(answer.status)
      assertPrivate(answer, name)
    }
    for (const status of [200, 400, 401, 404, 405]) assert.isTrue(statuses.has(status), String(status))
    const { answers } = yield* say(url, { pieces: ["GET /v1/models HTTP/1.1\r\n: x\r\n\r\n"], answers: 1 })
    assert.strictEqual(answers[0]!.headers.get("cache-control"), "no-store")
  })
)
