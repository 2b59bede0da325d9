/** What callers ask, from plain to odd. Each must reach every protocol in the form that an independent client gives it. */
import type { Call, Conversation, Tool, Turn } from "./Conversation.ts"

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
const jpeg = "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////2Q=="
const pdf = "JVBERi0xLjQKJSVFT0YK"

const weather: Tool = {
  name: "get_weather",
  description: "The weather of a city",
  parameters: {
    type: "object",
    properties: { city: { type: "string" }, unit: { type: "string", enum: ["C", "F"] } },
    required: ["city", "unit"],
    additionalProperties: false
  }
}
const time: Tool = { name: "get_time", parameters: { type: "object", properties: {} } }

const call = (id: string, input: Call["input"] = { city: "Rome", unit: "C" }, name = weather.name): Call => ({
  id,
  name,
  input
})
const result = (id: string, text: string, name = weather.name) => ({ id, name, text })
const hello: ReadonlyArray<Turn> = [{ user: "Hello" }]
const asked: ReadonlyArray<Turn> = [{ user: "What is the weather in Rome?" }]

const person = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "integer" } },
  required: ["name", "age"],
  additionalProperties: false
}
const team = {
  type: "object",
  properties: {
    members: { type: "array", items: person },
    kind: { type: "string", enum: ["a", "b"] },
    note: { anyOf: [{ type: "string" }, { type: "null" }] }
  },
  required: ["members", "kind", "note"],
  additionalProperties: false
}

const text: ReadonlyArray<Conversation> = [
  { name: "one question", turns: hello },
  { name: "instructions", system: ["Be brief."], turns: hello },
  { name: "two instructions", system: ["Be brief.", "Speak French."], turns: hello },
  {
    name: "several turns",
    system: ["Be brief."],
    turns: [{ user: "My name is Ada." }, { assistant: "Hello Ada." }, { user: "What is my name?" }]
  },
  { name: "two messages of the user", turns: [{ user: "First." }, { user: "Second." }] },
  {
    name: "two messages of the assistant",
    turns: [{ user: "Go." }, { assistant: "A." }, { assistant: "B." }, { user: "On." }]
  },
  { name: "other scripts and signs", turns: [{ user: 'Grüße, 世界 👋🏽 \u0000 " \\ \n\t' }] },
  { name: "text in parts", turns: [{ user: [{ text: "One." }, { text: "Two." }] }] },
  { name: "an answer that has begun", turns: [{ user: "A poem, please." }, { assistant: "Roses are" }] }
]

const sampling: ReadonlyArray<Conversation> = [
  { name: "an output limit", turns: hello, maxTokens: 100 },
  { name: "a temperature", turns: hello, temperature: 0.7 },
  { name: "no temperature at all", turns: hello, temperature: 0 },
  { name: "a nucleus", turns: hello, topP: 0.9 },
  { name: "a stop sequence", turns: hello, stop: ["END"] },
  { name: "several stop sequences", turns: hello, stop: ["END", "STOP", "###"] },
  { name: "a seed", turns: hello, seed: 7 },
  { name: "penalties", turns: hello, frequencyPenalty: 0.5, presencePenalty: 0.25 }
]

