/** Cohere. */
import { createCohere } from "@ai-sdk/cohere"
import { isAbsentThere, type Opinion } from "../Opinion.ts"

export const cohere: ReadonlyArray<Opinion> = [
  {
    name: "Cohere",
    deployment: "cohere/command-a-plus-05-2026",
    sdk: (fetch) => createCohere({ apiKey: "k", fetch })("command-a-plus-05-2026"),
    exceptions: [
      { at: /^strict_tools$/, when: isAbsentThere, why: "the SDK does not pass on that tools are strict" },
      {
        at: /^messages\[\d+\]\.tool_plan$/,
        when: isAbsentThere,
        why: "the SDK drops what was said beside a call; it is the plan for it, as in Cohere's own answers"
      },
      {
        at: /./,
        of: /^a document$/,
        why: "a PDF is no text, and the SDK sends its bytes as one; the request goes to a deployment that reads files"
      },
      {
        at: /^thinking\.token_budget$/,
        why: "budgets are those that efforts have everywhere (`Efforts.ts`), within the output limit; the SDK takes shares of 32,768"
      }
    ]
  }
]
