/** The client: what the gateway's HTTP API has, with the decision and the cost on every answer. */
import { Admin } from "./api/Admin.ts"
import { Chat, Completions } from "./api/Chat.ts"
import { Audio, ImageMaker } from "./api/Media.ts"
import { CallingKey, EmbeddingMaker, Models, Moderations, Receipts, Rerank } from "./api/Own.ts"
import { Messages, Responses } from "./api/Responses.ts"
import { Connection } from "./connection/Connection.ts"
import { type GatewayOptions, readSettings } from "./Settings.ts"

export class Gateway {
  readonly chat: Chat
  readonly responses: Responses
  readonly messages: Messages
  readonly completions: Completions
  readonly embeddings: EmbeddingMaker
  readonly moderations: Moderations
  readonly rerank: Rerank
  readonly images: ImageMaker
  readonly audio: Audio
  readonly models: Models
  /** The key that calls. */
  readonly key: CallingKey
  readonly receipts: Receipts
  /** Needs the master key. */
  readonly admin: Admin
  readonly #connection: Connection

  /** Throws a `ConfigurationError` when the options and the environment don't make a working client. */
  constructor(options: GatewayOptions = {}) {
    const connection = new Connection(readSettings(options))
    this.#connection = connection
    this.chat = new Chat(connection)
    this.responses = new Responses(connection)
    this.messages = new Messages(connection)
    this.completions = new Completions(connection)
    this.embeddings = new EmbeddingMaker(connection)
    this.moderations = new Moderations(connection)
    this.rerank = new Rerank(connection)
    this.images = new ImageMaker(connection)
    this.audio = new Audio(connection)
    this.models = new Models(connection)
    this.key = new CallingKey(connection)
    this.receipts = new Receipts(connection)
    this.admin = new Admin(connection)
  }

  /** Without `/v1`. */
  get baseUrl(): string {
    return this.#connection.origin
  }

  /**
   * Options for other clients of OpenAI's API: `new OpenAI(gateway.openai())`, `createOpenAI(gateway.openai())` of the AI SDK,
   * `new ChatOpenAI({ model: "auto", ...gateway.openai() })` of LangChain. They hold the key in plain words.
   */
  openai(): OpenAiOptions {
    const { apiKey, headers } = this.#connection.credentials()
    const { "user-agent": _, ...others } = headers
    const baseURL = `${this.baseUrl}/v1`
    return {
      baseURL,
      apiKey,
      defaultHeaders: others,
      headers: others,
      configuration: { baseURL, defaultHeaders: others }
    }
  }

  toJSON(): object {
    return { baseUrl: this.baseUrl }
  }
}

export interface OpenAiOptions {
  readonly baseURL: string
  readonly apiKey: string
  /** For `openai`. */
  readonly defaultHeaders: Record<string, string>
  /** For the AI SDK. */
  readonly headers: Record<string, string>
  /** For LangChain. */
  readonly configuration: { readonly baseURL: string; readonly defaultHeaders: Record<string, string> }
}
