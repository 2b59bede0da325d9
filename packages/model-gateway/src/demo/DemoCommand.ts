/** `model-gateway demo`: the whole gateway on embedded defaults, without configuration or keys. */
import { Console, Effect, Path, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { SignInCodes } from "@model-gateway/gateway/internal/core/admin/SignInCodes"
import { HttpServer } from "@model-gateway/gateway/internal/http/server/HttpServer"
import { masterKeyIn, virtualKeyIn } from "./DemoSecrets.ts"
import { demoSettings } from "./DemoSettings.ts"
import { asCalled, IsTerminal } from "../Environment.ts"
import { CommandFailed } from "../Failure.ts"
import { isPort, PORT_ALLOWED } from "../serve/Ports.ts"
import { runGateway } from "../serve/RunningGateway.ts"

export const demo = Command.make(
  "demo",
  {
    host: Flag.String("host").pipe(Flag.withDefault("127.0.0.1"), Flag.withDescription("the address to listen on")),
    port: Flag.Int("port").pipe(
      Flag.withDefault(4100),
      Flag.withDescription("the port to listen on; 0 uses any free port"),
      Flag.filter(isPort, () => PORT_ALLOWED)
    ),
    data: Flag.String("data").pipe(
      Flag.withMetavar("FOLDER"),
      Flag.withDefault(".model-gateway"),
      Flag.withDescription("the folder for the database and the demo's keys")
    ),
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("print one line of JSON when ready: url, master_key, virtual_key; all else goes to stderr"),
      Flag.withDefault(false)
    )
  },
  Effect.fn("demo")(function* ({ data, host, json, port }) {
    const path = yield* Path.Path
    const masterKey = yield* masterKeyIn(data)
    const settings = demoSettings({ masterKey, host, port, store: path.join(data, "gateway.db") })
    const ready = Effect.gen(function* () {
      const { url } = yield* HttpServer
      const virtualKey = yield* virtualKeyIn(data)
      const isForPeople = !json && (yield* IsTerminal)
      const dashboard = isForPeople ? withLink(url, yield* (yield* SignInCodes).issue, data) : withKey(url, data)
      const say = json ? Console.error : Console.log
      yield* say(yield* asCalled(welcome(url, yield* firstCall(url, virtualKey), virtualKey, data, dashboard)))
      if (json) yield* Console.log(JSON.stringify({ url, master_key: masterKey, virtual_key: virtualKey }))
      else yield* Console.error(`listening on ${url}`)
    })
    return yield* runGateway(settings, { jsonLogs: false }, ready)
  })
).pipe(
  Command.withDescription(
    "Run a gateway on embedded defaults: SQLite, the built-in demo provider, a master key and a virtual key created on the first run. It sends itself one request, shows the response, and serves."
  ),
  Command.withShortDescription("Run a demo that needs no configuration and no key"),
  Command.withExamples([
    { command: "model-gateway demo" },
    { command: "model-gateway demo --port 4200 --data ./try", description: "Another port, another folder" }
  ])
)

const PROMPT = "Hello! Who am I talking to?"

const Completion = Schema.Struct({
  choices: Schema.NonEmptyArray(Schema.Struct({ message: Schema.Struct({ content: Schema.String }) }))
})

interface FirstCall {
  readonly text: string
  readonly receiptId: string | null
  readonly headers: ReadonlyArray<string>
}

/** One `auto` request through the real port. */
const firstCall = Effect.fn("demo.firstCall")(function* (url: string, virtualKey: string) {
  const response = yield* request(() =>
    fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${virtualKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "auto", messages: [{ role: "user", content: PROMPT }] })
    })
  )
  const body: unknown = yield* request(() => response.json())
  const completion = yield* Schema.decodeUnknownEffect(Completion)(body).pipe(
    Effect.mapError(
      () =>
        new CommandFailed({
          message: `the first request failed with status ${response.status}: ${JSON.stringify(body)}`
        })
    )
  )
  const names = ["Decision", "Route-Bucket", "Route-Score", "Cost-Usd", "Retries"].map((name) => `X-Gateway-${name}`)
  const headers = names.map((name) => `${name}: ${response.headers.get(name)}`)
  const receiptId = response.headers.get("X-Gateway-Receipt-Id")
  return { text: completion.choices[0].message.content, receiptId, headers } satisfies FirstCall as FirstCall
})

const request = <A>(call: () => Promise<A>) =>
  Effect.tryPromise({
    try: call,
    catch: (error) => {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : undefined
      if (cause === BAD_PORT) return new CommandFailed({ message: badPort })
      return new CommandFailed({
        message: `the gateway did not respond to its own first request: ${cause ?? String(error)}`
      })
    }
  })

/** Error of `fetch` for ports of other protocols, such as 4190, 6000 and 6667. */
const BAD_PORT = "bad port"

const badPort =
  "browsers and Node's fetch refuse to call this port (https://fetch.spec.whatwg.org/#port-blocking): choose another one with --port"

/** To a terminal alone: what is written to a file or a log is read by others, and later. */
const withLink = (url: string, code: string, data: string): string =>
  `Dashboard, signed in, once and within five minutes: ${url}/ui/login#${code}
  Later: ${url}/ui/ (sign in with the master key, which is in ${data}/master-key)`

const withKey = (url: string, data: string): string =>
  `Dashboard: ${url}/ui/ (sign in with the master key, which is in ${data}/master-key)`

const welcome = (url: string, first: FirstCall, virtualKey: string, data: string, dashboard: string): string => `
  The gateway runs at ${url}, with the built-in demo provider. Its first response, to model "auto":

    > ${PROMPT}
    ${first.text.replaceAll("\n", "\n    ")}

${first.headers.map((header) => `    ${header}`).join("\n")}

  ${dashboard}

  Try it:

    export GATEWAY_API_KEY=${virtualKey}

    # chat
    curl -s ${url}/v1/chat/completions -H "Authorization: Bearer $GATEWAY_API_KEY" \\
      -H "Content-Type: application/json" \\
      -d '{"model": "auto", "messages": [{"role": "user", "content": "Prove that 2 + 2 = 4"}]}'

    # stream
    curl -sN ${url}/v1/chat/completions -H "Authorization: Bearer $GATEWAY_API_KEY" \\
      -H "Content-Type: application/json" \\
      -d '{"model": "auto", "stream": true, "messages": [{"role": "user", "content": "Hi"}]}'

    # a deployment that fails, and the one that steps in: X-Gateway-Retries: 1
    curl -si ${url}/v1/chat/completions -H "Authorization: Bearer $GATEWAY_API_KEY" \\
      -H "Content-Type: application/json" \\
      -d '{"model": "failover", "messages": [{"role": "user", "content": "Hi"}]}'

    # where "auto" sends a prompt, and why; no model is called
    curl -s ${url}/admin/route/explain -H "Authorization: Bearer $(cat ${data}/master-key)" \\
      -H "Content-Type: application/json" -d '{"messages": [{"role": "user", "content": "Prove that 2 + 2 = 4"}]}'

    # the quality of the response above, 0 to 1: \`router train\` learns from it
    curl -s ${url}/v1/receipts/${first.receiptId}/feedback -H "Authorization: Bearer $GATEWAY_API_KEY" \\
      -H "Content-Type: application/json" -d '{"score": 1}'

    # admin: the master key is in ${data}/master-key
    curl -s ${url}/admin/spend -H "Authorization: Bearer $(cat ${data}/master-key)"

  With any OpenAI client: base URL ${url}/v1, the key above. Ctrl-C stops it.
`
