/** The package as CommonJS: prints its names, sorted. */
const everything = require("@model-gateway/langchain")
const { HumanMessage } = require("@langchain/core/messages")

const model = new everything.ChatGateway({ apiKey: "mgw_none", baseUrl: "http://127.0.0.1:9", maxRetries: 0 })
model.invoke([new HumanMessage("Hello")]).catch((error) => {
  if (!everything.GatewayConnectionError.isInstance(error)) throw error
  console.log(
    JSON.stringify(
      Object.keys(everything)
        .filter((name) => name !== "__esModule")
        .sort()
    )
  )
})
