/** The package as an ES module: prints its names, sorted. */
import * as everything from "@model-gateway/langchain"
import { HumanMessage } from "@langchain/core/messages"

const model = new everything.ChatGateway({ apiKey: "mgw_none", baseUrl: "http://127.0.0.1:9", maxRetries: 0 })
const error = await model.invoke([new HumanMessage("Hello")]).catch((thrown) => thrown)
if (!everything.GatewayConnectionError.isInstance(error)) throw error
console.log(JSON.stringify(Object.keys(everything).sort()))
