/** One admin command, from its flags to its output: find the gateway, call it, print the response. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { AdminApi } from "@model-gateway/protocol"
import { Console, Effect, Schema, SchemaIssue } from "effect"
import { HttpApiClient } from "effect/http-api"
import type { HttpClientResponse } from "effect/http"
import { CommandFailed, wrongUsage } from "../Failure.ts"
import { accessFlags, type AccessFlags, findAccess } from "./AccessCommand.ts"
import { adminHttp, unreadable } from "./AdminHttp.ts"
import { toggle } from "../Flags.ts"

/** What every admin command takes. */
export const adminFlags = {
  ...accessFlags,
  json: toggle("json", "print the gateway's JSON instead of text")
}

interface AdminFlags extends AccessFlags {
  readonly json: boolean
}

/** Decodes both, so that `--json` prints the JSON as received. */
export const decodedAndResponse = "decoded-and-response"

const makeClient = (httpClient: Effect.Success<ReturnType<typeof adminHttp>>) =>
  HttpApiClient.makeWith(AdminApi, { httpClient })

/** The admin API, derived from its description. Every failure other than `CommandFailed` is an unreadable response. */
export type AdminClient = Effect.Success<ReturnType<typeof makeClient>>

export const answer = Effect.fnUntraced(function* <A, E, E2>(
  flags: AdminFlags,
  ask: (client: AdminClient) => Effect.Effect<readonly [answer: A, response: HttpClientResponse.HttpClientResponse], E>,
  show: (answer: A) => Effect.Effect<void, E2>
) {
  const access = yield* findAccess(flags)
  const client = yield* makeClient(yield* adminHttp(access))
  const orUnreadable = Effect.mapError((error: unknown) =>
    Schema.is(CommandFailed)(error) ? error : unreadable(access)
  )
  const [value, response] = yield* ask(client).pipe(orUnreadable)
  if (flags.json) return yield* Console.log(yield* response.text.pipe(orUnreadable))
  yield* show(value)
}, Effect.provide(NodeHttpClient.layerUndici))

/** The handler of a command that makes one call. */
export const asking =
  <Flags, A, E, E2>(
    ask: (
      client: AdminClient,
      flags: Flags
    ) => Effect.Effect<readonly [answer: A, response: HttpClientResponse.HttpClientResponse], E>,
    show: (answer: A) => Effect.Effect<void, E2>
  ) =>
  (flags: Flags & AdminFlags) =>
    answer(flags, (client) => ask(client, flags), show)

/** The body of a request, refused as wrong usage where the gateway would refuse it. */
export const checked = <S extends Schema.Codec<unknown, unknown>>(schema: S, body: S["Encoded"]) =>
  Schema.decodeUnknownEffect(schema, { errors: "all" })(body).pipe(
    Effect.mapError((error) => {
      const { issues } = issuesOf(error.issue)
      return wrongUsage(issues.map(({ message, path = [] }) => `${flagOf(path.map(String))}${message}`).join("\n"))
    })
  )

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** `["limits", "max_parallel"]` is `--max-parallel` here. */
const flagOf = (path: ReadonlyArray<string>): string => {
  const field = path[0] === "limits" ? path[1] : path[0]
  if (field === undefined) return ""
  const flag = { budgets: "budget", grace_seconds: "grace" }[field] ?? field.replaceAll("_", "-")
  return `--${flag}: `
}
