/**
 * An agent with tools on `auto`: prints which deployment served each step and what the run cost.
 *
 * Copy it into a project of your own (Node runs no TypeScript from `node_modules`), then:
 *
 *     GATEWAY_BASE_URL=http://127.0.0.1:4100 GATEWAY_API_KEY=mgw_… node agent.ts "What is 23 times 7, and how warm is it in Lisbon?"
 *
 * The loop is written out, on @langchain/core alone; `createAgent` of the package `langchain` takes the same model and handler.
 */
import { type BaseMessage, HumanMessage, type ToolMessage } from "@langchain/core/messages"
import { type RunnableConfig, RunnableLambda } from "@langchain/core/runnables"
import { tool } from "@langchain/core/tools"
import { ChatGateway, gatewayDecision, GatewaySpendCallbackHandler } from "@model-gateway/langchain"
import { z } from "zod"

const multiply = tool(({ a, b }) => String(a * b), {
  name: "multiply",
  description: "Multiplies two numbers.",
  schema: z.object({ a: z.number(), b: z.number() })
})

const temperature = tool(({ city }) => `It is 21 degrees in ${city}.`, {
  name: "temperature",
  description: "How warm it is in a city.",
  schema: z.object({ city: z.string() })
})

const tools = [multiply, temperature]
const byName = new Map<string, { invoke: (call: object, config: RunnableConfig) => Promise<ToolMessage> }>(
  tools.map((one) => [one.name, one as never])
)
const MOST_STEPS = 8

const model = new ChatGateway({ model: "auto" }).bindTools(tools)

const agent = RunnableLambda.from(async (question: string, config: RunnableConfig) => {
  const messages: Array<BaseMessage> = [new HumanMessage(question)]
  for (let step = 1; step <= MOST_STEPS; step++) {
    const answer = await model.invoke(messages, config)
    messages.push(answer)
    const calls = answer.tool_calls ?? []
    const decision = gatewayDecision(answer)
    console.log(
      `step ${step}: ${decision?.deployment} (${decision?.bucket}), ${decision?.costUsd} USD${calls.map(({ name }) => `, calls ${name}`).join("")}`
    )
    if (calls.length === 0) return answer.text
    for (const call of calls) messages.push(await byName.get(call.name)!.invoke(call, config))
  }
  return "The agent did not come to an end."
})

const spend = new GatewaySpendCallbackHandler({ budgetUsd: 0.5 })
const question = process.argv[2] ?? "What is 23 times 7, and how warm is it in Lisbon?"
console.log(await agent.invoke(question, { callbacks: [spend] }))

const { costUsd, deployments } = spend.total
for (const [id, { calls, costUsd: usd }] of Object.entries(deployments))
  console.log(`${id}: ${calls} calls, ${usd} USD`)
console.log(`the run cost ${costUsd} USD`)
