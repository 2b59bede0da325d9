/** The Model Gateway in LangChain. */
export { ChatGateway } from "./ChatGateway.ts"
export { type GatewayDecision, gatewayDecision } from "./spend/Decision.ts"
export {
  BudgetExceededError,
  GatewayAuthenticationError,
  GatewayBudgetError,
  GatewayConfigurationError,
  GatewayConnectionError,
  GatewayError,
  GatewayInputError,
  GatewayPermissionError,
  GatewayRateLimitError,
  GatewayTimeoutError,
  StreamInterruptedError
} from "./Errors.ts"
export type {
  ChatGatewayCallOptions,
  ChatGatewayFields,
  ChatGatewayFields as ChatGatewayInput,
  GatewayRoute
} from "./Fields.ts"
export { GatewayEmbeddings, type GatewayEmbeddingsFields } from "./GatewayEmbeddings.ts"
export { GatewayRerank, type GatewayRerankFields } from "./GatewayRerank.ts"
export { GatewaySpendCallbackHandler, type GatewaySpendFields } from "./GatewaySpendCallbackHandler.ts"
export type { DeploymentSpend, GatewaySpend } from "./spend/Spend.ts"
export { STREAM_LEFT } from "./stream/Streaming.ts"
