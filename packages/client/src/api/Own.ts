/** What a key may ask, what it may spend, and what became of its requests; and the small operations. */
import { type Call, answered, plain } from "../Call.ts"
import type { Answered } from "../Decision.ts"
import type { CallOptions } from "../Settings.ts"
import type { OwnKey } from "../wire/Keys.ts"
import type {
  Embeddings,
  EmbeddingsRequest,
  Model,
  ModelList,
  Moderation,
  ModerationRequest,
  Ranking,
  RerankRequest
} from "../wire/Models.ts"
import type { GetOwnKeyQuery } from "../wire/Queries.ts"
import type { Feedback, GiveFeedback, Receipt } from "../wire/Receipts.ts"
import { Part } from "./Part.ts"

export class EmbeddingMaker extends Part {
  create(body: EmbeddingsRequest, options?: CallOptions): Call<Answered<Embeddings>> {
    return answered(this.connection, { method: "POST", path: "/v1/embeddings", body, options }, "data")
  }
}

export class Moderations extends Part {
  create(body: ModerationRequest, options?: CallOptions): Call<Answered<Moderation>> {
    return answered(this.connection, { method: "POST", path: "/v1/moderations", body, options }, "results")
  }
}

export class Rerank extends Part {
  /** The documents in the order of how well they answer the query. */
  create(body: RerankRequest, options?: CallOptions): Call<Answered<Ranking>> {
    return answered(this.connection, { method: "POST", path: "/v1/rerank", body, options }, "results")
  }
}

export class Models extends Part {
  /** Everything that the key may send as `model`. */
  list(options?: CallOptions): Call<ModelList> {
    return plain(this.connection, { method: "GET", path: "/v1/models", options }, "data")
  }

  get(id: string, options?: CallOptions): Call<Model> {
    return plain(this.connection, { method: "GET", path: `/v1/models/${encodeURIComponent(id)}`, options }, "id")
  }
}

export class CallingKey extends Part {
  /** The key's own limits and budgets, and what is left of them. */
  get(query: GetOwnKeyQuery = {}, options?: CallOptions): Call<OwnKey> {
    return plain(this.connection, { method: "GET", path: "/v1/key", query, options }, "id")
  }
}

export class Receipts extends Part {
  /** By the id of the receipt or of the request. */
  get(id: string, options?: CallOptions): Call<Receipt> {
    return plain(this.connection, { method: "GET", path: at(id), options }, "id")
  }

  /** How good the answer was, 0 to 1. */
  feedback(id: string, body: GiveFeedback, options?: CallOptions): Call<Feedback> {
    return plain(this.connection, { method: "POST", path: `${at(id)}/feedback`, body, options }, "score")
  }
}

const at = (id: string): string => `/v1/receipts/${encodeURIComponent(id)}`
