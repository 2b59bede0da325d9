/** `content`: whose prompts and responses are logged, what is struck out of them, and where they go. */
import { Schema } from "effect"
import { contentLevels, type ContentSettings } from "../../core/domain/Settings.ts"
import type { Here } from "../Here.ts"
import { beside } from "../Paths.ts"
import { headerValue } from "../SecretSettings.ts"
import { duration, group, integer, list, oneOf, or, orEmpty, record, required, span, text } from "../SettingValues.ts"
import { webhookUrl } from "./AlertsSection.ts"
import { known } from "./GuardrailsSection.ts"

const level = oneOf("a level of content", contentLevels)
const levels = record(Schema.String, level)

const Sink = group({
  kind: required("where it goes: otlp or jsonl", oneOf("a kind of sink", ["otlp", "jsonl"])),
  url: Schema.optionalKey(webhookUrl),
  protocol: oneOf("a form of OTLP", ["json", "protobuf"]).pipe(or("json")),
  headers: record(Schema.String, headerValue).pipe(orEmpty),
  folder: Schema.optionalKey(text("a folder")),
  rotate: duration(60_000).pipe(or(3_600_000)),
  keep: span.pipe(or(30 * 24 * 3_600_000))
})

export const Content = group({
  default: level.pipe(or("none")),
  max: level.pipe(or("full")),
  teams: levels.pipe(orEmpty),
  keys: levels.pipe(orEmpty),
  redact: Schema.optionalKey(list("names of checks", text("the name of a check"))),
  capture_kb: integer({ from: 1, to: 65_536 }).pipe(or(256)),
  queue_mb: integer({ from: 1, to: 65_536 }).pipe(or(64)),
  sinks: record(Schema.String, Sink).pipe(orEmpty)
})

export const checkContent = (
  section: Here | undefined,
  checks: ReadonlyArray<{ readonly key: string; readonly here: Here }>
): void => {
  const local = checks.filter(({ here }) => here.field("kind")?.text !== "webhook").map(({ key }) => key)
  known(section?.field("redact"), "check", local)
  for (const { here } of section?.field("sinks")?.entries ?? []) {
    const needs = here.field("kind")?.text === "jsonl" ? "folder" : "url"
    if (!here.has(needs)) here.missing(needs, needs === "url" ? "the address of a collector" : "a folder for the files")
  }
}

/** Left out where nothing can be logged. */
export const contentSettings = (read: typeof Content.Type, file: string): { readonly content?: ContentSettings } => {
  const { capture_kb: capture, queue_mb: queue, sinks, ...same } = read
  if (sinks.length === 0) return {}
  return {
    content: {
      ...same,
      teams: new Map(read.teams),
      keys: new Map(read.keys),
      mostCharacters: capture * 1024,
      queueBytes: queue * 1_048_576,
      sinks: sinks.map(([name, { folder = "", headers, keep: keepMs, kind, protocol, rotate: rotateMs, url = "" }]) =>
        kind === "otlp"
          ? { name, kind, url, protocol: `http/${protocol}` as const, headers: new Map(headers) }
          : { name, kind, folder: beside(file, folder), rotateMs, keepMs }
      )
    }
  }
}
