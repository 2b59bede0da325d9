/** Sound and pictures. */
import { answered, type BytesAnswer, bytes, Call, streamed } from "../Call.ts"
import type { Connection, Outgoing } from "../connection/Connection.ts"
import { type Answered, type Decision, decisionOfBody, decisionOfHeaders } from "../Decision.ts"
import type { CallOptions } from "../Settings.ts"
import { pictureCollector, speechCollector, transcriptCollector, type TypedEvent } from "../stream/EventCollectors.ts"
import type { GatewayStream } from "../stream/GatewayStream.ts"
import type { Upload } from "../Upload.ts"
import type { SpeechRequest, Transcript, TranscriptionRequest, TranslationRequest } from "../wire/Audio.ts"
import type { ImageEditsForm, ImageEditsRequest, Images, ImagesRequest, ImageVariationsForm } from "../wire/Images.ts"
import type { Streaming, Whole } from "./Chat.ts"
import { formRequest } from "./Form.ts"
import { Part } from "./Part.ts"

/** Fields of forms travel as text: here they are what they are. */
type Fields<Form> = {
  readonly [Name in keyof Form]: Form[Name] extends string | null | undefined
    ? string | number | boolean | null | undefined
    : Form[Name]
}

/** Formats that are no JSON have a text and nothing else. */
export interface TranscriptAnswer {
  readonly text: string
  readonly usage?: Transcript["usage"] | undefined
  readonly gateway: Decision | undefined
  readonly [field: string]: unknown
}

type TranscriptionFields = Fields<TranscriptionRequest>
export type TranscriptStream = GatewayStream<TypedEvent, Transcript>
export type PictureStream = GatewayStream<TypedEvent, TypedEvent>
export type SpeechStream = GatewayStream<TypedEvent, TypedEvent>

export class Audio {
  readonly transcriptions: Transcriptions
  readonly translations: Translations
  readonly speech: Speech

  constructor(connection: Connection) {
    this.transcriptions = new Transcriptions(connection)
    this.translations = new Translations(connection)
    this.speech = new Speech(connection)
  }
}

class Transcriptions extends Part {
  /** Formats that are no JSON (`text`, `srt`, `vtt`) come as `text` too. */
  create(body: TranscriptionFields, options?: CallOptions): Call<TranscriptAnswer> {
    return transcript(this.connection, "/v1/audio/transcriptions", body, options)
  }

  stream(body: TranscriptionFields, options?: CallOptions): Call<TranscriptStream> {
    const request = formRequest("/v1/audio/transcriptions", { ...body, stream: true }, options)
    return streamed(this.connection, request, transcriptCollector())
  }
}

class Translations extends Part {
  create(body: Fields<TranslationRequest>, options?: CallOptions): Call<TranscriptAnswer> {
    return transcript(this.connection, "/v1/audio/translations", body, options)
  }
}

class Speech extends Part {
  create(body: SpeechRequest, options?: CallOptions): Call<BytesAnswer> {
    return bytes(this.connection, { method: "POST", path: "/v1/audio/speech", body, options })
  }

  /** Events with pieces of sound in base64. */
  stream(body: SpeechRequest, options?: CallOptions): Call<SpeechStream> {
    const request: Outgoing = {
      method: "POST",
      path: "/v1/audio/speech",
      body: { ...body, stream_format: "sse" },
      options
    }
    return streamed(this.connection, request, speechCollector())
  }
}

export class ImageMaker extends Part {
  generate(body: Streaming<ImagesRequest>, options?: CallOptions): Call<PictureStream>
  generate(body: Whole<ImagesRequest>, options?: CallOptions): Call<Answered<Images>>
  generate(body: ImagesRequest, options?: CallOptions): Call<PictureStream> | Call<Answered<Images>>
  generate(body: ImagesRequest, options?: CallOptions): Call<PictureStream> | Call<Answered<Images>> {
    if (body.stream === true) return this.stream(body, options)
    return answered<Images>(this.connection, { method: "POST", path: "/v1/images/generations", body, options }, "data")
  }

  stream(body: ImagesRequest, options?: CallOptions): Call<PictureStream> {
    const request: Outgoing = {
      method: "POST",
      path: "/v1/images/generations",
      body: { ...body, stream: true },
      options
    }
    return streamed(this.connection, request, pictureCollector())
  }

  /** With `image` or `images` as files, or `images` as URLs. */
  edit(body: ImageEdit, options?: CallOptions): Call<Answered<Images>> {
    const path = "/v1/images/edits"
    if (!("image" in body)) return answered(this.connection, { method: "POST", path, body, options }, "data")
    return form(this.connection, path, body, options)
  }

  createVariation(body: Fields<ImageVariationsForm>, options?: CallOptions): Call<Answered<Images>> {
    return form(this.connection, "/v1/images/variations", body, options)
  }
}

type ImageEdit = ImageEditsRequest | WithImages<Fields<ImageEditsForm>>

type WithImages<Form> = { readonly [Name in keyof Form as Name extends "image" ? never : Name]: Form[Name] } & {
  readonly image: Upload | ReadonlyArray<Upload>
}

const form = (connection: Connection, path: string, body: object, options: CallOptions | undefined) =>
  answered<Images>(connection, formRequest(path, body, options), "data")

const transcript = (connection: Connection, path: string, body: object, options: CallOptions | undefined) =>
  new Call(connection.open(formRequest(path, body, options)), async (opened): Promise<TranscriptAnswer> => {
    const { headers } = opened.response
    if (!/json|html/.test(headers.get("content-type") ?? "")) {
      return { text: await connection.text(opened), gateway: decisionOfHeaders(headers) }
    }
    const answer = await connection.json(opened, "text")
    return { ...(answer as { readonly text: string }), gateway: decisionOfBody(answer["gateway"], headers) }
  })
