/** Node's HTTP without loading Node's own `fetch` and `WebSocket`: saves 20 ms, and 3 MB of an idle gateway. */
export const { Agent, createServer, IncomingMessage, request, ServerResponse, STATUS_CODES } =
  process.getBuiltinModule("node:http")
