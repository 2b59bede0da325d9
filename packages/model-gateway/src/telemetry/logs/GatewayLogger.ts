/**
 * What the gateway logs about itself, as lines with allowed fields only. The text of a line is ours; of an error only its name, the system's
 * code for it and its frames are shown, because messages of errors may quote what they failed on.
 */
import { Cause, Effect, Layer, Logger, type LogLevel, References, type Redacted } from "effect"
import type { LogFormat } from "@model-gateway/gateway/internal/core/domain/Settings"
import { allowed } from "./LogFields.ts"
import { formatLine, type LogLine } from "./LogLine.ts"
import { LogWriter } from "./LogWriter.ts"
import { redactor } from "./Redact.ts"

/** Errors of ours whose words are written by us, for operators. */
const inOurWords = new Set(["StoreUnavailable"])

const MOST_FRAMES = 20

export const layer = (options: {
  readonly format: LogFormat
  /** Struck out wherever they turn up. */
  readonly secrets: () => ReadonlyArray<Redacted.Redacted<string>>
}) => {
  const redact = redactor(options.secrets)
  const logger = Effect.map(LogWriter, (writer) =>
    Logger.make<unknown, void>(({ cause, date, fiber, logLevel, message }) => {
      const parts: ReadonlyArray<unknown> = Array.isArray(message) ? message : [message]
      const errors = [...parts, ...Cause.prettyErrors(cause)].filter((part) => part instanceof Error)
      const failure = describe(errors, cause)
      const line: LogLine = {
        at: date.getTime(),
        level: levels[logLevel],
        message: parts.filter((part) => typeof part === "string").join(" "),
        fields: { ...allowed(fiber.getRef(References.CurrentLogAnnotations)), ...failure.fields },
        ...(failure.stack === undefined ? {} : { stack: failure.stack })
      }
      writer.write(redact(formatLine(line, options.format)))
    })
  )
  return Layer.mergeAll(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, "Info"))
}

const levels: { readonly [Level in LogLevel.LogLevel]: LogLine["level"] } = {
  All: "TRACE",
  Trace: "TRACE",
  Debug: "DEBUG",
  Info: "INFO",
  Warn: "WARN",
  Error: "ERROR",
  Fatal: "FATAL",
  None: "FATAL"
}

interface DescribedCause {
  readonly fields?: Readonly<Record<string, string>>
  readonly stack?: string
}

const describe = (errors: ReadonlyArray<Error>, cause: Cause.Cause<unknown>): DescribedCause => {
  const [first] = errors
  if (first === undefined) return {}
  const known = cause.reasons.length > 0 ? Cause.squash(cause) : first
  const reason = reasonOf(known)
  const frames = (first.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line))
  return {
    fields: { error: first.name, ...(reason === undefined ? {} : { reason }) },
    stack: frames
      .slice(0, MOST_FRAMES)
      .map((frame) => frame.trim())
      .join("\n")
  }
}

/** Our own words, or what the system calls it: `ENOSPC`. */
const reasonOf = (known: unknown): string | undefined => {
  if (!(known instanceof Error)) return undefined
  if (inOurWords.has(known.name)) return known.message
  const code = "code" in known && typeof known.code === "string" ? known.code : ""
  return /^E[A-Z\d_]{1,63}$/.test(code) ? code : undefined
}
