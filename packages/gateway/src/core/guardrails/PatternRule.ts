/** Patterns of operators, in RE2's syntax and linear time. The library is loaded only where there is one. */
import { Effect, Result } from "effect"
import type { RuleMatch, TextRule } from "@model-gateway/protocol"

let library: typeof import("re2js") | undefined

/** Before `patternRule` is called. */
export const loadPatterns = Effect.promise(async () => {
  library ??= await import("re2js")
})

/** Why RE2 does not accept it; undefined where it does, or before `loadPatterns`. */
export const patternProblem = (pattern: string): string | undefined => {
  const compiled = Result.try(() => library?.RE2JS.compile(pattern))
  if (Result.isSuccess(compiled)) return undefined
  return compiled.failure instanceof Error ? compiled.failure.message : String(compiled.failure)
}

/** A longer match counts with its first `maxLength` characters, so that no text has to wait for more of them. */
export const patternRule = (name: string, pattern: string, maxLength: number): TextRule => {
  const compiled = library!.RE2JS.compile(pattern)
  /** A start is decided by so many characters: the longest match, and the one after it for `\b` and `$`. */
  const needed = maxLength + 1
  /** The match in `text` at `from` or later, with the character before as context. */
  const first = (text: string, from: number, to: number): RuleMatch | undefined => {
    const base = Math.max(0, from - 1)
    const matcher = compiled.matcher(text.slice(base, to))
    if (!matcher.find(from - base)) return undefined
    return { start: base + matcher.start(), end: base + matcher.end() }
  }
  return {
    name,
    find: (text, from, isEnd) => {
      const decided = isEnd ? text.length : text.length - maxLength
      let at = from
      while (at < decided) {
        const to = Math.min(text.length, at + 2 * needed)
        const candidate = first(text, at, to)
        const last = Math.min(decided, to === text.length ? text.length : to - maxLength)
        if (candidate === undefined || candidate.start >= last) {
          at = last
          continue
        }
        const { start } = candidate
        const match = first(text, start, Math.min(text.length, start + needed))
        if (match?.start === start && match.end > start) return { start, end: Math.min(match.end, start + maxLength) }
        at = start + 1
      }
      return isEnd || at >= text.length ? undefined : { start: Math.max(from, at), end: -1 }
    }
  }
}
