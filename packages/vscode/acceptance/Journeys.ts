/** What somebody does with the extension, in this order, and what must then be so in the window and in the gateway. */
import { strict as assert } from "node:assert"
import { type Gateway, masterKey } from "../../conformance/src/Gateway.ts"
import type { Area, Workbench } from "./Workbench.ts"

export interface Journey {
  readonly bench: Workbench
  readonly gateway: Gateway
  /** The virtual key of this journey. */
  readonly keyId: string
  readonly key: string
  /** All that the editor's server wrote to its disk. */
  readonly written: () => string
}

const TOASTS = ".notification-toast"
const CHAT = ".interactive-session .interactive-list"
/** Opens what the chat has folded: thoughts, and calls of tools. */
const UNFOLD = `[...document.querySelectorAll(".interactive-session .monaco-button")]
  .filter((one) => one.offsetParent !== null && /^(Finished|Completed|Thought|Worked|Reason)/.test(one.innerText.trim()))
  .forEach((one) => one.click())`
const TREE = ".pane-body .monaco-list"
const HOVER = ".monaco-hover, .workbench-hover-container"
/** It is faded in. */
const IS_THERE = `document.getAnimations().every((one) => one.playState !== "running" || one.effect.getTiming().iterations === Infinity)`
const STOP = ".interactive-session .codicon-stop-circle"
const USAGE = ".chat-context-usage-widget"

const rightSide: Area = { x: 780, y: 30, width: 500, height: 770 }
const leftSide: Area = { x: 0, y: 30, width: 352, height: 770 }

interface OwnKey {
  readonly spend: { readonly day_usd: number }
  readonly budgets: ReadonlyArray<{ readonly remaining_usd: number }>
}

const ownKey = async ({ gateway, key }: Journey): Promise<OwnKey> => {
  const response = await fetch(`${gateway.url}/v1/key`, { headers: { authorization: `Bearer ${key}` } })
  return (await response.json()) as OwnKey
}

interface Receipts {
  readonly data: ReadonlyArray<{
    readonly status: string
    readonly duration_ms: number
    readonly tags: ReadonlyArray<string>
  }>
}

const receipts = async ({ gateway, keyId }: Journey, more = ""): Promise<Receipts["data"]> => {
  const page: unknown = await gateway.admin("GET", `/admin/requests?key=${keyId}${more}`)
  return (page as Receipts).data
}

/** The chat of this VS Code is not always ready for its first question. */
const TRIES = 4

