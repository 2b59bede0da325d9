/** Anthropic. */
import { createAnthropic } from "@ai-sdk/anthropic"
import { type Opinion } from "../Opinion.ts"

export const anthropic: ReadonlyArray<Opinion> = [
  {
    name: "Anthropic",
    deployment: "anthropic/claude-sonnet-4-5",
    sdk: (fetch) => createAnthropic({ apiKey: "k", fetch })("claude-sonnet-4-5"),
    exceptions: [
      {
        at: /^system$/,
        when: ({ ours, theirs }) =>
          Array.isArray(theirs) && ours === theirs.map((one: { readonly text: string }) => one.text).join("\n"),
        why: "instructions are joined by line breaks, as Anthropic's own compatible API does"
      },
      {
        at: /^(?:thinking\.budget_tokens|max_tokens)$/,
        of: /reasoning/,
        when: ({ ours, path, theirs }) => path === "thinking.budget_tokens" || Number(ours) < Number(theirs),
        why: "thoughts are a share of the output limit, which stays what the caller set and pays for; the SDK adds them on top"
      }
    ]
  }
]
