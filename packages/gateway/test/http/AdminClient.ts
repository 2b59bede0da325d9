/** A running gateway as an administrator meets it: by its port. Under `it.effect` the `TestClock` is its clock. */
import { Effect, Schema, type Scope } from "effect"
import { type Answered, call, type Call } from "../support/RawHttp.ts"
import { masterKey, type RunningGateway, startGateway } from "../support/RunningGateway.ts"

export interface AdminClient {
  readonly gateway: RunningGateway
  /** With the master key, unless `given` says otherwise. */
  readonly send: (method: string, path: string, body?: unknown, given?: Partial<Call>) => Effect.Effect<Answered>
  /** With these headers and no others. */
  readonly bare: (
    method: string,
    path: string,
    headers?: Readonly<Record<string, string>>,
    body?: string
  ) => Effect.Effect<Answered>
  /** A new key's record, with its secret. */
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows what it asked for
  readonly createKey: (body?: object) => Effect.Effect<any>
}

export const startAdmin: Effect.Effect<AdminClient, never, Scope.Scope> = Effect.gen(function* () {
  const gateway = yield* startGateway()
  const send: AdminClient["send"] = (method, path, body, given = {}) =>
    call(gateway.url, { method, path, key: masterKey, ...(body === undefined ? {} : { body }), ...given })
  return {
    gateway,
    send,
    bare: (method, path, headers = {}, body = undefined) => call(gateway.url, { method, path, headers, body }),
    createKey: (body = {}) =>
      Effect.flatMap(send("POST", "/admin/keys", body), (answer) =>
        answer.status === 201 ? Effect.succeed(answer.json) : Effect.die(answer.text)
      )
  }
})

/** What identifies an error: status, type, code, field. */
export const rowOf = ({ json, status }: Answered) => [status, json.error.type, json.error.code, json.error.param]

/** Dies when the value is not exactly what the API describes. */
export const conforms = (schema: Schema.Codec<unknown, unknown>, value: unknown): void => {
  Schema.decodeUnknownSync(schema, { onExcessProperty: "error" })(value)
}
