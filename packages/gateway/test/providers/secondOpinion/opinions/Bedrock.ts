/** Amazon Bedrock, with models of three makers. */
import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock"
import { type Exception, isAbsent, isAbsentThere, NOT_HERE, type Opinion } from "../Opinion.ts"

const everywhere: ReadonlyArray<Exception> = [
  {
    at: /^system$/,
    when: ({ ours, theirs }) => ours === undefined && Array.isArray(theirs) && theirs.length === 0,
    why: "without instructions there is no field for them"
  },
  {
    at: /^toolConfig\.toolChoice$/,
    of: /^two tools, as the model likes$/,
    when: isAbsent,
    why: "auto is what a model does that is told nothing, and some models take no choice at all"
  },
  {
    at: /^refused$/,
    of: /^an image by address$/,
    when: isAbsentThere,
    why: "the SDK takes images as bytes only; the gateway fetches them, and there is no such address here"
  }
]

const opinion = (name: string, model: string, exceptions: ReadonlyArray<Exception>): Opinion => ({
  name,
  deployment: `bedrock/${model}`,
  providers: { bedrock: { region: "us-east-1", api_key: "k" } },
  sdk: (fetch) => createAmazonBedrock({ region: "us-east-1", apiKey: "k", fetch })(model),
  exceptions: [...everywhere, ...exceptions]
})

const namedAlone: Exception = {
  at: /^toolConfig\.tools\[1\]$/,
  of: /^a named tool$/,
  when: isAbsentThere,
  why: "the SDK leaves out the tools that are not named, which the choice says anyway"
}

const strictElsewhere: Exception = {
  at: /\.toolSpec\.strict$/,
  when: isAbsent,
  why: NOT_HERE
}

export const bedrock: ReadonlyArray<Opinion> = [
  opinion("Bedrock, Claude", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", [
    namedAlone,
    {
      at: /^additionalModelResponseFieldPaths$/,
      when: isAbsent,
      why: "which stop sequence it was has no place in a chat completion"
    },
    {
      at: /^(?:outputConfig|additionalModelRequestFields)$/,
      of: /JSON schema/,
      why: "a schema is said in Converse's own field, as recorded; the SDK says it in Anthropic's"
    },
    {
      at: /^(?:inferenceConfig\.maxTokens|additionalModelRequestFields\.thinking\.budget_tokens)$/,
      of: /reasoning/,
      why: "thoughts are a share of the output limit, which stays what the caller set and pays for; the SDK adds them on top"
    },
    {
      at: /^additionalModelRequestFields$/,
      of: /^no reasoning$/,
      when: isAbsentThere,
      why: "newer Claudes think unless they are told not to"
    }
  ]),
  opinion("Bedrock, Nova", "us.amazon.nova-2-lite-v1:0", [
    namedAlone,
    strictElsewhere,
    {
      at: /^toolConfig\.toolChoice\.(?:tool|any)$/,
      of: /JSON schema/,
      why: "the only tool, which is the answer, may be named as well"
    },
    {
      at: /\.maxReasoningEffort$/,
      of: /^much reasoning$/,
      when: ({ ours, theirs }) => ours === "medium" && theirs === "high",
      why: "with high effort Nova takes no output limit, and nothing would bound what it costs"
    }
  ]),
  opinion("Bedrock, Mistral", "mistral.mistral-large-2402-v1:0", [
    strictElsewhere,
    {
      at: /\.toolUseId$/,
      when: ({ ours, theirs }) => [ours, theirs].every((id) => /^[A-Za-z0-9]{9}$/.test(String(id))),
      why: "ids of nine letters and digits, by another hash"
    },
    {
      at: /^toolConfig\.toolChoice\.(?:tool|any)$/,
      of: /^a named tool$/,
      why: "only Claude and Nova can be made to call a named tool: Mistral gets that tool alone, and has to call one"
    },
    {
      at: /^(?:error|messages)$/,
      of: /image/,
      why: "the model sees no images, which the gateway says before it asks"
    },
    { at: /^refused$/, of: /^an image by address$/, why: "the model sees no images, by address or not" }
  ])
]
