/** What the tree shows of each gateway: the own key, and to administrators deployments, keys and spend. */
import type { Deployment, Key, OwnKey, SpendRow } from "@model-gateway/client"
import type { Editor } from "../editor/Editor.ts"
import { brief, type Connected, type Gateways } from "../gateways/Gateways.ts"
import { troubleOf } from "../gateways/Trouble.ts"
import { dollars, percent } from "../spend/Money.ts"
import { readOwnKey } from "../spend/OwnKey.ts"
import { nearestEnd, usedShare } from "../spend/StatusView.ts"
import type { Node } from "./Nodes.ts"

/** More of them are found in the dashboard. */
const MOST_KEYS = 100

export class Tree {
  readonly #editor: Editor
  readonly #gateways: Gateways

  constructor(editor: Editor, gateways: Gateways) {
    this.#editor = editor
    this.#gateways = gateways
  }

  async roots(): Promise<ReadonlyArray<Node>> {
    const connected = await this.#gateways.connected()
    const [only] = connected
    if (only !== undefined && connected.length === 1) return this.#sections(only)
    return connected.map((one) => ({
      ...nodeOf(one, "gateway", one.name, "section"),
      description: one.url,
      icon: "server",
      children: async () => this.#sections(one)
    }))
  }

  #sections(connected: Connected): ReadonlyArray<Node> {
    const section = (id: string, label: string, icon: string, read: () => Promise<ReadonlyArray<Node>>): Node => ({
      ...nodeOf(connected, id, label, id === "keys" ? "keys" : "section"),
      icon,
      isOpen: id !== "keys",
      children: () => this.#told(connected, id, read)
    })
    const mine = section("mine", "My key", "key", () => myKey(connected, this.#editor.timeZone()))
    if (!connected.isAdministrator) {
      return [mine, { ...nodeOf(connected, "administrator", "Add the master key …", "noMasterKey"), icon: "lock" }]
    }
    return [
      mine,
      section("spend", "Spend this month", "graph", () => spend(connected, this.#editor)),
      section("keys", "Keys", "organization", () => keys(connected)),
      // Last: there may be hundreds.
      section("deployments", "Deployments", "server-process", () => deployments(connected))
    ]
  }

  /** What can't be read says so in its place. */
  async #told(
    connected: Connected,
    id: string,
    read: () => Promise<ReadonlyArray<Node>>
  ): Promise<ReadonlyArray<Node>> {
    try {
      return await read()
    } catch (error) {
      const { clock, now } = this.#editor
      const { text } = troubleOf(error, { ...connected, now: now(), clock })
      return [{ ...nodeOf(connected, `${id}/trouble`, text, "trouble"), tooltip: text, icon: "warning" }]
    }
  }
}

const nodeOf = ({ name }: Connected, id: string, label: string, kind: Node["kind"]): Node => ({
  id: `${name}/${id}`,
  label,
  kind,
  gateway: name
})

const myKey = async (connected: Connected, timeZone: string): Promise<ReadonlyArray<Node>> => {
  const key = await readOwnKey(connected.client, timeZone)
  const plain = (id: string, label: string, description: string): Node => ({
    ...nodeOf(connected, `mine/${id}`, label, "plain"),
    description
  })
  return [
    plain("today", "Today", dollars(key.spend.day_usd)),
    plain("month", "This month", dollars(key.spend.month_usd)),
    ...key.budgets.map((one, index) => budgetNode(connected, `mine/budget/${index}`, "Budget", one)),
    ...key.team_budgets.map((one, index) => budgetNode(connected, `mine/team/${index}`, "Budget of the team", one))
  ]
}

const budgetNode = (connected: Connected, id: string, label: string, budget: OwnKey["budgets"][number]): Node => {
  const share = usedShare(budget)
  const each = budget.window === "total" ? "in all" : `a ${budget.window}`
  return {
    ...nodeOf(connected, id, label, "plain"),
    description: `${dollars(budget.remaining_usd)} left of ${dollars(budget.usd)} ${each} (${percent(share)} used)`,
    icon: share >= 0.8 ? "warning" : "circle-large-outline",
    colour: share >= 1 ? "error" : share >= 0.8 ? "warning" : undefined
  }
}

const deployments = async (connected: Connected): Promise<ReadonlyArray<Node>> => {
  const { data } = await connected.client.admin.deployments.list(brief)
  return data.map((one) => deploymentNode(connected, one))
}

const deploymentNode = (connected: Connected, one: Deployment): Node => {
  const { circuit, latency_ms_p50 } = one.health
  const isOut = one.status === "out_of_rotation"
  const state = isOut ? "out of rotation" : circuit === "closed" ? "" : circuit.replace("_", " ")
  const speed = latency_ms_p50 === null ? "" : `${Math.round(latency_ms_p50)} ms`
  const failed = one.failed_1h === 0 ? "" : `${one.failed_1h} of ${one.requests_1h} failed`
  const isBad = circuit === "open"
  return {
    ...nodeOf(connected, `deployments/${one.id}`, one.id, isOut ? "disabled" : "enabled"),
    subject: one.id,
    description: [state, speed, failed].filter((text) => text !== "").join(" · "),
    tooltip: [
      `${one.requests_1h} requests in the last hour, ${one.failed_1h} failed, ${one.in_flight} running`,
      one.price === null ? "price unknown" : `$${one.price.input} in, $${one.price.output} out per 1M tokens`,
      ...(one.buckets.length === 0 ? [] : [`buckets of auto: ${one.buckets.join(", ")}`]),
      ...(one.health.last_error === null ? [] : [`last error: ${one.health.last_error.message}`])
    ].join("\n"),
    icon: isOut ? "circle-slash" : isBad ? "error" : "pass",
    colour: isOut ? undefined : isBad ? "error" : circuit === "half_open" ? "warning" : "good"
  }
}

const keys = async (connected: Connected): Promise<ReadonlyArray<Node>> => {
  const { data, has_more } = await connected.client.admin.keys.list({ limit: MOST_KEYS }, brief).first()
  const more: Node = {
    ...nodeOf(connected, "keys/more", "More of them are in the dashboard", "plain"),
    icon: "ellipsis"
  }
  return [...data.map((one) => keyNode(connected, one)), ...(has_more ? [more] : [])]
}

const keyNode = (connected: Connected, key: Key): Node => {
  const budget = nearestEnd({ budgets: key.budgets, team_budgets: [] })
  const left = budget === undefined ? "" : `${dollars(budget.remaining_usd)} left`
  return {
    ...nodeOf(connected, `keys/${key.id}`, key.name ?? key.id, key.status === "revoked" ? "plain" : "key"),
    subject: key.id,
    description: [key.status === "active" ? "" : key.status, key.team ?? "", left]
      .filter((text) => text !== "")
      .join(" · "),
    tooltip: `${key.id}, made ${key.created_at.slice(0, 10)}, last used ${key.last_used_at?.slice(0, 10) ?? "never"}`,
    icon: key.status === "active" ? "key" : "circle-slash"
  }
}

const spend = async (connected: Connected, { now, timeZone }: Editor): Promise<ReadonlyArray<Node>> => {
  const tz = timeZone()
  // The month that this person's calendar shows; Swedish dates are those of RFC 3339.
  const month = new Date(now()).toLocaleDateString("sv-SE", { timeZone: tz }).slice(0, 7)
  const report = await connected.client.admin.spend({ from: `${month}-01`, tz, limit: 20 }, brief)
  const rows = (id: string, label: string, icon: string, all: ReadonlyArray<SpendRow>): Node => ({
    ...nodeOf(connected, `spend/${id}`, label, "plain"),
    icon,
    children: async () => all.map((row) => spendNode(connected, `spend/${id}`, row))
  })
  return [
    {
      ...nodeOf(connected, "spend/total", "In all", "plain"),
      description: `${dollars(report.total.cost_usd)} · ${report.total.requests} requests`
    },
    rows("model", "By model", "symbol-class", report.by_model ?? []),
    rows("team", "By team", "organization", report.by_team ?? []),
    rows("key", "By key", "key", report.by_key ?? [])
  ]
}

const spendNode = (connected: Connected, id: string, row: SpendRow): Node => {
  const name = row.provider && row.model ? `${row.provider}/${row.model}` : (row.model ?? row.team ?? row.key ?? "none")
  return {
    ...nodeOf(connected, `${id}/${name}`, name, "plain"),
    description: `${dollars(row.cost_usd)} · ${row.requests} requests`
  }
}
