import { assert, describe, it } from "@effect/vitest"
import { model } from "../support/Models.ts"
import { connected, extension, type Parts, scriptUrl } from "../support/Servers.ts"

const ask = async ({ chat }: Parts, name: string): Promise<void> =>
  chat.answer(
    model({ model: name }),
    {
      turns: [{ role: "user", parts: [{ kind: "text", text: "Hello" }] }],
      tools: [],
      mustCall: false,
      options: {},
      chosen: {}
    },
    () => {},
    new AbortController().signal
  )

describe("@gateway", () => {
  it("says how to connect where nothing is", async () => {
    assert.include(await extension().participant.answer({ command: "spend", prompt: "" }), "Model Gateway: Connect")
  })

  it("says what it can do", async () => {
    const { participant } = await connected()
    assert.include(await participant.answer({ command: undefined, prompt: "Hi" }), "/explain")
  })

  it("/spend tells spend and budgets", async () => {
    const { participant } = await connected({ key: { budgets: [{ usd: 2, window: "week" }] } })
    const text = await participant.answer({ command: "spend", prompt: "" })
    assert.include(text, "### Work")
    assert.include(text, "midnight of Europe/Berlin")
    assert.match(text, /\| own: \\\$2\.00 a week \| 0 % \|/)
  })

  it("/explain tells of the last answer: who, why, what else, for how much", async () => {
    const parts = await connected()
    assert.include(await parts.participant.answer({ command: "explain", prompt: "" }), "No model of the gateway has")
    await ask(parts, "auto")
    const text = await parts.participant.answer({ command: "explain", prompt: " " })
    assert.match(text, /^\*\*demo\/\w+\*\* answered `auto`, bucket \w+, score [01]\.\d\d\./)
    assert.include(text, "| deployment | fate | why |")
    assert.include(text, "It cost $0.0")
    assert.include(text, parts.decisions.last()?.decision.receiptId ?? "?")
  })

  it("/explain tells what failed before", async () => {
    const parts = await connected()
    await ask(parts, "failover")
    const text = await parts.participant.answer({ command: "explain", prompt: "" })
    assert.match(text, /Before that, broken\/status\\-500 failed: unavailable, HTTP 500\./)
  })

  it("/explain of a prompt needs the master key, and calls nobody", async () => {
    const plain = await connected()
    assert.include(await plain.participant.answer({ command: "explain", prompt: "2+2?" }), "Add Master Key")
    const { participant } = await connected({ isAdministrator: true })
    const text = await participant.answer({
      command: "explain",
      prompt: "Prove that there are infinitely many primes."
    })
    assert.match(text, /^It would go to \*\*demo\/\w+\*\*, bucket \w+/)
    assert.include(text, "Expected cost: $0.0")
  })

  it("says what went wrong", async () => {
    const { gateways, participant } = extension()
    await gateways.add({ name: "Page", url: scriptUrl("html") }, "mgw_key")
    const text = await participant.answer({ command: "spend", prompt: "" })
    assert.include(text, "is not a Model Gateway")
    // Nothing of a server's address or words becomes a link.
    assert.notInclude(text, "http://")
  })
})
