/** The prompts of a file that `router export` wrote, graded or not, or of any with a `prompt` a line. */
import { Effect, FileSystem, Stream } from "effect"
import { CommandFailed } from "../Failure.ts"

interface PromptsRead<Kept> {
  readonly kept: ReadonlyArray<Kept>
  /** Rows with features and no text: another model can't score them. */
  readonly withoutText: number
}

/** All rows of `file`, of which only `keep` is kept. */
export const readPrompts = Effect.fnUntraced(function* <Kept>(file: string, keep: (prompt: string) => Kept) {
  const fileSystem = yield* FileSystem.FileSystem
  const kept: Array<Kept> = []
  let [line, withoutText] = [0, 0]
  yield* fileSystem.stream(file).pipe(
    Stream.mapError(({ reason }) => new CommandFailed({ message: unreadable(file, reason) })),
    Stream.decodeText,
    Stream.splitLines,
    Stream.runForEach((text) =>
      Effect.suspend(() => {
        line++
        if (text.trim() === "") return Effect.void
        const prompt = promptOf(text)
        if (prompt === undefined) {
          return new CommandFailed({
            message: `${file}, line ${line}: each line must be one JSON object with \`prompt\` or \`features\`, as \`router export\` writes it`
          })
        }
        if (prompt === null) withoutText++
        else kept.push(keep(prompt))
        return Effect.void
      })
    )
  )
  return { kept, withoutText } satisfies PromptsRead<Kept>
})

/** Null: a row without a text; undefined: no row. */
const promptOf = (line: string): string | null | undefined => {
  try {
    const row: unknown = JSON.parse(line)
    if (typeof row !== "object" || row === null || Array.isArray(row)) return undefined
    const { features, prompt, receipt_id } = row as Readonly<Record<string, unknown>>
    if (typeof prompt === "string") return prompt
    return prompt === undefined && (features !== undefined || receipt_id !== undefined) ? null : undefined
  } catch {
    return undefined
  }
}

const unreadable = (file: string, reason: { readonly _tag: string; readonly message: string }): string => {
  if (reason._tag === "NotFound")
    return `${file}: no such file; \`model-gateway router export --all\` writes one from what the gateway has seen`
  if (reason._tag === "PermissionDenied") return `${file} can't be read: no permission`
  return `${file} can't be read: ${reason.message}`
}
