import { assert, describe, it } from "@effect/vitest"
import { Chat, ChatFailed } from "../../src/chat/Chat.ts"
import type { Asked, Piece } from "../../src/chat/Turns.ts"
import type { ModelInfo } from "../../src/models/ModelInfo.ts"
import { model } from "../support/Models.ts"
import { administrator, connected, extension, newKey, scriptUrl, servers } from "../support/Servers.ts"

const asked = (more: Partial<Asked> = {}): Asked => ({
  turns: [{ role: "user", parts: [{ kind: "text", text: "Hello" }] }],
  tools: [],
  mustCall: false,
  options: {},
  chosen: {},
  ...more
})

const answerOf = async (chat: Chat, info: ModelInfo, what = asked()): Promise<ReadonlyArray<Piece>> => {
  const pieces: Array<Piece> = []
  await chat.answer(info, what, (piece) => pieces.push(piece), new AbortController().signal)
  return pieces
}

/** The text of a failed answer. */
const troubleOf = async (chat: Chat, info: ModelInfo): Promise<string> => {
  try {
    await answerOf(chat, info)
  } catch (error) {
    if (error instanceof ChatFailed) return error.message
    throw error
  }
  throw new Error("It did not fail.")
}

const textOf = (pieces: ReadonlyArray<Piece>): string =>
  pieces.map((piece) => (piece.kind === "text" ? piece.text : "")).join("")

describe("the picker", () => {
  it("has the models that chat, with their prices, and auto under another id", async () => {
    const { chat } = await connected()
    const models = await chat.models()
    const auto = models.find((one) => one.model === "auto")
    assert.strictEqual(auto?.id, "Work/auto")
    assert.strictEqual(auto?.name, "Auto (Work)")
    const mini = models.find((one) => one.model === "demo/mini")
    assert.strictEqual(mini?.pricing, "$0.15 in, $0.60 out per 1M tokens")
    assert.isTrue(mini?.toolCalling)
    assert.isUndefined(models.find((one) => one.model === "demo/embed"))
  })

  it("has those of a key alone", async () => {
    const { chat } = await connected({ key: { models: ["demo/mini"] } })
    const models = (await chat.models()).map((one) => one.model)
    assert.include(models, "demo/mini")
    assert.notInclude(models, "demo/large")
  })

  it("goes on without a gateway that can't be asked, and the output channel says why", async () => {
    const { chat, editor, gateways } = await connected()
    await gateways.add({ name: "Gone", url: "http://127.0.0.1:9" }, "mgw_gone")
    await gateways.add({ name: "Page", url: scriptUrl("html") }, "mgw_page")
    const models = await chat.models()
    assert.isAbove(models.length, 5)
    assert.isTrue(models.every(({ gateway }) => gateway === "Work"))
    assert.include(models.find((one) => one.model === "demo/mini")?.name, "(Work)")
    const said = editor.lines.join("\n")
    assert.include(said, "Gone  no models: No answer from http://127.0.0.1:9")
    assert.match(said, /Page {2}no models: .*is not a Model Gateway/)
  })
})

