/** Callers who try: what one of them sends next, drawn by chance. */
import type { JsonObject } from "../../../src/core/domain/Json.ts"
import type { Chance } from "./Chance.ts"
import { type Kind, kinds } from "./Kinds.ts"
import type { Media } from "./Media.ts"
import { type Model, modelOf, models, type Tier } from "./Models.ts"
import { services } from "./Services.ts"
import type { Told } from "./Reading.ts"
import { type Sent, sentAs } from "./Endpoints.ts"
import { markOf } from "./Provider.ts"

export interface Drawn {
  readonly number: number
  readonly kind: Kind
  readonly model: Model
  /** As a chat. */
  readonly body: JsonObject
  readonly sent: Sent
  readonly stream: boolean
  /** Hangs up after so many milliseconds; undefined: stays. */
  readonly leaves: number | undefined
  /** What the vendor's documents say of it is enough to know what it can cost. */
  readonly documented: boolean
  readonly tier: Tier | undefined
}

/** What callers know of the files they send, by the name the provider finds them under. */
export class Files {
  readonly told = new Map<string, Media["holds"]>()
  readonly remote = new Map<string, Media>()

  dataUrl(media: Media): string {
    return `data:${media.mediaType};base64,${this.base64(media)}`
  }

  base64({ bytes, holds }: Media): string {
    const data = bytes.toString("base64")
    this.told.set(data, holds)
    return data
  }

  url(media: Media): string {
    const url = `https://files.example/${this.remote.size}.${media.mediaType.split("/")[1]}`
    this.told.set(url, media.holds)
    // A gateway may send what it measured in its place.
    this.base64(media)
    this.remote.set(url, media)
    return url
  }

  id(holds: Media["holds"]): string {
    const id = `file-${this.told.size}`
    this.told.set(id, holds)
    return id
  }

  get holds(): Told {
    return this.told
  }
}

const LIMITS: ReadonlyArray<number | undefined> = [undefined, undefined, 1, 16, 100, 300, 700, 1500, 4000]

/** `others`: beside chats, everything else that callers may ask for. */
export const draw = (number: number, chance: Chance, files: Files, others = false): Drawn => {
  if (others && chance.next() < 0.3) return drawService(number, chance)
  const kind = chance.pick(kinds)
  const model = chance.pick(models.filter((one) => kind.suits(one)))
  const parts = kind.parts({ chance, files, model })
  const stream = chance.next() < 0.5
  const limit = chance.pick(LIMITS)
  const limitName = chance.next() < 0.5 ? "max_tokens" : "max_completion_tokens"
  const choices = model.provider !== "anthropic" && chance.next() < 0.1 ? 1 + chance.below(6) : 1
  const tier = model.takes.includes("tiers") && chance.next() < 0.25 ? chance.pick(tiers) : undefined
  const effort = model.takes.includes("effort") && chance.next() < 0.3 ? chance.pick(efforts) : undefined
  const leaves = chance.next() < 0.3 ? 100 + Math.floor(12_000 * chance.next() ** 2) : undefined
  const marked = `${markOf(number)} ${chance.pick(openings)}`
  const content = parts.content === undefined ? marked : [{ type: "text", text: marked }, ...parts.content]
  const body: JsonObject = {
    model: model.id,
    messages: [...(parts.before ?? []), { role: "user", content }, ...(parts.after ?? [])],
    ...(stream ? { stream } : {}),
    ...(limit === undefined ? {} : { [limitName]: limit }),
    ...(choices === 1 ? {} : { n: choices }),
    ...(tier === undefined ? {} : { service_tier: tier }),
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
    ...parts.fields
  }
  return {
    number,
    kind,
    model,
    stream,
    leaves,
    tier,
    documented: kind.documented(model),
    body,
    sent: sentAs(body, model, chance)
  }
}

const drawService = (number: number, chance: Chance): Drawn => {
  const service = chance.pick(services)
  const model = modelOf(service)
  const body = { model: model.id, ...service.draw(chance, markOf(number)) }
  const kind = { name: service.name, suits: () => false, documented: () => true, parts: () => ({}) }
  const sent = { path: service.path, body }
  return { number, kind, model, stream: false, leaves: undefined, tier: undefined, documented: true, body, sent }
}

const tiers: ReadonlyArray<Tier> = ["flex", "priority", "default"]
const efforts = ["low", "medium", "high"]
const openings = [
  "What is this?",
  "Go on, as long as you can.",
  "Answer in one word.",
  "请详细说明。",
  "هل يمكنك المساعدة؟"
]
