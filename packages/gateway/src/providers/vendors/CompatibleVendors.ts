import type { Capability, Quirks } from "../../core/domain/Deployment.ts"
import { type ModelFacts, noFacts } from "../../core/domain/models/ModelFacts.ts"
import type { OperationName } from "../../core/domain/OperationName.ts"
import type { OtherEndpoint, Vendor, VendorNotes } from "../../core/pool/Vendor.ts"
import { bearer } from "../auth/Static.ts"
import { compatibleBounds } from "./CompatibleBounds.ts"
import { without } from "./Families.ts"
import written from "./vendors.json" with { type: "json" }

/** The least `max_output_tokens` of OpenAI's Responses: https://github.com/openclaw/openclaw/issues/138825 (2026-11-27). */
export const LEAST_OUTPUT = 16

/** What some models have wherever they are served. */
export const compatibleQuirks = ({ protocol = {} }: ModelFacts = noFacts): Quirks => ({
  ...(protocol["onlyInlineImages"] === true ? { onlyInlineImages: true } : {}),
  ...(protocol["timesTranscripts"] === true ? { timesTranscripts: true } : {})
})

/** What responses of other vendors hold for the next turn: servers that refuse unknown fields refuse these. */
export const otherVendorsFields = [
  "messages[].reasoning_details",
  "messages[].thinking_blocks",
  "messages[].extra_content",
  "messages[].tool_calls[].extra_content",
  "messages[].images"
]

/** Tokens a second. */
const SERVER_RATE = 400

/** All of these a model that chats may have; the others a model of another kind. */
const CHATTING: ReadonlySet<OperationName> = new Set(["chat", "responses", "messages", "completions"])

/** Of `serves` what the model has. A model of which nothing is known chats. */
export const servedOf = (serves: ReadonlyArray<OperationName>, { operations }: ModelFacts = noFacts) => {
  const all: ReadonlyArray<string> = operations ?? serves.filter((operation) => CHATTING.has(operation))
  return serves.filter((operation) => all.includes(operation))
}

/** What the catalogue says that the model has, else `usual`. */
export const operationsIn =
  (...usual: ReadonlyArray<OperationName>): NonNullable<Vendor["operations"]> =>
  (_model, _options, facts) =>
    facts?.operations ?? usual

export const compatible = (vendor: Pick<Vendor, "name" | "baseUrl"> & Partial<Vendor>): Vendor => ({
  protocol: "openai-chat",
  apiKeyVariable: undefined,
  billsAfterDisconnect: "none",
  bounds: compatibleBounds,
  auth: bearer,
  // Of a server of which nothing is known the configuration says whether it has Responses or Completions, too.
  operations: (_model, _options, facts) =>
    vendor.serves === undefined ? (facts?.operations ?? ["chat"]) : servedOf(vendor.serves, facts),
  quirks: (_model, _options, facts) => compatibleQuirks(facts),
  assumedRate: SERVER_RATE,
  ...vendor
})

export const withQuirks =
  (own: Quirks): NonNullable<Vendor["quirks"]> =>
  (_model, _options, facts) => ({ ...compatibleQuirks(facts), ...own })

/** A vendor in `vendors.json`. One without a `baseUrl` has its other facts in a file beside this one. */
interface WrittenVendor extends Partial<Omit<Vendor, "bounds" | "name" | "quirks" | "sources">> {
  readonly about?: string
  /** The day on which the sources were read, where it is not `READ`. */
  readonly read?: string
  readonly sources: ReadonlyArray<string>
  /** What a model of which the catalogue knows nothing has. */
  readonly usual?: ReadonlyArray<OperationName>
  readonly messages?: { readonly path: string; readonly end: string; readonly hosts: ReadonlyArray<string> }
  readonly quirks?: Quirks
  /** It refuses `otherVendorsFields`. */
  readonly refusesOthers?: boolean
  /** What none of its models can do. */
  readonly lacks?: ReadonlyArray<Capability>
  readonly bounds?: ReturnType<Vendor["bounds"]>
  /** Where a fact was found, by the fact's name. */
  readonly why?: { readonly [fact: string]: string }
}

const READ = "2026-11-22"

export const writtenVendors = written as unknown as { readonly [name: string]: WrittenVendor }

/** Its name, what people read of it, and where its facts were found. */
export const notesOf = (name: string): VendorNotes & Pick<Vendor, "name"> => {
  const { notes = [], read = READ, sources, standing, title } = writtenVendors[name]!
  return {
    name,
    notes,
    sources: sources.map((url) => ({ url, read })),
    ...(standing === undefined ? {} : { standing }),
    ...(title === undefined ? {} : { title })
  }
}

/** The vendor with that name in `vendors.json`. */
export const writtenVendor = (name: string): Vendor => {
  const { bounds, lacks, messages, quirks, refusesOthers, usual, ...facts } = writtenVendors[name]!
  const { about: _about, read: _read, sources: _sources, why: _why, ...vendor } = facts
  const refuses = [...(quirks?.refuses ?? []), ...(refusesOthers === true ? otherVendorsFields : [])]
  return compatible({
    ...vendor,
    ...notesOf(name),
    baseUrl: vendor.baseUrl ?? "",
    ...(quirks === undefined ? {} : { quirks: withQuirks(refuses.length === 0 ? quirks : { ...quirks, refuses }) }),
    ...(usual === undefined ? {} : { operations: operationsIn(...usual) }),
    ...(messages === undefined ? {} : { beside: [messagesAt(messages)] }),
    ...(lacks === undefined ? {} : { families: [{ match: /^/, supports: without(...lacks) }] }),
    ...(bounds === undefined ? {} : { bounds: () => bounds })
  })
}

/** Anthropic's Messages API beside the vendor's own: at `path` in place of `end` of its address. */
const messagesAt = ({ end, hosts, path }: NonNullable<WrittenVendor["messages"]>): OtherEndpoint => {
  const ending = new RegExp(end)
  return {
    operation: "messages",
    protocol: "anthropic-messages",
    at: (baseUrl) => (ending.test(baseUrl) ? baseUrl.replace(ending, path) : undefined),
    isKnownAt: (baseUrl) => {
      const host = URL.parse(baseUrl)?.hostname ?? ""
      return hosts.some((one) => host === one || host.endsWith(`.${one}`))
    }
  }
}

/** A server of somebody else that speaks the vendor's protocol: the configuration says where it is and what it costs. */
export const compatibleWith = (vendor: Vendor, title: string, more: Partial<Vendor> = {}): Vendor => ({
  ...vendor,
  name: `${vendor.name}-compatible`,
  isSelfHosted: true,
  title,
  standing: "unverified",
  sources: [],
  baseUrl: "",
  apiKeyVariable: undefined,
  billsAfterDisconnect: "none",
  ...more
})

/** A server that speaks OpenAI's protocol (vLLM, llama.cpp, another vendor). */
export const OpenAiCompatible = writtenVendor("openai-compatible")
