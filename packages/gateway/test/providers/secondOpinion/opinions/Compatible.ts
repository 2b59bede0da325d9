/** Vendors that speak OpenAI's chat at their own addresses. */
import { createAzure } from "@ai-sdk/azure"
import { createGroq } from "@ai-sdk/groq"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { isAbsent, isAbsentThere, NOT_HERE, type Opinion } from "../Opinion.ts"

export const compatible: ReadonlyArray<Opinion> = [
  {
    name: "Azure",
    deployment: "azure/gpt-4o",
    providers: { azure: { resource: "r", api_key: "k" } },
    sdk: (fetch) => createAzure({ apiKey: "k", resourceName: "r", fetch }).chat("gpt-4o"),
    exceptions: [{ at: /^reasoning_effort$/, when: isAbsent, why: NOT_HERE }]
  },
  {
    name: "Groq",
    deployment: "groq/openai/gpt-oss-120b",
    sdk: (fetch) => createGroq({ apiKey: "k", fetch })("openai/gpt-oss-120b"),
    exceptions: [
      {
        at: /^parallel_tool_calls$/,
        when: isAbsentThere,
        why: "the SDK has the option under its own name only"
      },
      {
        at: /^messages\[\d+\]\.content$/,
        when: ({ ours, theirs }) => ours === null && theirs === "",
        why: "a message that only calls has no content, as the specification says"
      },
      { at: /^refused$/, of: /^a document$/, why: "the SDK refuses documents; here the provider does" }
    ]
  },
  {
    name: "any compatible server",
    deployment: "server/some-model",
    providers: { server: { protocol: "openai-chat", base_url: "http://server.test/v1", api_key: "none" } },
    sdk: (fetch) => createOpenAICompatible({ name: "server", baseURL: "http://server.test/v1", fetch })("some-model"),
    exceptions: [
      {
        at: /^parallel_tool_calls$/,
        when: isAbsentThere,
        why: "the SDK has the option under its own name only"
      },
      {
        at: /^response_format\./,
        when: ({ path, theirs }) => (path.endsWith(".type") ? theirs === "json_object" : theirs === undefined),
        why: "the SDK asks only servers for a schema of which it was told that they know some; `json_schema` says so of a deployment here"
      }
    ]
  }
]
