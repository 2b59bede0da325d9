/** Google: Gemini 3 and 2.5 at AI Studio, and at Vertex. */
import { isDeepStrictEqual } from "node:util"
import { createGoogle } from "@ai-sdk/google"
import { createGoogleVertex } from "@ai-sdk/google-vertex"
import { type Exception, isAbsentThere, type Opinion } from "../Opinion.ts"

const shared: ReadonlyArray<Exception> = [
  {
    at: /^generationConfig$/,
    when: ({ ours, theirs }) => ours === undefined && isDeepStrictEqual(theirs, {}),
    why: "nothing is asked, so nothing is sent"
  },
  {
    at: /\.description$/,
    when: ({ ours, theirs }) => ours === undefined && theirs === "",
    why: "a tool without a description has none"
  },
  {
    at: /\.functionResponse\.response\./,
    why: "a result that is a JSON object is that object, and text stands under `result`, as Google's pages have it; the SDK has words of its own"
  },
  {
    at: /^contents\[/,
    of: /^(?:two messages of|a question after a result)/,
    why: "turns of one role in a row are one turn"
  },
  {
    at: /thinkingConfig\.includeThoughts$/,
    when: isAbsentThere,
    why: "who asks for reasoning sees its summary, as at other vendors"
  }
]

const budgets: ReadonlyArray<Exception> = [
  {
    at: /thinkingConfig\.thinkingBudget$/,
    why: "budgets are those of Google's own compatible API, within the caller's output limit; the SDK has shares of its own"
  }
]

const studioAlone: ReadonlyArray<Exception> = [
  {
    at: /\.(?:inlineData|fileData)$/,
    of: /by address/,
    why: "AI Studio gets images as bytes, fetched by the gateway"
  }
]

export const google: ReadonlyArray<Opinion> = [
  {
    name: "Google AI Studio, Gemini 3",
    deployment: "google-ai-studio/gemini-3-flash-preview",
    sdk: (fetch) => createGoogle({ apiKey: "k", fetch })("gemini-3-flash-preview"),
    exceptions: [...shared, ...studioAlone]
  },
  {
    name: "Google AI Studio, Gemini 2.5",
    deployment: "google-ai-studio/gemini-2.5-flash",
    sdk: (fetch) => createGoogle({ apiKey: "k", fetch })("gemini-2.5-flash"),
    exceptions: [...shared, ...studioAlone, ...budgets]
  },
  {
    name: "Vertex, Gemini 2.5",
    deployment: "vertex/gemini-2.5-pro",
    providers: { vertex: { project: "p", location: "global", api_key: "k" } },
    sdk: (fetch) => createGoogleVertex({ apiKey: "k", fetch })("gemini-2.5-pro"),
    exceptions: [
      ...shared,
      ...budgets,
      {
        at: /\.(?:functionCall|functionResponse)\.id$/,
        when: isAbsentThere,
        why: "results name their call, which 43 recorded requests to Vertex did"
      }
    ]
  }
]
