/** Mistral. */
import { isDeepStrictEqual } from "node:util"
import { createMistral } from "@ai-sdk/mistral"
import { isAbsent, isAbsentThere, isOneText, type Opinion } from "../Opinion.ts"

export const mistral: ReadonlyArray<Opinion> = [
  {
    name: "Mistral",
    deployment: "mistral/mistral-large-latest",
    sdk: (fetch) => createMistral({ apiKey: "k", fetch })("mistral-large-latest"),
    exceptions: [
      {
        at: /^messages\[\d+\]\.content$/,
        when: isOneText("text"),
        why: "a text may be a string, as the caller has it, or a list of one part"
      },
      {
        at: /\.(?:id|tool_call_id)$/,
        when: ({ ours }) => /^[A-Za-z0-9]{9}$/.test(String(ours)),
        why: "Mistral takes ids of nine letters and digits; the SDK sends any, which is a 400"
      },
      {
        at: /^messages\[\d+\]\.name$/,
        when: isAbsent,
        why: "the name of a result's tool stands in its call already"
      },
      {
        at: /^(?:tools\[1\]|tool_choice)$/,
        of: /^a named tool$/,
        why: "only the named tool is offered, and it has to be called, which every version of the API takes"
      },
      {
        at: /^messages\[\d\](?:\.role|\.content)?$/,
        of: /^a question after a result$/,
        why: "Mistral's templates want an assistant's turn between a result and the user's next message"
      },
      {
        at: /\.image_url$/,
        when: ({ ours, theirs }) => isDeepStrictEqual(ours, { url: theirs }),
        why: "an image is an object with a URL, as the caller has it, or the URL"
      },
      { at: /\.document_name$/, when: isAbsentThere, why: "the SDK leaves out the name of a document" },
      {
        at: /\.strict$/,
        when: ({ ours, theirs }) => ours === true && theirs === false,
        why: "the caller asks for strictness, which the SDK has switched off at Mistral"
      },
      {
        at: /^messages\[\d\]/,
        of: /^JSON of any kind$/,
        why: "the SDK adds an instruction of its own words; the caller's messages stay as they are"
      },
      {
        at: /^parallel_tool_calls$/,
        when: isAbsentThere,
        why: "the SDK leaves out what Mistral has"
      }
    ]
  }
]
