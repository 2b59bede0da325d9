/** `model-gateway router explain`: where a request would go, and why. */
import { explainedEndpoints, type RouteExplanation, RouteQuestion, routePreferences } from "@model-gateway/protocol"
import { Console, Effect, FileSystem, Option, Stdio, Stream } from "effect"
import { Argument, Command } from "effect/cli"
import { adminFlags, answer, checked, decodedAndResponse as responseMode } from "../admin/AdminResponse.ts"
import { given } from "../admin/FlagValues.ts"
import { CommandFailed, wrongUsage } from "../Failure.ts"
import { explanationView } from "../output/ExplanationView.ts"
import { explainOffline } from "./Offline.ts"
import { optionalText, optionalWord, toggle } from "../Flags.ts"

const STDIN = "-"

export const explain = Command.make(
  "explain",
  {
    prompt: Argument.String("prompt").pipe(
      Argument.withDescription("the text of a user message; - reads it from stdin"),
      Argument.optional
    ),
    file: optionalText("file", "FILE", "a whole request body as JSON instead of a prompt; - reads it from stdin"),
    endpoint: optionalWord("endpoint", explainedEndpoints, "what --file is a body for (default: /v1/chat/completions)"),
    prefer: optionalWord("prefer", routePreferences, "as a caller with X-Gateway-Route-Prefer"),
    key: optionalText("key", "ID", "with the rights of this virtual key, key_… (default: all deployments)"),
    session: optionalText("session", "ID", "as a caller with X-Gateway-Session-Id; with --key"),
    offline: toggle("offline", "call no gateway: decide as one that just started with the configuration file would"),
    ...adminFlags
  },
  Effect.fn("router.explain")(function* (flags) {
    const { endpoint, key, prefer, session: session_id } = flags
    if (Option.isSome(session_id) && Option.isNone(key)) {
      return yield* wrongUsage("--session: a session belongs to a key; say which with --key")
    }
    const request = yield* requestIn(flags)
    const payload = yield* checked(RouteQuestion, { request, ...given({ endpoint, key, prefer, session_id }) })
    const show = (explanation: RouteExplanation) => Console.log(explanationView(explanation))
    if (!flags.offline)
      return yield* answer(flags, (client) => client.routing.explainRoute({ payload, responseMode }), show)
    const config = Option.getOrElse(flags.config, () => "gateway.yaml")
    if (Option.isSome(key)) return yield* wrongUsage("--key: keys are in the store of a gateway; leave out --offline")
    const explanation = yield* explainOffline(config, payload)
    yield* flags.json ? Console.log(JSON.stringify(explanation)) : show(explanation)
  })
).pipe(
  Command.withDescription(
    "Show where a request would go and why: score, bucket, cut points, the strongest features, the verdict on each deployment, the expected cost. No provider is called and nothing is charged."
  ),
  Command.withShortDescription("Where a prompt would go, and why"),
  Command.withExamples([
    { command: 'model-gateway router explain "Prove that the square root of 2 is irrational"' },
    { command: 'model-gateway router explain --prefer cost --key key_abcdefghijkl "Summarise this"' },
    {
      command: "model-gateway router explain --file body.json --json",
      description: "A whole request; the gateway's JSON"
    },
    { command: 'model-gateway router explain --offline --config prod.yaml "Hi"', description: "No gateway is needed" }
  ])
)

interface Asked {
  readonly prompt: Option.Option<string>
  readonly file: Option.Option<string>
}

/** The body of the request to explain. */
const requestIn = Effect.fnUntraced(function* ({ file, prompt }: Asked) {
  if (Option.isSome(file) === Option.isSome(prompt)) {
    return yield* wrongUsage('give a prompt, such as "Hello", or a request with --file: one of the two')
  }
  if (Option.isSome(prompt)) {
    const content = prompt.value === STDIN ? yield* standardInput : prompt.value
    return { model: "auto", messages: [{ role: "user", content }] }
  }
  const name = Option.getOrThrow(file)
  const text = name === STDIN ? yield* standardInput : yield* contentOf(name)
  const body = yield* Effect.try({
    try: () => JSON.parse(text) as unknown,
    catch: () => new CommandFailed({ message: `${name === STDIN ? "stdin" : name} holds no JSON` })
  })
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as { [field: string]: unknown }
  return yield* new CommandFailed({ message: `${name === STDIN ? "stdin" : name} holds no JSON object` })
})

const standardInput = Effect.gen(function* () {
  const { stdin } = yield* Stdio.Stdio
  return yield* stdin.pipe(
    Stream.decodeText,
    Stream.mkString,
    Effect.mapError(() => new CommandFailed({ message: "stdin can't be read" }))
  )
})

const contentOf = Effect.fnUntraced(function* (file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  return yield* fileSystem
    .readFileString(file)
    .pipe(
      Effect.mapError(() => new CommandFailed({ message: `${file} can't be read; is it there, and may you read it?` }))
    )
})
