export type { Answered, Decision } from "../Decision.ts"
export {
  AuthenticationError,
  BadRequestError,
  BudgetExceededError,
  ConfigurationError,
  ConnectionError,
  GatewayFailure,
  InvalidAnswerError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  StreamInterruptedError,
  TimeoutError,
  UpstreamError
} from "./Errors.ts"
export { type AskOptions, GatewayClient, type LayerOptions } from "./GatewayClient.ts"