describe("an answer", () => {
  it("streams, tells what was used, and leaves its decision and its exact cost", async () => {
    const { chat, decisions, editor } = await connected()
    const pieces = await answerOf(chat, model({ model: "auto" }))
    assert.isAbove(pieces.filter(({ kind }) => kind === "text").length, 1)
    const used = pieces.find((piece) => piece.kind === "usage")
    assert.isAbove(Reflect.get(used?.usage ?? {}, "total_tokens"), 0)
    const last = decisions.last("Work")
    assert.strictEqual(last?.model, "auto")
    assert.isTrue(last?.decision.costIsFinal)
    const receipt = await administrator().admin.requests.get(last?.decision.receiptId ?? "")
    assert.strictEqual(receipt.cost_usd, last?.decision.costUsd)
    assert.deepStrictEqual(receipt.tags, ["vscode"])
    assert.match(receipt.session_id ?? "", /^vscode-/)
    assert.match(
      editor.lines.at(-1) ?? "",
      /^Work {2}auto → demo\/\w+ {2}\w+ [01]\.\d\d {2}\$0\.0+\d+ {2}.* ms {2}rcpt_/
    )
  })

  it("thinks aloud where the model does", async () => {
    const { chat } = await connected()
    const pieces = await answerOf(chat, model({ model: "demo/reasoner" }))
    assert.isAbove(pieces.filter(({ kind }) => kind === "thinking").length, 0)
    assert.isAbove(textOf(pieces).length, 0)
  })

  it("calls a tool, and goes on with its result", async () => {
    const { chat } = await connected()
    const tools = [
      {
        name: "weather",
        description: "The weather of a city",
        inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
      }
    ]
    const first = await answerOf(chat, model(), asked({ tools, mustCall: true }))
    const call = first.find((piece) => piece.kind === "call")
    assert.strictEqual(call?.name, "weather")
    assert.isString(Reflect.get(call?.input ?? {}, "city"))
    const turns: Asked["turns"] = [
      ...asked().turns,
      { role: "assistant", parts: [call ?? { kind: "text", text: "" }] },
      { role: "user", parts: [{ kind: "result", id: call?.id ?? "", parts: [{ kind: "text", text: "Rain" }] }] }
    ]
    assert.include(textOf(await answerOf(chat, model(), asked({ tools, turns }))), "Rain")
  })

  it("takes a picture along", async () => {
    const { chat } = await connected()
    // One pixel.
    const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    const data = Uint8Array.from(Buffer.from(png, "base64"))
    const turns: Asked["turns"] = [
      {
        role: "user",
        parts: [
          { kind: "text", text: "What is this?" },
          { kind: "data", mimeType: "image/png", data }
        ]
      }
    ]
    assert.isAbove(textOf(await answerOf(chat, model(), asked({ turns }))).length, 0)
  })

  it("that is left ends at the provider too", async () => {
    const { chat, decisions, editor } = await connected()
    const left = new AbortController()
    let pieces = 0
    await chat.answer(
      model({ model: "paced/standard" }),
      asked(),
      () => {
        pieces++
        left.abort()
      },
      left.signal
    )
    assert.isAbove(pieces, 0)
    assert.match(editor.lines.at(-1) ?? "", /^Work {2}paced\/standard → paced\/standard {2}at most \$.* STOPPED$/)
    assert.strictEqual(decisions.last()?.decision.costIsFinal, false)
    const find = async () => {
      const { data } = await administrator().admin.requests.list({ model: "paced/standard" }).first()
      return data.find(({ status, tags }) => status === "client_gone" && tags.includes("vscode"))
    }
    let receipt = await find()
    while (receipt === undefined) receipt = await find()
    assert.isTrue(receipt.client_disconnected)
  })
})

describe("what goes wrong is said", () => {
  it("for a budget that is used up: what is left, and when the next one begins", async () => {
    const { chat } = await connected({ key: { budgets: [{ usd: 0.000001, window: "day" }] } })
    const text = await troubleOf(chat, model({ model: "demo/large" }))
    assert.match(
      text,
      /^The budget of this key of \$0\.0000010 has \$0\.0000010 left, and this request can cost more\./
    )
    assert.match(text, /The next one begins (at|on) .*\(req_/)
  })

  it("for a rate: when to go on", async () => {
    const { chat } = await connected({ key: { limits: { rpm: 1 } } })
    await answerOf(chat, model())
    assert.match(await troubleOf(chat, model()), /^Too many requests in a minute \(at most 1\)\. Go on (in|at) /)
  })

  it("for a key that was revoked, without the key", async () => {
    const parts = extension()
    const { id, key } = await administrator().admin.keys.create({})
    await parts.gateways.add({ name: "Work", url: servers().url }, key)
    await administrator().admin.keys.revoke(id)
    const text = await troubleOf(parts.chat, model())
    assert.match(text, /^Work refused the key: /)
    assert.notInclude(text, key)
  })

  it("for a model that the key may not use", async () => {
    const { chat } = await connected({ key: { models: ["demo/mini"] } })
    assert.match(await troubleOf(chat, model({ model: "demo/large" })), /^The key of Work may not do this: /)
  })

  it("for providers that fail, and for an answer that breaks off", async () => {
    const { chat, decisions, editor } = await connected()
    assert.match(await troubleOf(chat, model({ model: "demo/status-500" })), /^No provider behind Work could answer: /)
    assert.isUndefined(decisions.last())
    assert.match(await troubleOf(chat, model({ model: "demo/cut-6" })), /^The answer broke off: /)
    assert.strictEqual(decisions.last()?.decision.decision, "demo/cut-6")
    assert.match(editor.lines.at(-1) ?? "", /demo\/cut-6 .* FAILED {2}The answer broke off/)
  })

  it("for a server that is not the gateway", async () => {
    const { chat, gateways } = extension()
    await gateways.add({ name: "Page", url: scriptUrl("html") }, await newKey())
    assert.match(await troubleOf(chat, model({ gateway: "Page" })), /answers, and is not a Model Gateway/)
  })

  it("for a gateway that is not connected any more", async () => {
    const { chat } = extension()
    assert.strictEqual(await troubleOf(chat, model()), "The gateway Work is not connected any more.")
  })
})