export const journeys: Readonly<Record<string, (journey: Journey) => Promise<void>>> = {
  "offers to connect": async ({ bench }) => {
    await bench.shows(".statusbar", "Model Gateway")
  },

  "connects, and says what is wrong with a wrong key": async (journey) => {
    const { bench, gateway, key } = journey
    await bench.command("Model Gateway: Connect")
    await bench.reply("1 of 3", `${gateway.url}/v1`)
    await bench.reply("2 of 3", "mgw_wrong")
    await bench.reply("does not know this key", key)
    await bench.reply("3 of 3", "")
    await bench.until("that it is connected", async () =>
      /Local is connected: [1-9]\d* models/.test(await bench.text(TOASTS))
    )
    await bench.until("the budget in the status bar", async () => (await bench.status()).includes("$20.00 left"))
    assert.ok(!journey.written().includes(key), "the key is on the disk in plain words")
  },

  "shows models with their prices": async ({ bench }) => {
    await bench.openPicker()
    const shown = await bench.text(".action-widget")
    for (const text of ["Auto (Local)", "demo/mini", "$0.15 in, $0.60 out per 1M tokens", "$5 in, $20 out"]) {
      assert.ok(shown.includes(text), `${text} is not in the picker: ${shown}`)
    }
    await bench.shot("picker", rightSide)
    await bench.page.keyboard.press("Escape")
  },

  "answers in the chat, with a tool's result, and counts the context": async (journey) => {
    const { bench } = journey
    for (let tries = 1; ; tries++) {
      await bench.say("What is in notes.md?")
      try {
        await bench.until(
          "an answer",
          async () => (await bench.chat()).includes("the demo model built into this gateway"),
          20_000
        )
        break
      } catch (error) {
        if (tries === TRIES) throw error
      }
    }
    await bench.shows(CHAT, "Your tool answered")
    await bench.until("the context that was used", async () => /[1-9]\d* ?%/.test(await bench.text(USAGE)))
    const [last] = await receipts(journey)
    assert.deepEqual(last?.tags, ["vscode"])
    await bench.shot("chat")
  },

  "shows today's spend, what is left, and the last decision": async (journey) => {
    const { bench } = journey
    const { budgets, spend } = await ownKey(journey)
    const text = `${spend.day_usd.toFixed(3)} · $${budgets[0]?.remaining_usd.toFixed(2)} left`
    await bench.until(`${text} in the status bar`, async () => (await bench.status()).includes(text))
    await bench.page.locator(".statusbar-item[id*='modelGateway']").first().hover()
    await bench.shows(HOVER, "Last answer: demo/")
    await bench.until("all of the tooltip", () => bench.page.evaluate<boolean>(IS_THERE))
    await bench.shot("status", { ...leftSide, x: 928 })
    await bench.page.locator(".part.titlebar").first().hover()
    await bench.until("the tooltip gone", async () => !(await bench.text(HOVER)).includes("Last answer"))
  },

  "lets somebody choose how auto routes": async ({ bench }) => {
    await bench.page.locator(".model-picker-section.model-picker-config").first().click()
    await bench.shows(".action-widget, .monaco-menu, .context-view", "Cheapest")
    await bench.page.keyboard.press("Escape")
  },

  "thinks aloud": async ({ bench }) => {
    await bench.choose("demo/reasoner")
    await bench.say("Why is the sky blue?")
    await bench.shows(CHAT, "reasoner")
    await bench.until("the end of it", async () => (await bench.page.locator(STOP).count()) === 0)
    await bench.page.evaluate(UNFOLD)
    await bench.shows(CHAT, "I can show how reasoning looks on the wire")
    await bench.shot("thinking", rightSide)
  },

  "stops at the provider when somebody stops it": async (journey) => {
    const { bench } = journey
    await bench.choose("paced/standard")
    await bench.say("Tell me everything.")
    await bench.until("a running answer", async () => (await bench.page.locator(STOP).count()) > 0)
    await bench.until("its first words", async () => (await bench.chat()).includes("I am “standard”"))
    const stopped = Date.now()
    await bench.page.locator(STOP).first().click()
    await bench.until("a receipt of it", async () =>
      (await receipts(journey, "&model=paced/standard")).some(({ status }) => status === "client_gone")
    )
    assert.ok(Date.now() - stopped < 3_000, "it took longer than three seconds")
  },

  "shows deployments, keys and spend to administrators": async ({ bench, gateway }) => {
    await bench.command("Model Gateway: Add Master Key")
    await bench.reply("The master key of Local", masterKey)
    await bench.page.locator(".activitybar a[aria-label*='Model Gateway']").first().click()
    for (const text of ["Deployments", "demo/large", "Spend this month", "Keys"]) await bench.shows(TREE, text)
    await bench.shot("tree", leftSide)
    await bench.page.getByText("demo/status-503", { exact: true }).first().hover()
    await bench.page.locator(`${TREE} .monaco-list-row:hover a[aria-label*='Take Out']`).first().click()
    await bench.page.locator(".monaco-dialog-box").getByRole("button", { name: "Take Out" }).click()
    await bench.shows(TREE, "out of rotation")
    const { data } = (await gateway.admin("GET", "/admin/deployments")) as {
      readonly data: ReadonlyArray<{ readonly id: string; readonly status: string }>
    }
    assert.equal(data.find(({ id }) => id === "demo/status-503")?.status, "out_of_rotation")
  },

  "tells @gateway's readers of spend and decisions": async ({ bench }) => {
    await bench.say("@gateway /spend ")
    await bench.shows(CHAT, "this month")
    await bench.say("@gateway /explain ")
    await bench.shows(CHAT, "rcpt_")
    await bench.shot("explain", rightSide)
  },

  "warns when the budget ends, and says when the next one begins": async (journey) => {
    const { bench, gateway, keyId } = journey
    const { spend } = await ownKey(journey)
    await gateway.admin("PATCH", `/admin/keys/${keyId}`, { budgets: [{ usd: spend.day_usd, window: "month" }] })
    await bench.command("Model Gateway: Refresh")
    await bench.until("nothing left", async () => (await bench.status()).includes("$0.00 left"))
    await bench.until("the colour", async () =>
      bench.page.evaluate<boolean>(
        `document.querySelector(".statusbar-item[id*='modelGateway']").className.includes("error")`
      )
    )
    await bench.choose("demo/mini")
    await bench.say("One more?")
    await bench.shows(TOASTS, "The budget of this key of")
    await bench.shows(CHAT, "The next one begins on")
    const said = await bench.chat()
    assert.ok(!said.includes("extension.cjs"), "the chat shows a stack")
    await bench.shot("budget", rightSide)
  }
}
