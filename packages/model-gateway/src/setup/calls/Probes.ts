/** The calls that `check --live --calls` sends to a model: small requests, each with one feature that vendors refuse to some models. */
import type { Capability } from "@model-gateway/gateway/internal/core/domain/Deployment"
import type { JsonObject } from "@model-gateway/gateway/internal/core/domain/Json"
import type { TestAnswer } from "@model-gateway/gateway/internal/testing/TestAnswer"

export const cells = ["plain", "stream", "tool", "tool + effort", "schema", "image"] as const
export type Cell = (typeof cells)[number]

export interface Probe {
  readonly cell: Cell
  readonly fields: JsonObject
  /** The feature by which rules of the catalogue name such requests. */
  readonly when: ReadonlyArray<string>
  /** What the model lacks where it refuses this alone. */
  readonly need?: Capability
  /** What a response lacks of what the request demands; undefined: nothing. */
  readonly missing: (answer: TestAnswer) => string | undefined
}

/** Tokens. Bounds the cost of a call, and allows a little reasoning. */
export const OUTPUT = 256

/** A red square of 64 × 64 pixels: some vendors refuse smaller images. */
const RED =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAS0lEQVR42u3PQQkAAAgAsetfWiP4FgYrsKZeS0BAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEDgsqnc8OJg6Ln3AAAAAElFTkSuQmCC"

const parameters = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false
}
const tools = [
  { type: "function", function: { name: "weather", description: "The weather in a city now.", parameters } }
]
const weather = { messages: user("What is the weather in Rome? Call the tool."), tools }
const json_schema = { name: "city", strict: true, schema: parameters }

function user(content: unknown) {
  return [{ role: "user", content }]
}

const nothing = () => undefined

export const probes: ReadonlyArray<Probe> = [
  { cell: "plain", fields: { messages: user("Say hello.") }, when: [], missing: nothing },
  {
    cell: "stream",
    fields: { messages: user("Say hello."), stream: true },
    when: ["stream"],
    need: "stream",
    missing: nothing
  },
  { cell: "tool", fields: weather, when: ["tools"], need: "tools", missing: withoutCall },
  {
    cell: "tool + effort",
    fields: { ...weather, reasoning_effort: "low" },
    when: ["tools", "effort"],
    missing: withoutCall
  },
  {
    cell: "schema",
    fields: {
      messages: user("Name a city, as JSON."),
      response_format: { type: "json_schema", json_schema }
    },
    when: ["schema"],
    need: "json_schema",
    missing: ({ text }) => (hasCity(text) ? undefined : "no JSON")
  },
  {
    cell: "image",
    fields: {
      messages: user([
        { type: "text", text: "Which colour is this? One word." },
        { type: "image_url", image_url: { url: RED } }
      ])
    },
    when: ["images"],
    need: "images",
    missing: ({ text }) => (/\bred\b/i.test(text) ? undefined : "not seen")
  }
]

function withoutCall({ body }: TestAnswer): string | undefined {
  return JSON.stringify(body["choices"] ?? []).includes('"weather"') ? undefined : "no call"
}

const hasCity = (text: string): boolean => {
  try {
    return typeof JSON.parse(text).city === "string"
  } catch {
    return false
  }
}
