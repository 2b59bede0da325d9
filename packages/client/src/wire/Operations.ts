/** Made from openapi.json by `npm run openapi`: change the description there, not this file. */
import type { AuditPage, Config, ConfigReload, Info, NodeList, SpendReport } from "./Administration.ts"
import type { SpeechRequest, Transcript, TranscriptionRequest, TranslationRequest } from "./Audio.ts"
import type { DeploymentList, DeploymentSelection } from "./Deployments.ts"
import type { ImageEditsForm, ImageEditsRequest, ImageVariationsForm, Images, ImagesRequest } from "./Images.ts"
import type { ChatCompletion, ChatRequest, Completion, CompletionRequest } from "./Inference.ts"
import type {
  BudgetUseList,
  CreateKey,
  IssuedKey,
  Key,
  KeyPage,
  OwnKey,
  PutTeam,
  RotateKey,
  Team,
  TeamPage,
  UpdateKey
} from "./Keys.ts"
import type { CountTokensRequest, Message, MessagesRequest, TokensCount } from "./Messages.ts"
import type {
  Embeddings,
  EmbeddingsRequest,
  Model,
  ModelList,
  Moderation,
  ModerationRequest,
  Ranking,
  RerankRequest
} from "./Models.ts"
import type {
  DeleteTeamQuery,
  GetOwnKeyQuery,
  GetResponseQuery,
  GetSpendQuery,
  GetTrafficQuery,
  ListAuditQuery,
  ListBudgetsQuery,
  ListInputItemsQuery,
  ListKeysQuery,
  ListRequestsQuery,
  ListTeamsQuery
} from "./Queries.ts"
import type { Feedback, GiveFeedback, Receipt, ReceiptPage } from "./Receipts.ts"
import type {
  Compaction,
  CompactionRequest,
  DeletedResponse,
  ResponseInputTokens,
  ResponseItemList,
  ResponseObject,
  ResponseRequest
} from "./Responses.ts"
import type { RouteExplanation, RouteQuestion } from "./Routing.ts"
import type { TrafficReport } from "./Traffic.ts"