const tools: ReadonlyArray<Conversation> = [
  { name: "a tool", turns: asked, tools: [weather] },
  { name: "a tool without arguments", turns: asked, tools: [time] },
  { name: "two tools, as the model likes", turns: asked, tools: [weather, time], choice: "auto" },
  { name: "a tool that has to be called", turns: asked, tools: [weather, time], choice: "required" },
  { name: "a named tool", turns: asked, tools: [weather, time], choice: { tool: "get_weather" } },
  { name: "tools that may not be called", turns: asked, tools: [weather], choice: "none" },
  { name: "a strict tool", turns: asked, tools: [{ ...weather, strict: true }] },
  { name: "one call at a time", turns: asked, tools: [weather], oneCallAtATime: true },
  {
    name: "a call and its result",
    tools: [weather],
    turns: [...asked, { assistant: "", calls: [call("call_1")] }, { results: [result("call_1", "Sunny")] }]
  },
  {
    name: "parallel calls and results",
    tools: [weather],
    turns: [
      ...asked,
      { assistant: "", calls: [call("call_1"), call("call_2", { city: "Oslo", unit: "C" })] },
      { results: [result("call_1", "Sunny"), result("call_2", "Snow")] }
    ]
  },
  {
    name: "words before a call",
    tools: [weather],
    turns: [...asked, { assistant: "I'll look.", calls: [call("call_1")] }, { results: [result("call_1", "Sunny")] }]
  },
  {
    name: "a question after a result",
    tools: [weather],
    turns: [
      ...asked,
      { assistant: "", calls: [call("call_1")] },
      { results: [result("call_1", "Sunny")] },
      { user: "And tomorrow?" }
    ]
  },
  {
    name: "a result that is JSON",
    tools: [weather],
    turns: [
      ...asked,
      { assistant: "", calls: [call("call_1")] },
      { results: [result("call_1", '{"sky":"clear","degrees":[21,22.5]}')] }
    ]
  },
  {
    name: "two rounds",
    tools: [weather, time],
    turns: [
      ...asked,
      { assistant: "", calls: [call("call_1", {}, "get_time")] },
      { results: [result("call_1", "12:00", "get_time")] },
      { assistant: "Noon.", calls: [call("call_2")] },
      { results: [result("call_2", "Sunny")] },
      { assistant: "Sunny at noon." },
      { user: "Thanks" }
    ]
  },
  {
    name: "arguments of all kinds",
    tools: [{ name: "record", parameters: { type: "object", properties: {}, additionalProperties: true } }],
    turns: [
      { user: "Record it." },
      { assistant: "", calls: [call("call_1", { n: 0.7, deep: { list: [1, "é", null, true] } }, "record")] },
      { results: [result("call_1", "ok", "record")] }
    ]
  },
  {
    name: "ids of another vendor",
    tools: [weather],
    turns: [...asked, { assistant: "", calls: [call("toolu_01AbCd")] }, { results: [result("toolu_01AbCd", "Sunny")] }]
  }
]

const media: ReadonlyArray<Conversation> = [
  { name: "an image", turns: [{ user: [{ text: "What?" }, { image: png, mediaType: "image/png" }] }] },
  { name: "an image by address", turns: [{ user: [{ imageUrl: "https://images.example/a.png" }, { text: "What?" }] }] },
  {
    name: "two images",
    turns: [
      {
        user: [
          { image: png, mediaType: "image/png" },
          { image: jpeg, mediaType: "image/jpeg" },
          { text: "Which is larger?" }
        ]
      }
    ]
  },
  {
    name: "an image in an earlier turn",
    turns: [
      { user: [{ image: png, mediaType: "image/png" }, { text: "What?" }] },
      { assistant: "A dot." },
      { user: "Which colour?" }
    ]
  },
  { name: "a document", turns: [{ user: [{ pdf, name: "report.pdf" }, { text: "Sum it up." }] }] }
]

const answers: ReadonlyArray<Conversation> = [
  { name: "a JSON schema", turns: [{ user: "Ada, 36" }], json: { name: "person", schema: person } },
  {
    name: "a JSON schema with instructions",
    system: ["Extract."],
    turns: [{ user: "Ada, 36" }],
    json: { name: "person", schema: person },
    maxTokens: 200
  },
  { name: "a nested JSON schema", turns: [{ user: "Ada and Bob" }], json: { name: "team", schema: team } },
  { name: "JSON of any kind", turns: [{ user: "Answer in JSON." }], json: { name: "any" } }
]

const reasoning: ReadonlyArray<Conversation> = [
  { name: "little reasoning", turns: hello, effort: "low" },
  { name: "some reasoning within a limit", turns: hello, effort: "medium", maxTokens: 8_000 },
  { name: "much reasoning", turns: hello, effort: "high" },
  { name: "no reasoning", turns: hello, effort: "none" },
  {
    name: "reasoning with tools",
    turns: asked,
    tools: [weather],
    effort: "low"
  }
]

export const conversations: ReadonlyArray<Conversation> = [
  ...text,
  ...sampling,
  ...tools,
  ...media,
  ...answers,
  ...reasoning
]
