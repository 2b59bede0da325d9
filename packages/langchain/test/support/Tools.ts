/** Tools that the tests bind: one that adds, two that know a city, one with a schema of many levels. */
import { DynamicStructuredTool, StructuredTool, tool } from "@langchain/core/tools"
import type { InteropZodType } from "@langchain/core/utils/types"
import { z } from "zod"
import { z as z3 } from "zod3"

/** LangChain's type of such a schema is written for projects without `exactOptionalPropertyTypes`. */
export const addends = z3
  .object({ a: z3.number().int().describe("The first addend."), b: z3.number().int().describe("The second addend.") })
  .describe("Adds two whole numbers") as unknown as InteropZodType<{ a: number; b: number }>

/** Written as a class, with a schema of zod 3. */
export class AddTool extends StructuredTool {
  name = "add_numbers"
  description = "Adds two whole numbers"
  schema = addends

  protected async _call({ a, b }: { a: number; b: number }): Promise<string> {
    return JSON.stringify({ sum: a + b })
  }
}

const place = z.object({ city: z.string().describe("The name of a city, for instance Lisbon") })

/** Written as a function, with a schema of zod 4. */
export const weather: DynamicStructuredTool = tool(
  ({ city }: z.infer<typeof place>) => `19 degrees and sunny in ${city}`,
  {
    name: "get_weather",
    description: "What the weather is like in a city",
    schema: place
  }
)

export const localTime: DynamicStructuredTool = tool(({ city }: z.infer<typeof place>) => `It is noon in ${city}`, {
  name: "get_local_time",
  description: "What time it is in a city",
  schema: place
})

/** Names its tools in quotes, as those prompts do that want them all called. */
export const bothTools = `Use "get_weather" and "get_local_time" to tell me about Lisbon.`
