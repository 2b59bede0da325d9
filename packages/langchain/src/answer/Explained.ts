/** Why an answer has not the shape that was asked for, where the answer says so. Core's parsers know its text alone. */
import type { AIMessage } from "@langchain/core/messages"
import { type BaseLLMOutputParser, OutputParserException } from "@langchain/core/output_parsers"
import type { ChatGeneration, Generation } from "@langchain/core/outputs"

type Answer = Partial<ChatGeneration> | undefined

/** The same parser, whose error tells of a refusal, and of an answer that was cut off. */
export const explained = <A>(parser: BaseLLMOutputParser<A>): BaseLLMOutputParser<A> => {
  const parse = parser.parseResult.bind(parser)
  parser.parseResult = async (generations, callbacks) => {
    try {
      return await parse(generations, callbacks)
    } catch (error) {
      const answer = (generations as ReadonlyArray<Generation>)[0] as Answer
      const why = whyNot(answer)
      throw why === undefined
        ? error
        : new OutputParserException(`The answer is not what was asked for: ${why}`, answer?.text)
    }
  }
  return parser
}

/** Undefined where the answer has no reason to give. */
export const whyNot = (answer: Answer): string | undefined => {
  const { message, text = "" } = answer ?? {}
  const refusal = message?.additional_kwargs["refusal"]
  if (typeof refusal === "string" && refusal !== "") return `the model refused: ${shown(refusal)}`
  if (message?.response_metadata["finish_reason"] !== "length") return undefined
  const [call] = (message as AIMessage).invalid_tool_calls ?? []
  return `it was cut off at the limit of tokens: ${shown(call?.args ?? text)}`
}

export const shown = (text: string): string => text.slice(0, 200)
