/** Embeddings through the gateway. */
import { Embeddings, type EmbeddingsParams } from "@langchain/core/embeddings"
import { type Connection, makeConnection } from "./connection/Connection.ts"
import { decisionOfBody, decisionOfHeaders, type OnDecision, tell } from "./spend/Decision.ts"
import { GatewayConfigurationError, GatewayError } from "./Errors.ts"
import { assertKnown } from "./Options.ts"
import { GatewayCaller } from "./connection/GatewayCaller.ts"
import { type ConnectionFields, readSettings } from "./connection/Settings.ts"

export interface GatewayEmbeddingsFields extends EmbeddingsParams, ConnectionFields {
  /** A model that makes embeddings, as in `ChatGateway`. There is no default: vectors of two models can't be compared. */
  model: string
  /** Numbers per vector, where the model lets one choose. */
  dimensions?: number | undefined
  /** Texts per request. Default: 512. */
  batchSize?: number | undefined
  /** Line breaks become spaces, which older models want. Default: false. */
  stripNewLines?: boolean | undefined
  /** Told of every request's decision. */
  onDecision?: OnDecision | undefined
}

/** All that it may be made with. */
const known = {
  apiKey: true,
  baseUrl: true,
  timeout: true,
  headers: true,
  fetch: true,
  model: true,
  dimensions: true,
  batchSize: true,
  stripNewLines: true,
  onDecision: true,
  maxConcurrency: true,
  maxRetries: true,
  onFailedAttempt: true
} satisfies Record<keyof GatewayEmbeddingsFields, true>

const DEFAULT_BATCH_SIZE = 512

export class GatewayEmbeddings extends Embeddings {
  declare caller: GatewayCaller
  readonly model: string
  readonly dimensions: number | undefined
  readonly batchSize: number
  readonly stripNewLines: boolean
  private readonly connection: Connection
  private readonly onDecision: OnDecision | undefined

  constructor(fields: GatewayEmbeddingsFields) {
    super(fields)
    assertKnown("GatewayEmbeddings", fields, known)
    this.caller = new GatewayCaller(fields)
    if (!fields.model) throw new GatewayConfigurationError("GatewayEmbeddings needs a `model` that makes embeddings.")
    this.connection = makeConnection(readSettings(fields))
    this.model = fields.model
    this.dimensions = fields.dimensions
    this.batchSize = fields.batchSize ?? DEFAULT_BATCH_SIZE
    if (!(this.batchSize >= 1)) throw new GatewayConfigurationError("`batchSize` must be 1 or more.")
    this.stripNewLines = fields.stripNewLines ?? false
    this.onDecision = fields.onDecision
  }

  /** One vector per text, in the texts' order. */
  async embedDocuments(documents: Array<string>): Promise<Array<Array<number>>> {
    const batches: Array<Array<string>> = []
    for (let at = 0; at < documents.length; at += this.batchSize) batches.push(documents.slice(at, at + this.batchSize))
    return (await Promise.all(batches.map((batch) => this.embed(batch)))).flat()
  }

  async embedQuery(document: string): Promise<Array<number>> {
    const [vector] = await this.embed([document])
    return vector!
  }

  private async embed(texts: ReadonlyArray<string>): Promise<Array<Array<number>>> {
    const body = {
      model: this.model,
      input: this.stripNewLines ? texts.map((text) => text.replaceAll("\n", " ")) : texts,
      encoding_format: "float",
      ...(this.dimensions === undefined ? {} : { dimensions: this.dimensions })
    }
    const answer = await this.caller.try(() => this.connection.json({ method: "POST", path: "/embeddings", body }))
    tell(this.onDecision, decisionOfBody(answer.body["gateway"], answer.headers) ?? decisionOfHeaders(answer.headers))
    const vectors = vectorsOf(answer.body["data"])
    if (vectors.length === texts.length) return vectors
    throw new GatewayError(`The gateway answered ${vectors.length} embeddings to ${texts.length} texts.`, {
      headers: answer.headers
    })
  }
}

interface Item {
  readonly index?: number
  readonly embedding?: ReadonlyArray<number> | string
}

/** Servers may answer in any order, and some in base64 whatever was asked for. */
const vectorsOf = (data: unknown): Array<Array<number>> => {
  const items = Array.isArray(data) ? (data as ReadonlyArray<Item>) : []
  const sorted = items.map((item, at) => ({ at: item.index ?? at, vector: vectorOf(item.embedding) }))
  return sorted.sort((a, b) => a.at - b.at).flatMap(({ vector }) => (vector === undefined ? [] : [vector]))
}

const vectorOf = (embedding: Item["embedding"]): Array<number> | undefined => {
  if (typeof embedding !== "string") return embedding === undefined ? undefined : [...embedding]
  const bytes = Uint8Array.from(atob(embedding), (character) => character.charCodeAt(0))
  const view = new DataView(bytes.buffer)
  return Array.from({ length: bytes.length / 4 }, (_, at) => view.getFloat32(at * 4, true))
}
