/** The chat request that one for contents was read as, for models of others: without what is Google's alone. */
import type { ContentBody } from "../content/FieldRules.ts"
import type { WrongContent } from "./ChatOfContents.ts"
import { camel, each, isEmpty, some } from "./ContentFields.ts"

export interface PlainChat {
  readonly body: ContentBody
  /** The caller's names of what is left out. */
  readonly lost: ReadonlySet<string>
  /** What the request can't do without. */
  readonly refused: WrongContent | undefined
}

export const plainChat = (given: ContentBody): PlainChat => {
  const { extra_body: extra, logprobs, messages, tool_choice, tools, top_logprobs, ...body } = given
  const { cachedContent, generationConfig, more, thinkingConfig: _, ...others } = camel(camel(extra)["google"])
  const { responseModalities: __, ...config } = camel(generationConfig)
  const lost = new Set(Object.keys({ ...camel(more), ...others }))
  for (const name of Object.keys(config)) lost.add(`generationConfig.${name}`)
  if (logprobs === true || top_logprobs !== undefined) lost.add("generationConfig.responseLogprobs")
  const unreadable = new Set<string>()
  const functions = each(tools).flatMap((tool) => {
    const { google: ___, ...declared } = camel(tool["function"])
    if (isEmpty(declared)) for (const name of Object.keys(tool)) lost.add(`tools.${name}`)
    return isEmpty(declared) ? [] : [{ ...tool, function: declared }]
  })
  const partOf = ({ google = {}, ...part }: ContentBody): ReadonlyArray<ContentBody> => {
    for (const name of Object.keys(camel(google)))
      (part["type"] === "google" ? unreadable : lost).add(`contents.parts.${name}`)
    return part["type"] === "google" ? [] : [part]
  }
  const said = each(messages).map((message) => {
    const { content, role } = message
    if (role === "tool") return { ...message, content: resultOf(content) }
    if (role === "assistant") return { ...message, content: `${hosted(message)}${String(content ?? "")}` }
    return { ...message, content: Array.isArray(content) ? each(content).flatMap(partOf) : content }
  })
  const [part] = unreadable
  const refused =
    cachedContent !== undefined
      ? {
          param: "cachedContent",
          message: "`cachedContent` is kept at Google: choose a model there, or send the content itself"
        }
      : part === undefined
        ? undefined
        : { param: part, message: `this provider can't read a part with \`${part.replace("contents.parts.", "")}\`` }
  const isCalling = functions.length > 0
  const plain = some({
    ...body,
    messages: said,
    tools: isCalling ? functions : undefined,
    tool_choice: isCalling ? tool_choice : undefined
  })
  return { body: plain, lost, refused }
}

/** What Google's own tools did in an earlier turn, as text. */
const hosted = (message: ContentBody): string =>
  each(camel(camel(message["extra_content"])["google"])["parts"])
    .flatMap(({ call, image, text, thoughtSignature: _, ...part }) =>
      call === undefined && image === undefined && text === undefined ? [`[${JSON.stringify(part)}]\n`] : []
    )
    .join("")

/** Without what Google's clients put around the text of a result: https://ai.google.dev/api/caching#FunctionResponse (2026-11-28). */
const resultOf = (content: unknown): unknown => {
  const found = /^\{"(?:output|result)":("(?:[^"\\]|\\.)*")\}$/s.exec(String(content))
  return found === null ? content : (JSON.parse(found[1]!) as string)
}
