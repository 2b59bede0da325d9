/** `model-gateway connect`: a tool's configuration for the running gateway. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Console, Effect, Option, Redacted, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import { HttpClientResponse } from "effect/http"
import { nearestNames } from "@model-gateway/gateway/internal/core/collections/NearestNames"
import { type Access, accessFlags, findAddress } from "../admin/AccessCommand.ts"
import { adminHttp, unreadable } from "../admin/AdminHttp.ts"
import { Environment } from "../Environment.ts"
import { CommandFailed, wrongUsage } from "../Failure.ts"
import { printable } from "../output/TextOutput.ts"
import { KEY_VARIABLE, type Target, tools } from "./ConnectedTools.ts"
import { optionalText } from "../Flags.ts"

const Models = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      gateway: Schema.Struct({
        context_window: Schema.NullOr(Schema.Finite),
        max_output_tokens: Schema.NullOr(Schema.Finite),
        operations: Schema.Array(Schema.String)
      })
    })
  )
})

type Model = (typeof Models.Type)["data"][number]

const findTool = (name: string) => {
  const found = tools.find((tool) => tool.name === name)
  if (found !== undefined) return Effect.succeed(found)
  const all = tools.map((tool) => tool.name)
  const near = nearestNames(name.toLowerCase(), all)
  const hint = near.length === 0 ? `there are ${all.join(", ")}` : `did you mean ${near.join(" or ")}?`
  return Effect.fail(wrongUsage(`No configuration is known for ${JSON.stringify(printable(name))}; ${hint}`))
}

const findKey = Effect.fnUntraced(function* (url: string, tool: string) {
  const key = (yield* Environment)[KEY_VARIABLE]?.trim() ?? ""
  if (/^[\x21-\x7e]+$/.test(key)) {
    const keyFrom = `the environment variable ${KEY_VARIABLE}`
    return { url, key: Redacted.make(key), keyFrom } satisfies Access
  }
  const what = key === "" ? `no key: set ${KEY_VARIABLE}` : `${KEY_VARIABLE} holds no key: set it`
  return yield* new CommandFailed({
    message: `${what} to the virtual key that ${tool} is to use (model-gateway keys create --name ${tool} makes one)`
  })
})

/** Those that can chat, as the key may use them. */
const chatModels = Effect.fnUntraced(function* (access: Access) {
  const client = yield* adminHttp(access)
  const response = yield* client.get("/v1/models").pipe(Effect.mapError((error) => refused(access, error)))
  const { data } = yield* HttpClientResponse.schemaBodyJson(Models)(response).pipe(
    Effect.mapError(() => unreadable(access))
  )
  return data.filter(({ gateway }) => gateway.operations.includes("chat"))
})

/** A virtual key is spoken of otherwise than a master key. */
const refused = ({ keyFrom, url }: Access, error: CommandFailed): CommandFailed => {
  if (error.status === 401)
    return new CommandFailed({ message: `${url} does not know the key in ${keyFrom}`, status: 401 })
  if (error.status !== 403) return error
  const message = `${url} does not take the key in ${keyFrom}: it must be a virtual key, not the master key (model-gateway keys create makes one)`
  return new CommandFailed({ message, status: 403 })
}

const choose = (models: ReadonlyArray<Model>, wanted: Option.Option<string>) => {
  if (Option.isNone(wanted)) {
    const found = models.find(({ id }) => id === "auto") ?? models[0]
    const message = "the key may use no model that can chat: look at its models (model-gateway keys list)"
    return found === undefined ? Effect.fail(new CommandFailed({ message })) : Effect.succeed(found)
  }
  const found = models.find(({ id }) => id === wanted.value)
  if (found !== undefined) return Effect.succeed(found)
  const near = nearestNames(
    wanted.value,
    models.map(({ id }) => id)
  )
  const hint = near.length === 0 ? "" : `; did you mean ${near.map(printable).join(" or ")}?`
  const message = `the key may use no model ${JSON.stringify(printable(wanted.value))} that can chat${hint}`
  return Effect.fail(new CommandFailed({ message }))
}

export const connect = Command.make(
  "connect",
  {
    tool: Argument.String("tool").pipe(Argument.withDescription(tools.map(({ name }) => name).join(", "))),
    model: optionalText("model", "NAME", "the model to use (default: auto, else the first chat model)"),
    url: accessFlags.url,
    config: optionalText("config", "FILE", "take the address from this configuration file (default: gateway.yaml)")
  },
  Effect.fn("connect")(function* (flags) {
    const tool = yield* findTool(flags.tool)
    const url = yield* findAddress({ ...flags, data: Option.none() })
    const { gateway, id } = yield* choose(yield* chatModels(yield* findKey(url, tool.name)), flags.model)
    const target: Target = {
      url,
      model: id,
      contextWindow: gateway.context_window,
      maxOutputTokens: gateway.max_output_tokens
    }
    yield* Console.error(
      `# ${tool.name}: ${tool.note}. The key stays in ${KEY_VARIABLE}; the model is ${printable(id)}.`
    )
    yield* Console.log(tool.write(target))
  }, Effect.provide(NodeHttpClient.layerUndici))
).pipe(
  Command.withDescription(
    `Print the configuration that points a tool at the running gateway. The models are those that the key in ${KEY_VARIABLE} is allowed to use; the key itself is not printed. Instructions go to stderr, so that you can redirect stdout to a file.`
  ),
  Command.withShortDescription("Print a tool's configuration for the running gateway"),
  Command.withExamples([
    { command: "model-gateway connect codex", description: "For ~/.codex/config.toml" },
    { command: "model-gateway connect opencode --model openai/gpt-5 > opencode.json" }
  ])
)