/** Every operation that a client has: what it takes and what it answers. */
export interface Operations {
  /** Create a chat completion: `POST /v1/chat/completions`. */
  readonly createChatCompletion: {
    readonly request: ChatRequest
    readonly query: {}
    readonly response: ChatCompletion
    readonly streams: true
  }
  /** Create a response: `POST /v1/responses`. */
  readonly createResponse: {
    readonly request: ResponseRequest
    readonly query: {}
    readonly response: ResponseObject
    readonly streams: true
  }
  /** Cancel a response: `POST /v1/responses/{id}/cancel`. */
  readonly cancelResponse: {
    readonly request: undefined
    readonly query: {}
    readonly response: ResponseObject
    readonly streams: false
  }
  /** Read a stored response: `GET /v1/responses/{id}`. */
  readonly getResponse: {
    readonly request: undefined
    readonly query: GetResponseQuery
    readonly response: ResponseObject
    readonly streams: true
  }
  /** Delete a stored response: `DELETE /v1/responses/{id}`. */
  readonly deleteResponse: {
    readonly request: undefined
    readonly query: {}
    readonly response: DeletedResponse
    readonly streams: false
  }
  /** List what the model was given: `GET /v1/responses/{id}/input_items`. */
  readonly listInputItems: {
    readonly request: undefined
    readonly query: ListInputItemsQuery
    readonly response: ResponseItemList
    readonly streams: false
  }
  /** Make a conversation shorter: `POST /v1/responses/compact`. */
  readonly compactResponse: {
    readonly request: CompactionRequest
    readonly query: {}
    readonly response: Compaction
    readonly streams: false
  }
  /** Count the input tokens of a response: `POST /v1/responses/input_tokens`. */
  readonly countInputTokens: {
    readonly request: ResponseRequest
    readonly query: {}
    readonly response: ResponseInputTokens
    readonly streams: false
  }
  /** Create a message: `POST /v1/messages`. */
  readonly createMessage: {
    readonly request: MessagesRequest
    readonly query: {}
    readonly response: Message
    readonly streams: true
  }
  /** Count the tokens of a message: `POST /v1/messages/count_tokens`. */
  readonly countTokens: {
    readonly request: CountTokensRequest
    readonly query: {}
    readonly response: TokensCount
    readonly streams: false
  }
  /** Create a legacy completion: `POST /v1/completions`. */
  readonly createCompletion: {
    readonly request: CompletionRequest
    readonly query: {}
    readonly response: Completion
    readonly streams: true
  }
  /** Create embeddings: `POST /v1/embeddings`. */
  readonly createEmbeddings: {
    readonly request: EmbeddingsRequest
    readonly query: {}
    readonly response: Embeddings
    readonly streams: false
  }
  /** Judge texts and images: `POST /v1/moderations`. */
  readonly createModeration: {
    readonly request: ModerationRequest
    readonly query: {}
    readonly response: Moderation
    readonly streams: false
  }
  /** Rank documents: `POST /v1/rerank`. */
  readonly createRanking: {
    readonly request: RerankRequest
    readonly query: {}
    readonly response: Ranking
    readonly streams: false
  }
  /** Write down a recording: `POST /v1/audio/transcriptions`. */
  readonly createTranscription: {
    readonly request: TranscriptionRequest
    readonly form: TranscriptionRequest
    readonly query: {}
    readonly response: Transcript
    readonly streams: true
  }
  /** Write down a recording in English: `POST /v1/audio/translations`. */
  readonly createTranslation: {
    readonly request: TranslationRequest
    readonly form: TranslationRequest
    readonly query: {}
    readonly response: Transcript
    readonly streams: false
  }
  /** Speak a text: `POST /v1/audio/speech`. */
  readonly createSpeech: {
    readonly request: SpeechRequest
    readonly query: {}
    readonly response: undefined
    readonly streams: true
  }
  /** Make images: `POST /v1/images/generations`. */
  readonly createImage: {
    readonly request: ImagesRequest
    readonly query: {}
    readonly response: Images
    readonly streams: true
  }
  /** Change images: `POST /v1/images/edits`. */
  readonly editImage: {
    readonly request: ImageEditsRequest
    readonly form: ImageEditsForm
    readonly query: {}
    readonly response: Images
    readonly streams: true
  }
  /** Vary an image: `POST /v1/images/variations`. */
  readonly varyImage: {
    readonly request: ImageVariationsForm
    readonly form: ImageVariationsForm
    readonly query: {}
    readonly response: Images
    readonly streams: false
  }
  /** List models: `GET /v1/models`. */
  readonly listModels: {
    readonly request: undefined
    readonly query: {}
    readonly response: ModelList
    readonly streams: false
  }
  /** Inspect a model: `GET /v1/models/{id}`. */
  readonly getModel: {
    readonly request: undefined
    readonly query: {}
    readonly response: Model
    readonly streams: false
  }
  /** Inspect the calling key: `GET /v1/key`. */
  readonly getOwnKey: {
    readonly request: undefined
    readonly query: GetOwnKeyQuery
    readonly response: OwnKey
    readonly streams: false
  }
  /** Inspect a request of the calling key: `GET /v1/receipts/{id}`. */
  readonly getReceipt: {
    readonly request: undefined
    readonly query: {}
    readonly response: Receipt
    readonly streams: false
  }
  /** Say how good an answer was: `POST /v1/receipts/{id}/feedback`. */
  readonly giveFeedback: {
    readonly request: GiveFeedback
    readonly query: {}
    readonly response: Feedback
    readonly streams: false
  }
  /** Create a virtual key: `POST /admin/keys`. */
  readonly createKey: {
    readonly request: CreateKey
    readonly query: {}
    readonly response: IssuedKey
    readonly streams: false
  }
  /** List virtual keys: `GET /admin/keys`. */
  readonly listKeys: {
    readonly request: undefined
    readonly query: ListKeysQuery
    readonly response: KeyPage
    readonly streams: false
  }
  /** Inspect a virtual key: `GET /admin/keys/{id}`. */
  readonly getKey: {
    readonly request: undefined
    readonly query: {}
    readonly response: Key
    readonly streams: false
  }
  /** Update limits, models, budgets of a key: `PATCH /admin/keys/{id}`. */
  readonly updateKey: {
    readonly request: UpdateKey
    readonly query: {}
    readonly response: Key
    readonly streams: false
  }
  /** Revoke a key immediately: `DELETE /admin/keys/{id}`. */
  readonly revokeKey: {
    readonly request: undefined
    readonly query: {}
    readonly response: Key
    readonly streams: false
  }
  /** Give a key a new secret: `POST /admin/keys/{id}/rotate`. */
  readonly rotateKey: {
    readonly request: RotateKey
    readonly query: {}
    readonly response: IssuedKey
    readonly streams: false
  }
  /** List teams: `GET /admin/teams`. */
  readonly listTeams: {
    readonly request: undefined
    readonly query: ListTeamsQuery
    readonly response: TeamPage
    readonly streams: false
  }
  /** Delete a team: `DELETE /admin/teams/{team}`. */
  readonly deleteTeam: {
    readonly request: undefined
    readonly query: DeleteTeamQuery
    readonly response: Team
    readonly streams: false
  }
  /** Inspect a team: `GET /admin/teams/{team}`. */
  readonly getTeam: {
    readonly request: undefined
    readonly query: {}
    readonly response: Team
    readonly streams: false
  }
  /** Set limits and budgets of a team: `PUT /admin/teams/{team}`. */
  readonly putTeam: {
    readonly request: PutTeam
    readonly query: {}
    readonly response: Team
    readonly streams: false
  }
  /** List budgets, the fullest first: `GET /admin/budgets`. */
  readonly listBudgets: {
    readonly request: undefined
    readonly query: ListBudgetsQuery
    readonly response: BudgetUseList
    readonly streams: false
  }
  /** List configured deployments: `GET /admin/deployments`. */
  readonly listDeployments: {
    readonly request: undefined
    readonly query: {}
    readonly response: DeploymentList
    readonly streams: false
  }
  /** Take deployments out of rotation: `POST /admin/deployments/disable`. */
  readonly disableDeployments: {
    readonly request: DeploymentSelection
    readonly query: {}
    readonly response: DeploymentList
    readonly streams: false
  }
  /** Put deployments back in rotation: `POST /admin/deployments/enable`. */
  readonly enableDeployments: {
    readonly request: DeploymentSelection
    readonly query: {}
    readonly response: DeploymentList
    readonly streams: false
  }
  /** Close the circuits of deployments: `POST /admin/deployments/reset`. */
  readonly resetDeployments: {
    readonly request: DeploymentSelection
    readonly query: {}
    readonly response: DeploymentList
    readonly streams: false
  }
  /** Spend per key, per team and per model: `GET /admin/spend`. */
  readonly getSpend: {
    readonly request: undefined
    readonly query: GetSpendQuery
    readonly response: SpendReport
    readonly streams: false
  }
  /** Traffic over time: `GET /admin/traffic`. */
  readonly getTraffic: {
    readonly request: undefined
    readonly query: GetTrafficQuery
    readonly response: TrafficReport
    readonly streams: false
  }
  /** List requests: `GET /admin/requests`. */
  readonly listRequests: {
    readonly request: undefined
    readonly query: ListRequestsQuery
    readonly response: ReceiptPage
    readonly streams: false
  }
  /** Inspect a request: `GET /admin/requests/{id}`. */
  readonly getRequest: {
    readonly request: undefined
    readonly query: {}
    readonly response: Receipt
    readonly streams: false
  }
  /** Explain a decision: `POST /admin/route/explain`. */
  readonly explainRoute: {
    readonly request: RouteQuestion | { readonly [field: string]: unknown }
    readonly query: {}
    readonly response: RouteExplanation
    readonly streams: false
  }
  /** Show the configuration: `GET /admin/config`. */
  readonly getConfig: {
    readonly request: undefined
    readonly query: {}
    readonly response: Config
    readonly streams: false
  }
  /** Take over a changed configuration: `POST /admin/config/reload`. */
  readonly reloadConfig: {
    readonly request: undefined
    readonly query: {}
    readonly response: ConfigReload
    readonly streams: false
  }
  /** About the gateway: `GET /admin/info`. */
  readonly getInfo: {
    readonly request: undefined
    readonly query: {}
    readonly response: Info
    readonly streams: false
  }
  /** List the gateways on the store: `GET /admin/nodes`. */
  readonly listNodes: {
    readonly request: undefined
    readonly query: {}
    readonly response: NodeList
    readonly streams: false
  }
  /** List what administrators did: `GET /admin/audit`. */
  readonly listAudit: {
    readonly request: undefined
    readonly query: ListAuditQuery
    readonly response: AuditPage
    readonly streams: false
  }
}
